//! Distinct objects that came to each cluster or left it within the window, or are about to: only where a cluster has a limit of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::id::{self, Id};

/// More than so many are never written down: one for each object and each cluster that it touches.
pub(super) const MOST_TOUCHES: usize = 20_000;

/// Counts, for each cluster, the objects that come to it or leave it within the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    objects: HashMap<Id, Touched>,
    counts: BTreeMap<Arc<str>, usize>,
    touches: usize,
}

/// The clusters that one object came to or left, or is to.
#[derive(Clone, Debug, Default)]
struct Touched {
    moved: BTreeSet<Arc<str>>,
    wanted: BTreeSet<Arc<str>>,
}

impl Clusters {
    /// An object moved, or may from now on.
    pub(super) fn moved(&mut self, id: Id, touched: impl IntoIterator<Item = Arc<str>>) {
        self.change(id, |object| object.moved.extend(touched));
    }

    /// Forgets the moves of an object that were made; moves that are still wanted stay counted.
    pub(super) fn forget(&mut self, id: Id) {
        self.change(id, |object| object.moved.clear());
    }

    /// An object is to move so; nothing: not any more, or it does not count.
    pub(super) fn want(&mut self, id: Id, touched: impl IntoIterator<Item = Arc<str>>) {
        self.change(id, |object| object.wanted = touched.into_iter().collect());
    }

    fn change(&mut self, id: Id, change: impl FnOnce(&mut Touched)) {
        let object = self.objects.entry(id).or_default();
        let before: BTreeSet<Arc<str>> = object.moved.union(&object.wanted).cloned().collect();
        change(object);
        let after: BTreeSet<Arc<str>> = object.moved.union(&object.wanted).cloned().collect();
        if after.is_empty() {
            self.objects.remove(&id);
        }
        self.touches = (self.touches + after.len()).saturating_sub(before.len());
        for cluster in after.difference(&before) {
            *self.counts.entry(Arc::clone(cluster)).or_default() += 1;
        }
        for cluster in before.difference(&after) {
            match self.counts.get_mut(cluster) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.counts.remove_entry(cluster)),
            }
        }
    }

    /// Returns how many objects touch each cluster, those among them that are to move.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.counts.iter().map(|(cluster, count)| (cluster, *count))
    }

    /// Whether more is known than is ever written down.
    pub(super) fn are_too_many(&self) -> bool {
        self.touches > MOST_TOUCHES
    }

    /// Writes down what moved: cluster to ids.
    pub(super) fn write(&self) -> BTreeMap<String, String> {
        let mut clusters: BTreeMap<String, Vec<Id>> = BTreeMap::new();
        let moved = self.objects.iter().flat_map(|(id, object)| object.moved.iter().map(move |cluster| (cluster, *id)));
        for (cluster, id) in moved.take(MOST_TOUCHES + 1) {
            clusters.entry(cluster.to_string()).or_default().push(id);
        }
        let sorted = |mut ids: Vec<Id>| {
            ids.sort_unstable();
            id::write(ids)
        };
        clusters.into_iter().map(|(cluster, ids)| (cluster, sorted(ids))).collect()
    }

    /// Reads what another leader wrote down, of objects that are known to have moved.
    pub(super) fn read(&mut self, clusters: &BTreeMap<String, String>, has_moved: impl Fn(Id) -> bool) {
        for (cluster, ids) in clusters {
            let cluster: Arc<str> = cluster.as_str().into();
            for id in id::read(ids).unwrap_or_default().into_iter().filter(|id| has_moved(*id)) {
                self.moved(id, [Arc::clone(&cluster)]);
            }
        }
    }

    /// Forgets what moved, and not what is to.
    pub(super) fn clear(&mut self) {
        let ids: Vec<Id> = self.objects.keys().copied().collect();
        ids.into_iter().for_each(|id| self.forget(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_counts_once_on_each_cluster_that_it_touches() {
        let (a, b, c) = (Id::of(["a"]), Id::of(["b"]), Id::of(["c"]));
        let mut clusters = Clusters::default();
        clusters.moved(a, ["x".into(), "y".into()]);
        clusters.moved(a, ["y".into(), "z".into()]);
        clusters.moved(b, ["y".into()]);
        let mut other = Clusters::default();
        other.read(&clusters.write(), |_| true);
        other.want(a, ["x".into()]);
        other.want(c, ["y".into(), "new".into()]);
        let counts =
            |clusters: &Clusters| -> Vec<String> { clusters.counts().map(|(name, count)| format!("{name}: {count}")).collect() };
        assert_eq!(counts(&other), ["new: 1", "x: 1", "y: 3", "z: 1"]);
        other.forget(a);
        assert_eq!(counts(&other), ["new: 1", "x: 1", "y: 2"], "it is still to go to x");
        other.want(c, []);
        other.clear();
        assert_eq!((counts(&other), other.write().len(), other.touches), (vec!["x: 1".to_owned()], 0, 1));
    }
}
