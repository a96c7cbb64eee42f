//! Which objects there are, and where each stands: shares are of these, and what changes of them without a patch of ours counts, too.

use std::collections::{BTreeSet, HashMap, HashSet};
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
    /// Where clusters have a limit.
    clusters: Option<HashMap<Arc<str>, usize>>,
    generation: u64,
}

#[derive(Clone, Debug)]
struct Known {
    uid: Id,
    namespace: Arc<str>,
    /// The clusters that it stands on.
    on: BTreeSet<Arc<str>>,
    /// Nothing: it was never placed.
    stands: Option<Id>,
}

/// An object stands elsewhere than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) object: Id,
    pub(super) namespace: Arc<str>,
    /// Clusters that it came to, or left.
    pub(super) touched: BTreeSet<Arc<str>>,
    /// It stood nowhere before.
    pub(super) is_first: bool,
}

/// The object's name in few bytes; one of the same name that takes its place has the same.
pub(super) fn object(key: &Key) -> Id {
    Id::of([key.gvr.to_string().as_str(), &key.namespace, &key.name])
}

impl Fleet {
    /// No object yet; on which clusters they stand is kept if these have a limit.
    pub(super) fn new(has_clusters: bool) -> Self {
        Self { clusters: has_clusters.then(HashMap::new), ..Self::default() }
    }

    /// A row is new or changed; returns whether its object has moved since the row before.
    pub(super) fn observe(&mut self, id: Id, row: &Placement) -> Option<Moved> {
        if row.mode != Mode::Auto {
            self.forget(id);
            return None;
        }
        let (uid, stands) = (Id::of([row.uid.as_str()]), Some(row.stands.as_str()).filter(|stands| !stands.is_empty()));
        let stands = stands.map(|stands| Id::of([stands]));
        let on = self.on(row, stands.is_some());
        if let Some(known) = self.objects.get_mut(&id) {
            let is_same = std::mem::replace(&mut known.uid, uid) == uid;
            let before = std::mem::replace(&mut known.stands, stands);
            let was_on = std::mem::replace(&mut known.on, on);
            let touched: BTreeSet<Arc<str>> = known.on.symmetric_difference(&was_on).cloned().collect();
            self.generation += u64::from(!touched.is_empty());
            for cluster in &touched {
                self.clusters.iter_mut().for_each(|counts| count(counts, cluster, known.on.contains(cluster)));
            }
            let moved = Moved { object: id, namespace: Arc::clone(&known.namespace), touched, is_first: before.is_none() };
            return (is_same && before != stands).then_some(moved);
        }
        let namespace = self.namespace(&row.namespace);
        self.generation += 1;
        count(&mut self.namespaces, &namespace, true);
        self.clusters.iter_mut().for_each(|counts| on.iter().for_each(|cluster| count(counts, cluster, true)));
        self.objects.insert(id, Known { uid, namespace, on, stands });
        None
    }

    /// The clusters that an object stands on: where it would move from, or where it is wanted.
    fn on(&self, row: &Placement, is_placed: bool) -> BTreeSet<Arc<str>> {
        let names = match &row.moves {
            Some(moves) => moves.from.as_slice(),
            None if is_placed => row.clusters.as_slice(),
            None => &[],
        };
        let names = if self.clusters.is_some() { names } else { &[] };
        names.iter().map(|name| self.cluster(name)).collect()
    }

    /// The object is gone.
    pub(super) fn forget(&mut self, id: Id) {
        let Some(known) = self.objects.remove(&id) else { return };
        self.generation += 1;
        count(&mut self.namespaces, &known.namespace, false);
        self.clusters.iter_mut().for_each(|counts| known.on.iter().for_each(|cluster| count(counts, cluster, false)));
    }

    /// Only these are there.
    pub(super) fn keep(&mut self, present: &HashSet<Id>) {
        let gone: Vec<Id> = self.objects.keys().filter(|id| !present.contains(id)).copied().collect();
        gone.into_iter().for_each(|id| self.forget(id));
    }

    /// Grows with everything that changes how many there are.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of placed objects.
    pub(super) fn count(&self) -> usize {
        self.objects.len()
    }

    /// Returns the number of placed objects in a namespace.
    pub(super) fn count_in(&self, namespace: &str) -> usize {
        self.namespaces.get(namespace).copied().unwrap_or_default()
    }

    /// Returns the number of objects that are placed on a cluster.
    pub(super) fn count_on(&self, cluster: &str) -> usize {
        self.clusters.iter().find_map(|counts| counts.get(cluster).copied()).unwrap_or_default()
    }

    /// The name of a cluster, kept once.
    pub(super) fn cluster(&self, name: &str) -> Arc<str> {
        let known = self.clusters.iter().find_map(|counts| counts.get_key_value(name));
        known.map_or_else(|| name.into(), |(known, _)| Arc::clone(known))
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

/// One more of a name, or one fewer.
fn count(counts: &mut HashMap<Arc<str>, usize>, name: &Arc<str>, is_more: bool) {
    let count = counts.entry(Arc::clone(name)).or_default();
    *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
    if *count == 0 {
        counts.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::outcome::Outcome;

    use super::*;
    use crate::plan::row::tests::row;

    #[test]
    fn an_object_that_stands_elsewhere_has_moved_and_another_of_its_name_has_not() {
        let mut fleet = Fleet::new(true);
        let at = |stands: &str, uid: &str| Placement {
            stands: stands.into(),
            uid: uid.into(),
            clusters: Arc::new(vec!["all".to_owned(), stands.to_owned()]),
            ..row(Outcome::Place, Mode::Auto, false)
        };
        let id = object(&Key::of(&at("", "u")));
        let mut moves = |row: Placement| {
            fleet
                .observe(id, &row)
                .map(|moved| (moved.is_first, moved.touched.iter().map(|name| &**name).collect::<Vec<_>>().join(",")))
        };
        let to = |is_first: bool, touched: &str| Some((is_first, touched.to_owned()));
        assert_eq!(moves(at("", "u")), None);
        assert_eq!(moves(at("a", "u")), to(true, "a,all"));
        assert_eq!(moves(at("a", "u")), None);
        assert_eq!(moves(at("b", "u")), to(false, "a,b"));
        assert_eq!(moves(at("c", "v")), None, "made anew");
        assert_eq!((fleet.count(), fleet.count_in("shop"), fleet.count_in("other")), (1, 1, 0));
        assert_eq!((fleet.count_on("c"), fleet.count_on("a"), fleet.count_on("all")), (1, 0, 1));
        fleet.observe(id, &Placement { mode: Mode::Suggest, ..at("d", "v") });
        assert_eq!((fleet.count(), fleet.count_in("shop"), fleet.count_on("all")), (0, 0, 0));
    }
}
