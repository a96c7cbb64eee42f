//! Distinct objects that moved within the window or are about to, in the fleet and in each namespace.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::id::Id;

/// Counts objects that moved within the window or are to move. Times are those of a clock that does not run backwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    members: HashMap<Id, Member>,
    by_time: BTreeSet<(Duration, Id)>,
    namespaces: HashMap<Arc<str>, usize>,
    generation: u64,
}

#[derive(Clone, Debug)]
struct Member {
    namespace: Arc<str>,
    moved: Option<Moved>,
    is_wanted: bool,
}

/// When an object moved last, or was announced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) at: Duration,
    /// It is written down: a new leader knows it.
    pub(super) is_saved: bool,
    /// It was let go, or was seen; not announced alone.
    pub(super) is_certain: bool,
    /// The mirror showed it, or another leader wrote it down.
    pub(super) is_seen: bool,
}

impl Tally {
    /// An object has moved, or may from now on.
    pub(super) fn moved(&mut self, id: Id, namespace: &Arc<str>, moved: Moved) {
        self.generation += 1;
        let before = self.member(id, namespace).moved.replace(moved);
        if let Some(before) = before {
            self.by_time.remove(&(before.at, id));
        }
        self.by_time.insert((moved.at, id));
    }

    /// An object is to move, or not any more: then what was announced alone will not happen. Returns whether that is forgotten.
    pub(super) fn want(&mut self, id: Id, namespace: &Arc<str>, is_wanted: bool) -> bool {
        self.generation += 1;
        if is_wanted {
            self.member(id, namespace).is_wanted = true;
            return false;
        }
        let Some(member) = self.members.get_mut(&id) else { return false };
        member.is_wanted = false;
        self.take_back(id, |moved| !moved.is_certain)
    }

    /// The API server did not take the move that was announced: nothing moved. Returns whether it was counted.
    pub(super) fn failed(&mut self, id: Id) -> bool {
        self.generation += 1;
        self.take_back(id, |moved| !moved.is_seen)
    }

    fn take_back(&mut self, id: Id, is_void: impl FnOnce(&Moved) -> bool) -> bool {
        let moved = self.members.get_mut(&id).and_then(|member| member.moved.take_if(|moved| is_void(moved)));
        if let Some(moved) = moved {
            self.by_time.remove(&(moved.at, id));
        }
        self.drop_idle(id);
        moved.is_some()
    }

    /// The mirror shows what was let go.
    pub(super) fn seen(&mut self, id: Id) {
        if let Some(moved) = self.members.get_mut(&id).and_then(|member| member.moved.as_mut()) {
            (moved.is_certain, moved.is_seen) = (true, true);
        }
    }

    /// An object is of this namespace, whatever was known of it when it was counted.
    pub(super) fn file(&mut self, id: Id, namespace: &Arc<str>) {
        let Some(member) = self.members.get_mut(&id).filter(|member| member.namespace != *namespace) else { return };
        self.generation += 1;
        let before = std::mem::replace(&mut member.namespace, Arc::clone(namespace));
        *self.namespaces.entry(Arc::clone(namespace)).or_default() += 1;
        self.leave(&before);
    }

    fn leave(&mut self, namespace: &Arc<str>) {
        if let Some(count) = self.namespaces.get_mut(namespace) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.namespaces.remove(namespace);
            }
        }
    }

    /// Marks an announced move as made.
    pub(super) fn certain(&mut self, id: Id) {
        if let Some(moved) = self.members.get_mut(&id).and_then(|member| member.moved.as_mut()) {
            moved.is_certain = true;
        }
    }

    /// Forgets what moved before a time; returns which objects did.
    pub(super) fn expire(&mut self, before: Duration) -> Vec<Id> {
        let mut expired = Vec::new();
        while let Some((at, id)) = self.by_time.first().copied().filter(|(at, _)| *at < before) {
            self.generation += 1;
            self.by_time.remove(&(at, id));
            if let Some(member) = self.members.get_mut(&id) {
                member.moved = None;
            }
            self.drop_idle(id);
            expired.push(id);
        }
        expired
    }

    /// Forgets all that moved.
    pub(super) fn clear(&mut self) {
        self.expire(Duration::MAX);
    }

    /// Marks a move that was announced in the second `at` (since 1970) as written to the record.
    pub(super) fn saved(&mut self, id: Id, at: u64) {
        if let Some(moved) =
            self.members.get_mut(&id).and_then(|member| member.moved.as_mut()).filter(|moved| moved.at.as_secs() == at)
        {
            moved.is_saved = true;
        }
    }

    pub(super) fn when(&self, id: Id) -> Option<Moved> {
        self.members.get(&id)?.moved
    }

    /// Grows with everything that changes what is counted.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Every object that moved, by time.
    pub(super) fn log(&self) -> impl Iterator<Item = (Duration, Id)> {
        self.by_time.iter().copied()
    }

    /// Returns the number of objects that moved, or whose move was announced.
    pub(super) fn count_moved(&self) -> usize {
        self.by_time.len()
    }

    /// Returns the number of objects that moved, or whose move was permitted.
    pub(super) fn count_certain(&self) -> usize {
        self.members.values().filter(|member| member.moved.is_some_and(|moved| moved.is_certain)).count()
    }

    /// Returns the number of objects that moved or are to move.
    pub(super) fn count(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of objects that moved or are to move, by namespace.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.namespaces.iter().map(|(namespace, count)| (namespace, *count))
    }

    fn member(&mut self, id: Id, namespace: &Arc<str>) -> &mut Member {
        self.members.entry(id).or_insert_with(|| {
            *self.namespaces.entry(Arc::clone(namespace)).or_default() += 1;
            Member { namespace: Arc::clone(namespace), moved: None, is_wanted: false }
        })
    }

    fn drop_idle(&mut self, id: Id) {
        let is_idle = self.members.get(&id).is_some_and(|member| member.moved.is_none() && !member.is_wanted);
        if let Some(member) = is_idle.then(|| self.members.remove(&id)).flatten() {
            self.leave(&member.namespace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_counts_once_as_long_as_it_moved_or_is_to_move() {
        let (mut tally, shop): (Tally, Arc<str>) = (Tally::default(), "shop".into());
        let (a, b) = (Id::of(["a"]), Id::of(["b"]));
        let at = |seconds| Moved { at: Duration::from_secs(seconds), is_saved: false, is_certain: true, is_seen: true };
        tally.want(a, &shop, true);
        tally.moved(a, &shop, at(1));
        tally.moved(a, &shop, at(5));
        tally.moved(b, &shop, at(2));
        assert_eq!((tally.count(), tally.count_moved()), (2, 2));
        tally.want(a, &shop, false);
        tally.expire(Duration::from_secs(3));
        assert_eq!((tally.count(), tally.when(a), tally.when(b)), (1, Some(at(5)), None));
        tally.saved(a, 4);
        assert_eq!(tally.when(a), Some(at(5)), "another move than the one that was written down");
        tally.clear();
        assert_eq!((tally.count(), tally.counts().count()), (0, 0));
        tally.want(a, &shop, true);
        tally.moved(a, &shop, Moved { is_certain: false, ..at(9) });
        tally.want(a, &shop, false);
        assert_eq!((tally.count(), tally.count_moved()), (0, 0), "announced, and not wanted any more");
    }
}
