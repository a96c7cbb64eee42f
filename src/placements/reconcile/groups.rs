//! Objects of which policy said the same, after a change of what it reads: one of them is decided first. If policy says of it what it
//! said before, nothing changes for the others, and they are not looked at. Where only some clusters changed it says the same of most,
//! and that is found by those clusters alone ([`FleetChange`]).

use std::collections::HashMap;

use super::queue::{Lane, Queue, Ticket};
use crate::decision::FleetChange;
use crate::decision::class::Said;
use crate::placements::rows::Key;

/// The groups in doubt.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_representative: HashMap<Key, Group>,
    /// All that they are in doubt of, if it is that.
    change: Option<FleetChange>,
}

#[derive(Debug)]
struct Group {
    before: Said,
    others: Vec<Key>,
    since: u64,
    lane: Lane,
}

/// One object that is in doubt.
#[derive(Debug)]
pub(super) struct Member<'r> {
    pub(super) key: &'r Key,
    /// What policy said of it.
    pub(super) before: Said,
    pub(super) lane: Lane,
}

impl Groups {
    /// Whether nobody is in doubt.
    pub(super) fn are_settled(&self) -> bool {
        self.by_representative.is_empty()
    }

    /// Puts objects into doubt since a revision, in the place of all that were: the first of each group is queued. Those that wait
    /// already are left out: they may have changed themselves, and be of another class now. `change` is what they are in doubt of, if
    /// that is known.
    pub(super) fn doubt<'r>(
        &mut self,
        members: impl Iterator<Item = Member<'r>>,
        (since, change): (u64, Option<FleetChange>),
        queue: &mut Queue,
    ) {
        // Who was in doubt before is in doubt of more.
        self.change = change.filter(|_| self.are_settled());
        let since = self.disband(queue).min(since);
        let (mut groups, mut places): (Vec<(Key, Group)>, HashMap<Said, usize>) = Default::default();
        for Member { key, before, lane } in members {
            if queue.holds(key) {
                continue;
            }
            let key = key.clone();
            match places.get(&before).and_then(|at| groups.get_mut(*at)) {
                Some((_, group)) => group.others.push(key),
                None => {
                    places.insert(before, groups.len());
                    queue.push_doubted(key.clone(), since, lane);
                    groups.push((key, Group { before, others: Vec::new(), since, lane }));
                }
            }
        }
        self.by_representative.extend(groups);
        self.forget_change();
    }

    /// Ends all groups; returns since when their members are in doubt. Those that wait, because they changed themselves, are so too.
    fn disband(&mut self, queue: &mut Queue) -> u64 {
        let mut oldest = u64::MAX;
        for (_, group) in self.by_representative.drain() {
            oldest = oldest.min(group.since);
            let waiting: Vec<_> = group.others.into_iter().filter(|key| queue.holds(key)).collect();
            waiting.into_iter().for_each(|key| queue.push(key, group.since, Lane::Rest));
        }
        oldest
    }

    /// The change that an object stands for its group to be looked at for, and what policy said of it; `None` where there are more reasons.
    pub(super) fn in_doubt_of(&self, ticket: &Ticket) -> Option<(&FleetChange, Said)> {
        let group = self.by_representative.get(&ticket.key).filter(|_| ticket.doubted)?;
        Some((self.change.as_ref()?, group.before))
    }

    /// Policy says of an object what it said before, and so of its group.
    pub(super) fn confirm(&mut self, key: &Key) {
        self.remove(key);
    }

    fn remove(&mut self, key: &Key) -> Option<Group> {
        let group = self.by_representative.remove(key);
        self.forget_change();
        group
    }

    /// It holds the fleet as it was: no longer than somebody is in doubt.
    fn forget_change(&mut self) {
        if self.are_settled() {
            self.change = None;
        }
    }

    /// An object was decided, by what policy says of it now: if it stood for a group, and policy says something else of it, be it because
    /// it changed itself, the others are queued.
    pub(super) fn settle(&mut self, key: &Key, now: Option<Said>, queue: &mut Queue) {
        let Some(group) = self.remove(key) else { return };
        if now != Some(group.before) {
            group.others.into_iter().for_each(|key| queue.push(key, group.since, group.lane));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placements::rows::tests::key;

    fn said(class: u8, answer: u8) -> Said {
        Said { class: [class; 16], answer: [answer; 16], met_unusual: false }
    }

    fn doubt(groups: &mut Groups, names: &[&str], since: u64, queue: &mut Queue) {
        let keys: Vec<Key> = names.iter().map(|name| key(name)).collect();
        let members = keys.iter().map(|key| Member { key, before: said(1, 1), lane: Lane::Rest });
        groups.doubt(members, (since, None), queue);
    }

    fn doubted(queue: &mut Queue) -> Groups {
        let mut groups = Groups::default();
        doubt(&mut groups, &["a", "b", "c"], 7, queue);
        groups
    }

    fn waiting(groups: &Groups) -> usize {
        groups.by_representative.values().map(|group| group.others.len()).sum()
    }

    /// A pass that was interrupted must not make rows look newer than they are.
    #[test]
    fn who_was_in_doubt_stays_so_since_then() {
        let mut queue = Queue::default();
        let mut groups = doubted(&mut queue);
        queue.push(key("c"), 9, Lane::First);
        doubt(&mut groups, &["b", "c"], 9, &mut queue);
        let tickets = queue.take(9);
        let found: Vec<_> = tickets.iter().map(|ticket| (&*ticket.key.name, ticket.since)).collect();
        assert_eq!(found, [("c", 7), ("a", 7), ("b", 7)], "`c` was in doubt before it changed itself");
        groups.settle(&tickets[2].key, None, &mut queue);
        assert_eq!(queue.oldest(), None, "nobody is left");
    }

    #[test]
    fn one_stands_for_all_while_policy_says_the_same() {
        let mut queue = Queue::default();
        let mut groups = doubted(&mut queue);
        assert_eq!((queue.len(), waiting(&groups)), (1, 2));
        let first = queue.take(9).remove(0);
        groups.settle(&first.key, Some(said(1, 1)), &mut queue);
        assert_eq!((queue.len(), waiting(&groups)), (0, 0));
    }

    #[test]
    fn all_are_decided_where_it_does_not_or_where_it_was_asked_something_else() {
        for now in [Some(said(1, 2)), Some(said(2, 1)), None] {
            let mut queue = Queue::default();
            let mut groups = doubted(&mut queue);
            let first = queue.take(9).remove(0);
            groups.settle(&first.key, now, &mut queue);
            assert_eq!((queue.len(), queue.oldest(), waiting(&groups)), (2, Some(7), 0));
        }
    }
}
