//! What holds at every step, and in the end.

use std::time::Duration;

use plimsoll_contract::placement::Placement;

use super::{OBJECTS, Step, WAITS, Way, World};
use crate::plan::row::Key;

const RESYNC: u64 = 60;
/// The longest wait with its jitter, then a grace time and the list after it.
const CONVERGED: u64 = 60 * 5 / 4 + 30 + RESYNC + 5;

impl World {
    /// From now on nobody misbehaves: all is as wanted after a bounded time, and then nothing is written any more.
    pub(in super::super) fn behaves(&mut self) {
        self.step(Step::Lead(true));
        self.step(Step::List);
        let converged = (0..CONVERGED).any(|second| {
            self.behave(second);
            self.is_as_wanted() && self.queue.counts().pending == 0
        });
        assert!(converged, "not as wanted: stored {:?}, wanted {:?}, queue {:?}", self.stored, self.wanted, self.queue);
        let before = self.stored.clone();
        (0..3 * RESYNC).for_each(|second| self.behave(second));
        assert_eq!(self.stored, before, "a settled fleet is not written");
        let counts = self.queue.counts();
        assert_eq!((counts.pending, counts.reverted, self.queue.oldest(self.now)), (0, 0, Duration::ZERO));
    }

    fn behave(&mut self, second: u64) {
        self.happens(Step::Pass(Duration::from_secs(1)));
        (0..OBJECTS).for_each(|number| self.happens(Step::Replicate(number)));
        if second % RESYNC == RESYNC - 1 {
            self.happens(Step::List);
        }
        (0..OBJECTS).for_each(|_| self.happens(Step::Write));
        while !self.flights.is_empty() {
            self.happens(Step::Answer(0, Way::Honest));
        }
        self.check();
    }

    fn is_as_wanted(&self) -> bool {
        let pairs = self.stored.iter().zip(&self.wanted);
        pairs.into_iter().all(|(object, wanted)| object.as_ref().is_none_or(|object| object.value == *wanted))
    }

    /// Holds at every step: an object that asks is counted, unless an answer showed it written.
    pub(super) fn check(&mut self) {
        let counts = self.queue.counts();
        let asking = |number: &usize| self.row(*number).is_some_and(|row| !row.patch.is_empty());
        let most = (0..OBJECTS).filter(asking).count();
        let was_written =
            |number: &usize| self.patched.keys().any(|(uid, ..)| self.row(*number).is_some_and(|row| row.uid == *uid));
        let least = (0..OBJECTS).filter(asking).filter(|number| !was_written(number)).count();
        if self.is_fed {
            assert!((least..=most).contains(&counts.pending), "{least} <= {} <= {most}", counts.pending);
        }
        assert!(counts.reverted <= counts.pending);
        assert_eq!(counts.pending == 0, self.queue.oldest(self.now + Duration::from_secs(1)).is_zero());
        self.check_not_idle();
    }

    /// Whatever asks is written in finite time: it is under way, or the next list after the grace finds it due.
    fn check_not_idle(&self) {
        let mut later = self.queue.clone();
        let (listed, at_last) = (self.now + WAITS.grace, self.now + WAITS.grace + WAITS.longest * 5 / 4);
        let rows: Vec<Placement> = (0..OBJECTS).filter_map(|number| self.row(number)).collect();
        later.observe_all(&rows, listed);
        let due: Vec<Key> = std::iter::from_fn(|| later.take(at_last)).map(|(key, _)| key).collect();
        for row in rows.iter().filter(|row| !row.patch.is_empty()) {
            let key = Key::of(row);
            let is_under_way = self.flights.iter().any(|(other, _)| *other == key);
            assert!(is_under_way || due.contains(&key), "{key:?} asks, and nothing will be done: {:?}", self.queue);
        }
    }
}
