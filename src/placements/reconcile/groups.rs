//! Objects of which policy said the same, after a change of what it reads: one of them is decided first. If policy says of it what it
//! said before, nothing changes for the others, and they are not looked at. Where only some clusters changed it says the same of most,
//! and that is found by those clusters alone ([`FleetChange`]).

use std::collections::HashMap;
use std::sync::Arc;

use plimsoll_contract::placement::Placement;

use super::queue::{Lane, Queue, Ticket};
use crate::decision::FleetChange;
use crate::decision::class::Said;
use crate::placements::rows::{Key, Rows};

/// The groups in doubt.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_representative: HashMap<Key, Group>,
    /// The others of each group.
    roll: Option<Roll>,
    /// Groups of which policy says something else, whose others are still to be queued.
    dissenting: Vec<Group>,
    /// The first revision at which their rows may be out of date.
    since: u64,
    /// All that they are in doubt of, if it is that.
    change: Option<FleetChange>,
}

#[derive(Debug)]
struct Group {
    before: Said,
    number: u32,
    others: usize,
    lane: Lane,
}

/// Who is in which group. Of most groups policy says the same, and nobody asks for their members: those are numbers beside the rows,
/// since a list of their keys takes more time than all else that is done about them.
#[derive(Debug)]
struct Roll {
    /// As they were when the groups were made.
    rows: Arc<Rows>,
    /// The number of the group of each object, in the order of the rows; [`NO_GROUP`] for those that stand for one.
    numbers: Vec<u32>,
}

const NO_GROUP: u32 = 0;

/// Groups that are being made.
#[derive(Default)]
struct Formed {
    groups: Vec<(Key, Group)>,
    by_answer: HashMap<Said, u32>,
}

impl Groups {
    /// Whether nobody is in doubt.
    pub(super) fn are_settled(&self) -> bool {
        self.by_representative.is_empty()
    }

    /// Puts the objects that are of a class into doubt since a revision, in the place of all that were: the first of each group is queued,
    /// in the lane that its row says. Those that wait already are left out: they may have changed themselves, and be of another class now.
    /// `change` is what they are in doubt of, if that is known.
    pub(super) fn doubt(
        &mut self,
        rows: &Arc<Rows>,
        lane: impl Fn(&Placement) -> Lane,
        (since, change): (u64, Option<FleetChange>),
        queue: &mut Queue,
    ) {
        // Who was in doubt before is in doubt of more.
        self.change = change.filter(|_| self.are_settled());
        self.since = self.disband(queue).min(since);
        let (mut formed, mut numbers) = (Formed::default(), Vec::new());
        // Those that are queued here come once.
        let nobody_waits = queue.len() == 0;
        for (key, classified) in rows.classified() {
            let classified = classified.filter(|_| nobody_waits || !queue.holds(key));
            numbers.push(classified.map_or(NO_GROUP, |(row, said)| {
                formed.number(said).unwrap_or_else(|| {
                    let lane = lane(row);
                    queue.push_doubted(key.clone(), self.since, lane);
                    formed.begin(key.clone(), said, lane)
                })
            }));
        }
        self.by_representative.extend(formed.groups);
        self.roll = Some(Roll { rows: Arc::clone(rows), numbers });
        self.forget();
    }

    /// Ends all groups; returns since when their members are in doubt. Those that wait, because they changed themselves, are so too.
    fn disband(&mut self, queue: &mut Queue) -> u64 {
        let groups: Vec<Group> = self.by_representative.drain().map(|(_, group)| group).collect();
        let Some(roll) = self.roll.take().filter(|_| !groups.is_empty()) else { return u64::MAX };
        let waiting: Vec<_> = roll.others(&groups).map(|(key, _)| key).filter(|key| queue.holds(key)).collect();
        waiting.into_iter().for_each(|key| queue.push(key.clone(), self.since, Lane::Rest));
        self.since
    }

    /// The change that an object stands for its group to be looked at for, and what policy said of it; `None` where there are more reasons.
    pub(super) fn in_doubt_of(&self, ticket: &Ticket) -> Option<(&FleetChange, Said)> {
        let group = self.by_representative.get(&ticket.key).filter(|_| ticket.doubted)?;
        Some((self.change.as_ref()?, group.before))
    }

    /// Policy says of an object what it said before, and so of its group.
    pub(super) fn confirm(&mut self, key: &Key) {
        self.by_representative.remove(key);
    }

    /// An object was decided, by what policy says of it now: if it stood for a group, and policy says something else of it, be it because
    /// it changed itself, the others are to be queued by [`Self::release`].
    pub(super) fn settle(&mut self, key: &Key, now: Option<Said>) {
        let group = self.by_representative.remove(key);
        self.dissenting.extend(group.filter(|group| now != Some(group.before) && group.others > 0));
    }

    /// Queues the others of all groups of which policy says something else.
    pub(super) fn release(&mut self, queue: &mut Queue) {
        let dissenting = std::mem::take(&mut self.dissenting);
        if let Some(roll) = self.roll.as_ref().filter(|_| !dissenting.is_empty()) {
            roll.others(&dissenting).for_each(|(key, lane)| queue.push_doubted(key.clone(), self.since, lane));
        }
        self.forget();
    }

    /// Rows and fleet are held as they were: no longer than somebody is in doubt.
    fn forget(&mut self) {
        if self.are_settled() {
            (self.change, self.roll) = (None, None);
        }
    }
}

impl Formed {
    /// Counts one more of the group of which policy says this, and returns its number; `None` if there is none yet.
    fn number(&mut self, said: Said) -> Option<u32> {
        let number = *self.by_answer.get(&said)?;
        let (_, group) = self.groups.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)?;
        group.others += 1;
        Some(number)
    }

    /// Adds a group of one object, which is none of its others.
    fn begin(&mut self, key: Key, before: Said, lane: Lane) -> u32 {
        // Beyond that many groups, each object would be queued for itself.
        let Ok(number) = u32::try_from(self.groups.len() + 1) else { return NO_GROUP };
        self.by_answer.insert(before, number);
        self.groups.push((key, Group { before, number, others: 0, lane }));
        NO_GROUP
    }
}

impl Roll {
    /// Returns the objects of some groups but for those that stand for them, each with its group's lane.
    fn others(&self, groups: &[Group]) -> impl Iterator<Item = (&Key, Lane)> {
        let place = |group: &Group| usize::try_from(group.number).unwrap_or_default();
        let mut lanes = vec![None; groups.iter().map(place).max().unwrap_or_default() + 1];
        for group in groups {
            if let Some(lane) = lanes.get_mut(place(group)) {
                *lane = Some(group.lane);
            }
        }
        let lane = move |number: u32| lanes.get(usize::try_from(number).ok()?).copied().flatten();
        self.rows.keys().zip(&self.numbers).filter_map(move |(key, number)| Some((key, lane(*number)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placements::log::Log;
    use crate::placements::rows::tests::{key, row, verdict};
    use crate::placements::rows::{Course, Verdict};

    fn said(class: u8, answer: u8) -> Said {
        Said { class: [class; 16], answer: [answer; 16] }
    }

    fn doubt(groups: &mut Groups, names: &[&str], since: u64, queue: &mut Queue) {
        let mut rows = Rows::new(Log::new(0, 4));
        for name in names {
            let (row, course) = (Box::new(row(name)), Course::default());
            rows.apply(key(name), Verdict::Row { row, last: None, said: Some(said(1, 1)), course });
        }
        groups.doubt(&Arc::new(rows), |_| Lane::Rest, (since, None), queue);
    }

    fn settle(groups: &mut Groups, key: &Key, now: Option<Said>, queue: &mut Queue) {
        groups.settle(key, now);
        groups.release(queue);
    }

    fn doubted(queue: &mut Queue) -> Groups {
        let mut groups = Groups::default();
        doubt(&mut groups, &["a", "b", "c"], 7, queue);
        groups
    }

    fn waiting(groups: &Groups) -> usize {
        groups.by_representative.values().map(|group| group.others).sum()
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
        settle(&mut groups, &tickets[2].key, None, &mut queue);
        assert_eq!(queue.oldest(), None, "nobody is left");
    }

    #[test]
    fn one_stands_for_all_while_policy_says_the_same() {
        let mut queue = Queue::default();
        let mut groups = doubted(&mut queue);
        assert_eq!((queue.len(), waiting(&groups)), (1, 2));
        let first = queue.take(9).remove(0);
        settle(&mut groups, &first.key, Some(said(1, 1)), &mut queue);
        assert_eq!((queue.len(), waiting(&groups)), (0, 0));
    }

    #[test]
    fn all_are_decided_where_it_does_not_or_where_it_was_asked_something_else() {
        for now in [Some(said(1, 2)), Some(said(2, 1)), None] {
            let mut queue = Queue::default();
            let mut groups = doubted(&mut queue);
            let first = queue.take(9).remove(0);
            settle(&mut groups, &first.key, now, &mut queue);
            assert_eq!((queue.len(), queue.oldest(), waiting(&groups)), (2, Some(7), 0));
        }
    }
    #[test]
    fn each_group_has_its_own_members() {
        let (mut rows, mut queue, mut groups) = (Rows::new(Log::new(0, 4)), Queue::default(), Groups::default());
        for (name, class) in [("a", 1), ("b", 2), ("c", 1), ("d", 2), ("e", 3), ("g", 1)] {
            let (row, course) = (Box::new(row(name)), Course::default());
            rows.apply(key(name), Verdict::Row { row, last: None, said: Some(said(class, 1)), course });
        }
        rows.apply(key("f"), verdict(row("f")));
        rows.apply(key("h"), Verdict::Unplaced { uid: "uid-h".into(), orphaned: None });
        queue.push(key("c"), 3, Lane::Rest);
        let lane = |row: &Placement| if row.name == "b" { Lane::First } else { Lane::Rest };
        groups.doubt(&Arc::new(rows), lane, (7, None), &mut queue);
        let names = |tickets: &[Ticket]| tickets.iter().map(|ticket| ticket.key.name.to_string()).collect::<Vec<_>>();
        let tickets = queue.take(9);
        assert_eq!(
            (names(&tickets), waiting(&groups)),
            (["b", "c", "a", "e"].map(str::to_owned).into(), 2),
            "`c` waited already"
        );
        groups.settle(&key("a"), Some(said(1, 1)));
        groups.settle(&key("b"), Some(said(2, 9)));
        groups.settle(&key("e"), Some(said(3, 9)));
        assert_eq!(queue.len(), 0, "not yet");
        groups.release(&mut queue);
        assert_eq!((names(&queue.take(9)), groups.roll.is_none()), (vec!["d".to_owned()], true));
    }
}
