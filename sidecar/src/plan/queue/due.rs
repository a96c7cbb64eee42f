//! Which patch is next. Pure.
//!
//! What policy calls urgent goes first. First tries go before what has failed or was undone: the API server's trouble with some objects, such as a webhook of one kind
//! that does not answer, slows all writes, and those objects come back for ever. They must not take each turn that is left.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::row::Key;

/// Objects in the order in which they are due.
#[derive(Clone, Debug, Default)]
pub(super) struct Due {
    urgent: BTreeSet<(Duration, u64, Key)>,
    first: BTreeSet<(Duration, u64, Key)>,
    again: BTreeSet<(Duration, u64, Key)>,
}

/// The priority of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Policy calls it urgent, and it has not failed.
    Urgent,
    /// It was not tried yet.
    First,
    /// It was tried before, and failed or was undone.
    Again,
}

/// An object's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: Duration,
    pub(super) turn: u64,
    pub(super) lane: Lane,
}

impl Due {
    pub(super) fn insert(&mut self, place: Place, key: Key) {
        self.those(place.lane).insert((place.at, place.turn, key));
    }

    pub(super) fn remove(&mut self, place: Place, key: &Key) {
        self.those(place.lane).remove(&(place.at, place.turn, key.clone()));
    }

    /// Returns the first object that is due at `now`.
    pub(super) fn peek(&self, now: Duration) -> Option<&Key> {
        let lanes = [&self.urgent, &self.first, &self.again].into_iter();
        lanes.filter_map(|those| those.first()).find(|(at, ..)| *at <= now).map(|(.., key)| key)
    }

    /// Removes and returns the first object that is due at `now`.
    pub(super) fn take(&mut self, now: Duration) -> Option<Key> {
        let lanes = [&mut self.urgent, &mut self.first, &mut self.again].into_iter();
        lanes.into_iter().find(|those| is_due(those, now)).and_then(|those| those.pop_first()).map(|(.., key)| key)
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Option<Duration> {
        [&self.urgent, &self.first, &self.again].into_iter().filter_map(|those| those.first()).map(|(at, ..)| *at).min()
    }

    fn those(&mut self, lane: Lane) -> &mut BTreeSet<(Duration, u64, Key)> {
        match lane {
            Lane::Urgent => &mut self.urgent,
            Lane::First => &mut self.first,
            Lane::Again => &mut self.again,
        }
    }
}

fn is_due(those: &BTreeSet<(Duration, u64, Key)>, now: Duration) -> bool {
    those.first().is_some_and(|(at, ..)| *at <= now)
}
