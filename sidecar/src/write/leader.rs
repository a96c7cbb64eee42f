//! Tells this replica's engine who holds the Lease, by which policies it places, and what stands still: while the policies of two engines
//! differ, the holder's count.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::source::{Declared, Leader};
use plimsoll_contract::still::Still;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::lease::{Holder, Sighting};
use crate::engine::Engine;
use crate::replicate::session::Sessions;

/// Sent again after this time; the engine forgets it after 30 s.
const AGAIN: Duration = Duration::from_secs(10);

/// Reports to the engine what the Lease says.
pub struct LeaderReporter {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The source whose Lease it is.
    pub source: String,
    /// Its session.
    pub sessions: Sessions,
    /// What the Lease says.
    pub sighting: watch::Receiver<Sighting>,
    /// What stands still; nothing before that is known.
    pub still: watch::Receiver<Option<Still>>,
}

/// The report that was sent last, and when.
type Sent = Option<(Report, Instant)>;

/// The holder of the Lease, and the parts of the fleet that stand still.
type Report = (Holder, Still);

impl LeaderReporter {
    /// Runs for ever.
    pub async fn run(mut self) {
        while let Some(session) = self.sessions.active().await {
            let (mut sessions, mut sent, mut failed) = (self.sessions.clone(), None, false);
            tokio::select! {
                () = sessions.over(&session) => {}
                () = self.report(&session, &mut sent, &mut failed) => return,
            }
        }
    }

    /// While the session lasts.
    async fn report(&mut self, session: &Declared, sent: &mut Sent, failed: &mut bool) {
        loop {
            let now = Instant::now();
            let seen = self.sighting.borrow_and_update().clone();
            let still = self.still.borrow_and_update().clone();
            if let Some((holder, still)) = due(seen, still, sent.as_ref(), now) {
                let report = Leader {
                    session: session.session.clone(),
                    holder: holder.name.clone(),
                    policy: holder.policy.clone(),
                    still: still.clone(),
                };
                match self.engine.leader(&self.source, &report).await {
                    Ok(()) => (*sent, *failed) = (Some(((holder, still), now)), false),
                    // The mirrors notice for themselves when the session is over.
                    Err(error) if !std::mem::replace(failed, true) => {
                        tracing::warn!(%error, "cannot tell the engine who holds the Lease");
                    }
                    Err(_) => {}
                }
            }
            tokio::select! {
                changed = self.sighting.changed() => if changed.is_err() { return },
                changed = self.still.changed() => if changed.is_err() { return },
                () = sleep(AGAIN) => {}
            }
        }
    }
}

/// Returns the report to send now: the Lease as it was read less than [`AGAIN`] ago, if it has changed or was not sent for that long.
/// An older reading is not repeated.
fn due(seen: Sighting, still: Option<Still>, sent: Option<&(Report, Instant)>, now: Instant) -> Option<Report> {
    // Before what stands still is known, nobody is told that nothing does.
    let ((holder, read), still) = (seen?, still?);
    let is_current = now.saturating_duration_since(read) < AGAIN;
    let report = (holder, still);
    let is_sent = sent.is_some_and(|(known, at)| *known == report && now.saturating_duration_since(*at) < AGAIN);
    (is_current && !is_sent).then_some(report)
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::still::Scopes;

    use super::*;

    fn holder(name: &str) -> Holder {
        Holder { name: name.into(), policy: "p".into() }
    }

    #[test]
    fn news_are_told_at_once_and_all_else_every_ten_seconds() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (none, on) = (Still::default(), Still { braked: Scopes::read("fleet").0, ..Still::default() });
        let a = Some((holder("a"), at(20)));
        let said = |name, still: &Still, seconds| Some(((holder(name), still.clone()), at(seconds)));
        let due = |seen: &Sighting, still: &Still, sent: Option<(Report, Instant)>, now| {
            let report = due(seen.clone(), Some(still.clone()), sent.as_ref(), now);
            report.map(|(holder, still)| (holder.name, still == on))
        };
        let told = |is_on| Some(("a".to_owned(), is_on));
        assert_eq!(due(&None, &none, None, at(20)), None);
        assert_eq!(super::due(a.clone(), None, None, at(20)), None, "nobody knows whether the brake is on");
        assert_eq!(due(&a, &none, None, at(20)), told(false));
        assert_eq!(due(&a, &none, said("a", &none, 15), at(20)), None);
        assert_eq!(due(&a, &none, said("b", &none, 19), at(20)), told(false));
        assert_eq!(due(&a, &on, said("a", &none, 19), at(20)), told(true), "the brake");
        assert_eq!(due(&a, &none, said("a", &none, 10), at(20)), told(false));
        assert_eq!(due(&a, &none, said("a", &none, 21), at(31)), None, "not read for ten seconds: perhaps not so any more");
    }
}
