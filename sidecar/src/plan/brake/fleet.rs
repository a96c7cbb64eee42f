//! Which objects there are, and where each stands: shares are of these, and what changes of them without a patch of ours counts, too.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::placement::Placement;

use super::super::row::Key;
use super::id::Id;

/// Every object that repair may move.
#[derive(Clone, Debug, Default)]
pub(super) struct Fleet {
    objects: HashMap<Id, Known>,
    namespaces: HashMap<Arc<str>, usize>,
}

#[derive(Clone, Debug)]
struct Known {
    uid: Id,
    namespace: Arc<str>,
    /// Nothing: it was never placed.
    stands: Option<Id>,
}

/// An object stands elsewhere than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) object: Id,
    pub(super) namespace: Arc<str>,
    /// It stood nowhere before.
    pub(super) is_first: bool,
}

/// The object's name in few bytes; one of the same name that takes its place has the same.
pub(super) fn object(key: &Key) -> Id {
    Id::of([key.gvr.to_string().as_str(), &key.namespace, &key.name])
}

impl Fleet {
    /// A row is new or changed; returns whether its object has moved since the row before.
    pub(super) fn observe(&mut self, id: Id, row: &Placement) -> Option<Moved> {
        if row.mode != Mode::Auto {
            self.forget(id);
            return None;
        }
        let (uid, stands) = (Id::of([row.uid.as_str()]), Some(row.stands.as_str()).filter(|stands| !stands.is_empty()));
        let stands = stands.map(|stands| Id::of([stands]));
        if let Some(known) = self.objects.get_mut(&id) {
            let is_same = std::mem::replace(&mut known.uid, uid) == uid;
            let before = std::mem::replace(&mut known.stands, stands);
            let moved = Moved { object: id, namespace: Arc::clone(&known.namespace), is_first: before.is_none() };
            return (is_same && before != stands).then_some(moved);
        }
        let namespace = self.namespace(&row.namespace);
        *self.namespaces.entry(Arc::clone(&namespace)).or_default() += 1;
        self.objects.insert(id, Known { uid, namespace, stands });
        None
    }

    /// The object is gone.
    pub(super) fn forget(&mut self, id: Id) {
        let Some(known) = self.objects.remove(&id) else { return };
        if let Some(count) = self.namespaces.get_mut(&known.namespace) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.namespaces.remove(&known.namespace);
            }
        }
    }

    /// Only these are there.
    pub(super) fn keep(&mut self, present: &HashSet<Id>) {
        let gone: Vec<Id> = self.objects.keys().filter(|id| !present.contains(id)).copied().collect();
        gone.into_iter().for_each(|id| self.forget(id));
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.objects.len()
    }

    /// How many there are in a namespace.
    pub(super) fn count_in(&self, namespace: &str) -> usize {
        self.namespaces.get(namespace).copied().unwrap_or_default()
    }

    /// In which namespace an object is.
    pub(super) fn namespace_of(&self, id: Id) -> Option<Arc<str>> {
        self.objects.get(&id).map(|known| Arc::clone(&known.namespace))
    }

    /// The name, kept once.
    pub(super) fn namespace(&self, name: &str) -> Arc<str> {
        self.namespaces.get_key_value(name).map_or_else(|| name.into(), |(known, _)| Arc::clone(known))
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::outcome::Outcome;

    use super::*;
    use crate::plan::row::tests::row;

    #[test]
    fn an_object_that_stands_elsewhere_has_moved_and_another_of_its_name_has_not() {
        let mut fleet = Fleet::default();
        let at = |stands: &str, uid: &str| Placement {
            stands: stands.into(),
            uid: uid.into(),
            ..row(Outcome::Place, Mode::Auto, false)
        };
        let id = object(&Key::of(&at("", "u")));
        let mut moves = |row: Placement| fleet.observe(id, &row).map(|moved| moved.is_first);
        assert_eq!(moves(at("", "u")), None);
        assert_eq!(moves(at("a", "u")), Some(true));
        assert_eq!(moves(at("a", "u")), None);
        assert_eq!(moves(at("b", "u")), Some(false));
        assert_eq!(moves(at("c", "v")), None, "made anew");
        assert_eq!((fleet.count(), fleet.count_in("shop"), fleet.count_in("other")), (1, 1, 0));
        fleet.observe(id, &Placement { mode: Mode::Suggest, ..at("d", "v") });
        assert_eq!((fleet.count(), fleet.count_in("shop")), (0, 0));
    }
}
