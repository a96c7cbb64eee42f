//! Tells this replica's engine who holds the Lease, by which policies it places, and whether the brake is on: while the policies of two engines
//! differ, the holder's count.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::source::{Declared, Leader};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::lease::{Holder, Sighting};
use crate::engine::Engine;
use crate::replicate::session::Sessions;

/// Said again after this time; the engine forgets it after 30 s.
const AGAIN: Duration = Duration::from_secs(10);

/// Carries what the Lease says to the engine.
pub struct Teller {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The source whose Lease it is.
    pub source: String,
    /// Its session.
    pub sessions: Sessions,
    /// What the Lease says.
    pub sighting: watch::Receiver<Sighting>,
    /// Whether the brake is on for all of the fleet.
    pub braked: watch::Receiver<bool>,
}

/// What was said last, and when.
type Said = Option<(Word, Instant)>;

/// Who leads, and whether the brake is on.
type Word = (Holder, bool);

impl Teller {
    /// Runs for ever.
    pub async fn run(mut self) {
        while let Some(session) = self.sessions.active().await {
            let (mut sessions, mut said, mut failed) = (self.sessions.clone(), None, false);
            tokio::select! {
                () = sessions.over(&session) => {}
                () = self.tell(&session, &mut said, &mut failed) => return,
            }
        }
    }

    /// While the session lasts.
    async fn tell(&mut self, session: &Declared, said: &mut Said, failed: &mut bool) {
        loop {
            let now = Instant::now();
            let seen = self.sighting.borrow_and_update().clone();
            let braked = *self.braked.borrow_and_update();
            if let Some((holder, braked)) = due(seen, braked, said.as_ref(), now) {
                let word = Leader {
                    session: session.session.clone(),
                    holder: holder.name.clone(),
                    policy: holder.policy.clone(),
                    braked,
                };
                match self.engine.leader(&self.source, &word).await {
                    Ok(()) => (*said, *failed) = (Some(((holder, braked), now)), false),
                    // The mirrors notice for themselves when the session is over.
                    Err(error) if !std::mem::replace(failed, true) => {
                        tracing::warn!(%error, "cannot tell the engine who holds the Lease");
                    }
                    Err(_) => {}
                }
            }
            tokio::select! {
                changed = self.sighting.changed() => if changed.is_err() { return },
                changed = self.braked.changed() => if changed.is_err() { return },
                () = sleep(AGAIN) => {}
            }
        }
    }
}

/// What is to be said now: what was read a moment ago, if it is news or was not said for a while. What the Lease said before
/// it went out of sight is not repeated.
fn due(seen: Sighting, braked: bool, said: Option<&(Word, Instant)>, now: Instant) -> Option<Word> {
    let (holder, read) = seen?;
    let is_current = now.saturating_duration_since(read) < AGAIN;
    let word = (holder, braked);
    let is_said = said.is_some_and(|(known, at)| *known == word && now.saturating_duration_since(*at) < AGAIN);
    (is_current && !is_said).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(name: &str) -> Holder {
        Holder { name: name.into(), policy: "p".into() }
    }

    #[test]
    fn news_are_told_at_once_and_all_else_every_ten_seconds() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let a = Some((holder("a"), at(20)));
        assert_eq!(due(None, false, None, at(20)), None);
        assert_eq!(due(a.clone(), false, None, at(20)), Some((holder("a"), false)));
        assert_eq!(due(a.clone(), false, Some(&((holder("a"), false), at(15))), at(20)), None);
        assert_eq!(due(a.clone(), false, Some(&((holder("b"), false), at(19))), at(20)), Some((holder("a"), false)));
        assert_eq!(due(a.clone(), true, Some(&((holder("a"), false), at(19))), at(20)), Some((holder("a"), true)), "the brake");
        assert_eq!(due(a.clone(), false, Some(&((holder("a"), false), at(10))), at(20)), Some((holder("a"), false)));
        assert_eq!(
            due(a, false, Some(&((holder("a"), false), at(21))), at(31)),
            None,
            "not read for ten seconds: perhaps not so any more"
        );
    }
}
