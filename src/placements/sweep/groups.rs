//! Objects of which policy said the same, after a change of what it reads: one of them is decided first. If policy says of it what it
//! said before, nothing changes for the others, and they are not looked at.

use std::collections::HashMap;
use std::sync::Arc;

use super::queue::{Lane, Queue};
use crate::decision::class::Class;
use crate::placements::rows::Key;

/// The groups in doubt, by the object that is decided for each.
#[derive(Debug, Default)]
pub(super) struct Groups {
    first: HashMap<Key, Group>,
}

#[derive(Debug)]
struct Group {
    before: Arc<Class>,
    others: Vec<Key>,
    since: u64,
    lane: Lane,
}

/// One object that is in doubt.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: Key,
    /// What policy said of it.
    pub(super) before: Arc<Class>,
    pub(super) lane: Lane,
}

impl Groups {
    /// Puts objects into doubt since a revision, in the place of all that were: the first of each group is queued. Those that wait
    /// already must not be among them: they may have changed themselves, and be of another class now.
    pub(super) fn doubt(&mut self, members: impl Iterator<Item = Member>, since: u64, queue: &mut Queue) {
        // Those of before are in doubt since then.
        let since = self.first.drain().map(|(_, group)| group.since).fold(since, u64::min);
        let mut firsts: HashMap<*const Class, Key> = HashMap::new();
        for Member { key, before, lane } in members {
            let first = firsts.entry(Arc::as_ptr(&before)).or_insert_with(|| key.clone());
            match self.first.get_mut(first) {
                Some(group) => group.others.push(key),
                None => {
                    queue.push(key.clone(), since, lane);
                    self.first.insert(key, Group { before, others: Vec::new(), since, lane });
                }
            }
        }
    }

    /// An object was decided, by what policy says of it now: if it stood for a group of which policy says something else now, the others
    /// are queued.
    pub(super) fn settle(&mut self, key: &Key, now: Option<&Arc<Class>>, queue: &mut Queue) {
        let Some(group) = self.first.remove(key) else { return };
        if now != Some(&group.before) {
            group.others.into_iter().for_each(|key| queue.push(key, group.since, group.lane));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::decision::class::Answer;
    use crate::placements::rows::tests::key;

    fn class(document: Json) -> Arc<Class> {
        Arc::new(Class::of(Some(Answer { document, ruling: Err("not looked at".into()) })))
    }

    fn doubted(queue: &mut Queue, before: &Arc<Class>) -> Groups {
        let mut groups = Groups::default();
        let member = |name| Member { key: key(name), before: before.clone(), lane: Lane::Rest };
        groups.doubt(["a", "b", "c"].map(member).into_iter(), 7, queue);
        groups
    }

    fn waiting(groups: &Groups) -> usize {
        groups.first.values().map(|group| group.others.len()).sum()
    }

    /// A pass that was interrupted must not make rows look newer than they are.
    #[test]
    fn who_was_in_doubt_stays_so_since_then() {
        let (mut queue, before) = (Queue::default(), class(json!({"x": 1})));
        let mut groups = doubted(&mut queue, &before);
        let again = ["b", "c"].map(|name| Member { key: key(name), before: before.clone(), lane: Lane::Rest });
        groups.doubt(again.into_iter(), 9, &mut queue);
        let tickets = queue.take(9);
        assert_eq!(tickets.iter().map(|ticket| (&*ticket.key.name, ticket.since)).collect::<Vec<_>>(), [("a", 7), ("b", 7)]);
        groups.settle(&tickets[1].key, None, &mut queue);
        assert_eq!(queue.oldest(), Some(7));
    }

    #[test]
    fn one_stands_for_all_while_policy_says_the_same() {
        let (mut queue, before) = (Queue::default(), class(json!({"x": 1})));
        let mut groups = doubted(&mut queue, &before);
        assert_eq!((queue.len(), waiting(&groups)), (1, 2));
        let first = queue.take(9).remove(0);
        groups.settle(&first.key, Some(&class(json!({"x": 1}))), &mut queue);
        assert_eq!((queue.len(), waiting(&groups)), (0, 0));
    }

    #[test]
    fn all_are_decided_where_it_does_not() {
        for now in [Some(class(json!({"x": 2}))), Some(class(json!({"x": 1.0}))), None] {
            let (mut queue, before) = (Queue::default(), class(json!({"x": 1})));
            let mut groups = doubted(&mut queue, &before);
            let first = queue.take(9).remove(0);
            groups.settle(&first.key, now.as_ref(), &mut queue);
            assert_eq!((queue.len(), queue.oldest(), waiting(&groups)), (2, Some(7), 0));
        }
    }
}
