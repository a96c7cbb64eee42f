//! What is still to be decided, in a fair order.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::placements::rows::Key;

/// The priority of an object in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Known to matter now.
    First,
    /// All the others.
    Rest,
}

/// One object's place in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) key: Key,
    /// The first revision at which its row may be out of date.
    pub(super) since: u64,
    /// Nothing is known to matter but what its group is in doubt of: it has not changed itself, and what decides beside policy has not.
    pub(super) doubted: bool,
    lane: Lane,
}

/// Why an object waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    since: u64,
    lane: Lane,
    doubted: bool,
}

/// Two lanes; an object stands in one of them once, and keeps its place when it is pushed again.
#[derive(Debug, Default)]
pub(super) struct Queue {
    first: VecDeque<Key>,
    rest: VecDeque<Key>,
    waiting: HashMap<Key, Place>,
    revisions: BTreeMap<u64, usize>,
    takes: usize,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether an object waits.
    pub(super) fn holds(&self, key: &Key) -> bool {
        self.waiting.contains_key(key)
    }

    /// The oldest revision at which some row may be out of date.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.revisions.keys().next().copied()
    }

    /// An object is to be decided. One that waits already may only move to the faster lane, and be out of date for longer.
    pub(super) fn push(&mut self, key: Key, since: u64, lane: Lane) {
        self.add(key, Place { since, lane, doubted: false });
    }

    /// The same for an object that waits for what its group is in doubt of; one that waits already waits for what it did, too.
    pub(super) fn push_doubted(&mut self, key: Key, since: u64, lane: Lane) {
        self.add(key, Place { since, lane, doubted: true });
    }

    fn add(&mut self, key: Key, new: Place) {
        let before = self.waiting.get(&key).copied();
        let place = before.map_or(new, |before| Place {
            since: before.since.min(new.since),
            lane: if before.lane == Lane::First { Lane::First } else { new.lane },
            doubted: before.doubted && new.doubted,
        });
        if before == Some(place) {
            return;
        }
        if let Some(before) = before {
            self.leave(before.since);
        }
        *self.revisions.entry(place.since).or_default() += 1;
        self.waiting.insert(key.clone(), place);
        if before.is_none_or(|before| before.lane != place.lane) {
            self.lane(place.lane).push_back(key);
        }
    }

    /// Up to `most` objects, in the order in which they are to be decided. While both lanes have some, every fourth is
    /// from the slower lane; the count starts elsewhere each time, so that no lane stands even if only the first of them
    /// is ever decided before it is put back.
    pub(super) fn take(&mut self, most: usize) -> Vec<Ticket> {
        self.takes = self.takes.wrapping_add(1);
        let turns = (self.takes..).map(|turn| if turn % 4 == 0 { [Lane::Rest, Lane::First] } else { [Lane::First, Lane::Rest] });
        let most = most.min(self.len());
        turns.take(most).filter_map(|[lane, other]| self.next_of(lane).or_else(|| self.next_of(other))).collect()
    }

    /// Objects that were taken but not decided: to the head of their lanes. Who was queued again meanwhile keeps that place.
    pub(super) fn put_back(&mut self, tickets: Vec<Ticket>) {
        for Ticket { key, since, lane, doubted } in tickets.into_iter().rev() {
            let place = Place { since, lane, doubted };
            if self.holds(&key) {
                self.add(key, place);
                continue;
            }
            *self.revisions.entry(since).or_default() += 1;
            self.waiting.insert(key.clone(), place);
            self.lane(lane).push_front(key);
        }
    }

    fn lane(&mut self, lane: Lane) -> &mut VecDeque<Key> {
        match lane {
            Lane::First => &mut self.first,
            Lane::Rest => &mut self.rest,
        }
    }

    fn next_of(&mut self, lane: Lane) -> Option<Ticket> {
        loop {
            let key = self.lane(lane).pop_front()?;
            // One that moved to the other lane left its key here.
            let Some(Place { since, doubted, .. }) = self.waiting.get(&key).filter(|place| place.lane == lane).copied() else {
                continue;
            };
            self.waiting.remove(&key);
            self.leave(since);
            return Some(Ticket { key, since, doubted, lane });
        }
    }

    fn leave(&mut self, since: u64) {
        if let Some(count) = self.revisions.get_mut(&since) {
            *count -= 1;
            if *count == 0 {
                self.revisions.remove(&since);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placements::rows::tests::key;

    fn names(tickets: &[Ticket]) -> Vec<&str> {
        tickets.iter().map(|ticket| &*ticket.key.name).collect()
    }

    fn queue(first: &[&str], rest: &[&str]) -> Queue {
        let mut queue = Queue::default();
        first.iter().for_each(|name| queue.push(key(name), 1, Lane::First));
        rest.iter().for_each(|name| queue.push(key(name), 1, Lane::Rest));
        queue
    }

    #[test]
    fn both_lanes_move() {
        let mut queue = queue(&["a", "b", "c", "d"], &["w", "x", "y"]);
        assert_eq!(names(&queue.take(4)), ["a", "b", "c", "w"]);
        assert_eq!(names(&queue.take(4)), ["d", "x", "y"]);
        assert_eq!((queue.len(), queue.oldest()), (0, None));
    }

    #[test]
    fn no_lane_stands_when_only_one_is_decided_each_time() {
        let mut queue = queue(&["a", "b", "c", "d", "e"], &["z"]);
        let decided = (0..6).map(|_| {
            let mut taken = queue.take(9);
            let first = taken.remove(0);
            queue.put_back(taken);
            first.key.name.to_string()
        });
        assert_eq!(decided.collect::<Vec<_>>(), ["a", "b", "c", "z", "d", "e"]);
    }

    #[test]
    fn pushing_again_keeps_place_and_revision() {
        let mut queue = queue(&[], &["a", "b"]);
        queue.push(key("a"), 9, Lane::Rest);
        assert_eq!((queue.len(), queue.oldest()), (2, Some(1)));
        assert_eq!(names(&queue.take(9)), ["a", "b"]);
    }

    #[test]
    fn moving_to_the_faster_lane_keeps_the_revision_and_decides_once() {
        let mut queue = queue(&[], &["a", "b"]);
        queue.push(key("b"), 9, Lane::First);
        queue.push(key("b"), 9, Lane::Rest);
        let taken = queue.take(9);
        assert_eq!(names(&taken), ["b", "a"]);
        assert_eq!(taken[0].since, 1);
        assert_eq!(queue.len(), 0);
    }

    /// What is said of a row must hold since the first doubt, whenever that is heard of.
    #[test]
    fn an_older_doubt_counts() {
        let mut queue = queue(&["a"], &["b"]);
        for name in ["a", "b"] {
            queue.push(key(name), 0, Lane::Rest);
        }
        assert_eq!((queue.len(), queue.oldest()), (2, Some(0)));
        let taken = queue.take(9);
        assert_eq!(taken.iter().map(|ticket| (&*ticket.key.name, ticket.since)).collect::<Vec<_>>(), [("a", 0), ("b", 0)]);
        assert_eq!((queue.len(), queue.oldest()), (0, None));
    }

    #[test]
    fn what_was_queued_again_before_it_is_put_back_waits_once() {
        let mut queue = queue(&["a"], &[]);
        let taken = queue.take(1);
        queue.push(key("a"), 9, Lane::Rest);
        queue.put_back(taken);
        assert_eq!((queue.len(), queue.oldest()), (1, Some(1)));
        assert_eq!(names(&queue.take(9)), ["a"]);
        assert_eq!((queue.len(), queue.oldest()), (0, None));
    }

    #[test]
    fn what_is_put_back_is_next() {
        let mut queue = queue(&["a"], &["x", "y", "z"]);
        let taken = queue.take(4);
        queue.push(key("n"), 5, Lane::Rest);
        queue.put_back(taken);
        assert_eq!((queue.len(), queue.oldest()), (5, Some(1)));
        assert_eq!(names(&queue.take(9)), ["a", "x", "y", "z", "n"]);
    }
}
