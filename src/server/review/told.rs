//! What is told of a denial beside its message: for people, and never so that a decision comes late or others wait.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plimsoll_contract::outcome::Outcome;

use super::judge::{Judge, Review};
use crate::decision::{Decision, Subject, Writer};
use crate::why;

/// The longest time that explaining one denial may take. It is not begun unless the review has twice as much left.
const TIME: Duration = Duration::from_millis(200);
/// Policies of more bytes are not read once more for it.
const MOST_TEXT: usize = 256 << 10;
/// After each time it rests so many times as long: no storm of denials takes more than a sixth of one worker.
const REST: u32 = 5;

/// The turn to explain a denial: one at a time, with rests in between.
#[derive(Debug)]
pub struct Turn {
    /// The longest time that one explanation may take.
    time: Duration,
    rests_until: Mutex<Option<Instant>>,
}

impl Default for Turn {
    fn default() -> Self {
        Self { time: TIME, rests_until: Mutex::default() }
    }
}

impl Turn {
    /// Returns a turn with 4 s for each explanation, for machines that are busy with other tests.
    #[cfg(test)]
    pub(super) fn unhurried() -> Self {
        Self { time: Duration::from_secs(4), ..Self::default() }
    }

    fn take<T>(&self, now: impl Fn() -> Instant, find: impl FnOnce() -> T) -> Option<T> {
        let mut rests_until = self.rests_until.try_lock()?;
        let started = now();
        if rests_until.is_some_and(|until| started < until) {
            return None;
        }
        let found = find();
        let ended = now();
        *rests_until = Some(ended + ended.duration_since(started) * REST);
        Some(found)
    }
}

impl Review<'_> {
    /// Returns the warnings about a decision that began at `begun`.
    pub(super) fn told(&self, judge: Judge, (subject, decision): (Subject<'_>, &Decision), begun: Instant) -> Vec<String> {
        let left = self.budget.saturating_sub(begun.elapsed());
        let is_due = !self.is_brief && why::is_short_of_words(decision) && self.is_heard(judge, subject, decision);
        let Turn { time, .. } = self.engine.explaining;
        if !is_due || left < time * 2 || self.text() > MOST_TEXT {
            return Vec::new();
        }
        let find = || why::short(&self.snapshot, subject, (&self.engine.config, decision), time);
        self.engine.explaining.take(Instant::now, find).unwrap_or_default()
    }

    /// Whether somebody hears it, and did not a moment ago: controllers and sidecars show no warnings.
    fn is_heard(&self, judge: Judge, subject: Subject<'_>, decision: &Decision) -> bool {
        let is_person =
            subject.writer == Writer::Other && !self.engine.config.sidecars.contains(&self.request.user_info.username);
        is_person && (judge == Judge::Mutate || matches!(decision.outcome, Outcome::Denied { .. }))
    }

    fn text(&self) -> usize {
        let modules = self.snapshot.policies.sets.values().flat_map(|set| set.modules.iter());
        modules.map(|module| module.text.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn denials_are_explained_one_after_the_other_with_rests_in_between() {
        let (turn, begun, at) = (Turn::default(), Instant::now(), Cell::new(Duration::ZERO));
        let take = |milliseconds, long| {
            at.set(Duration::from_millis(milliseconds));
            let find = || at.set(at.get() + Duration::from_millis(long));
            turn.take(|| begun + at.get(), find).is_some()
        };
        let taken = [(0, 10), (11, 0), (59, 0), (60, 2), (71, 0), (72, 0)].map(|(at, long)| take(at, long));
        assert_eq!(taken, [true, false, false, true, false, true]);
        let both = turn.take(|| begun + Duration::from_secs(1), || turn.take(|| begun + Duration::from_secs(2), || ()));
        assert_eq!(both, Some(None), "one at a time");
    }
}
