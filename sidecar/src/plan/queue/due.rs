//! Which patch is next. Pure.
//!
//! First tries go before what has failed or was undone: the API server's trouble with some objects, such as a webhook of one kind
//! that does not answer, slows all writes, and those objects come back for ever. They must not take each turn that is left.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::row::Key;

/// Objects in the order in which they are due.
#[derive(Clone, Debug, Default)]
pub(super) struct Due {
    first: BTreeSet<(Duration, u64, Key)>,
    again: BTreeSet<(Duration, u64, Key)>,
}

/// An object's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: Duration,
    pub(super) turn: u64,
    /// It was tried before, and failed or was undone.
    pub(super) again: bool,
}

impl Due {
    pub(super) fn insert(&mut self, place: Place, key: Key) {
        self.those(place.again).insert((place.at, place.turn, key));
    }

    pub(super) fn remove(&mut self, place: Place, key: &Key) {
        self.those(place.again).remove(&(place.at, place.turn, key.clone()));
    }

    /// Takes what is due at `now`.
    pub(super) fn take(&mut self, now: Duration) -> Option<Key> {
        let those = if is_due(&self.first, now) { &mut self.first } else { &mut self.again };
        if is_due(those, now) { those.pop_first().map(|(.., key)| key) } else { None }
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Option<Duration> {
        [&self.first, &self.again].into_iter().filter_map(|those| those.first()).map(|(at, ..)| *at).min()
    }

    fn those(&mut self, again: bool) -> &mut BTreeSet<(Duration, u64, Key)> {
        if again { &mut self.again } else { &mut self.first }
    }
}

fn is_due(those: &BTreeSet<(Duration, u64, Key)>, now: Duration) -> bool {
    those.first().is_some_and(|(at, ..)| *at <= now)
}
