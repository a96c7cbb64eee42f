//! All objects at one revision, frozen. A snapshot is a pointer; what changed between two is all that they do not share.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;

use super::{Key, Record};

/// The objects at one revision; by default none.
#[derive(Clone, Default)]
pub struct Snapshot(Arc<State>);

/// What the writer changes and then freezes.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) revision: u64,
    collections: OrdMap<Arc<str>, Collection>,
    /// Those that are still being initialized, mostly none.
    uninitialized: OrdMap<Key, Arc<Record>>,
}

type Objects = OrdMap<Arc<str>, Arc<Record>>;

#[derive(Clone, Default)]
struct Collection {
    namespaces: OrdMap<Arc<str>, Objects>,
    count: usize,
}

// --- Snapshot ---

impl Snapshot {
    pub(crate) fn new(state: State) -> Self {
        Self(Arc::new(state))
    }

    /// A copy to change; costs nothing until it is changed.
    pub(crate) fn thaw(&self) -> State {
        State::clone(&self.0)
    }

    /// The revision of the last write it contains.
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// One object.
    pub fn get(&self, key: &Key) -> Option<&Arc<Record>> {
        self.0.get(key)
    }

    /// Objects of a collection in the order of namespace and name, of one namespace or of all, after a (namespace, name).
    pub fn list<'a>(
        &'a self,
        collection: &str,
        namespace: Option<&str>,
        start_after: Option<(&str, &'a str)>,
    ) -> impl Iterator<Item = &'a Arc<Record>> + use<'a> {
        self.0.list(collection, namespace, start_after)
    }

    /// How many objects `list` would give, without looking at them.
    pub fn count(&self, collection: &str, namespace: Option<&str>) -> usize {
        let Some(found) = self.0.collections.get(collection) else { return 0 };
        namespace.map_or(found.count, |namespace| found.namespaces.get(namespace).map_or(0, OrdMap::len))
    }

    /// How many objects there are in all.
    pub fn total(&self) -> usize {
        self.0.collections.values().map(|collection| collection.count).sum()
    }

    /// The objects that are still being initialized, in order.
    pub fn uninitialized(&self) -> impl ExactSizeIterator<Item = &Arc<Record>> {
        self.0.uninitialized.values()
    }

    /// Whether the same objects, in the same versions, are still being initialized in another one that came before or after it.
    pub fn has_same_uninitialized(&self, other: &Self) -> bool {
        self.0.uninitialized.ptr_eq(&other.0.uninitialized)
    }

    /// The collections that are not empty, with their counts.
    pub fn collections(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.0.collections.iter().map(|(name, collection)| (name, collection.count))
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Snapshot").field("revision", &self.revision()).field("objects", &self.total()).finish()
    }
}

// --- State ---

impl State {
    /// No objects, at a revision.
    pub(crate) fn empty(revision: u64) -> Self {
        Self { revision, ..Self::default() }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Arc<Record>> {
        self.collections.get(&*key.collection)?.namespaces.get(&*key.namespace)?.get(&*key.name)
    }

    /// The key with the strings that the state already holds, so that a thousand objects share their namespace's name.
    pub(crate) fn share(&self, key: Key) -> Key {
        let Some((collection, found)) = self.collections.get_key_value(&*key.collection) else { return key };
        let namespace = found.namespaces.get_key_value(&*key.namespace).map_or(key.namespace, |(known, _)| Arc::clone(known));
        Key { collection: Arc::clone(collection), namespace, name: key.name }
    }

    pub(crate) fn put(&mut self, record: Arc<Record>) -> Option<Arc<Record>> {
        if record.uninitialized {
            self.uninitialized.insert(record.key.clone(), Arc::clone(&record));
        } else if self.uninitialized.contains_key(&record.key) {
            self.uninitialized.remove(&record.key);
        }
        let Key { collection, namespace, name } = record.key.clone();
        let collection = self.collections.entry(collection).or_default();
        let previous = collection.namespaces.entry(namespace).or_default().insert(name, record);
        collection.count += usize::from(previous.is_none());
        previous
    }

    pub(crate) fn remove(&mut self, key: &Key) -> Option<Arc<Record>> {
        let collection = self.collections.get_mut(&*key.collection)?;
        let objects = collection.namespaces.get_mut(&*key.namespace)?;
        let removed = objects.remove(&*key.name)?;
        if removed.uninitialized {
            self.uninitialized.remove(key);
        }
        if objects.is_empty() {
            collection.namespaces.remove(&*key.namespace);
        }
        collection.count -= 1;
        if collection.count == 0 {
            self.collections.remove(&*key.collection);
        }
        Some(removed)
    }

    fn list<'a>(
        &'a self,
        collection: &str,
        namespace: Option<&str>,
        start_after: Option<(&str, &'a str)>,
    ) -> impl Iterator<Item = &'a Arc<Record>> + use<'a> {
        let bounds = namespace_bounds(namespace, start_after.map(|(first, _)| first));
        let namespaces =
            self.collections.get(collection).zip(bounds).map(|(found, bounds)| found.namespaces.range::<_, str>(bounds));
        // Only the namespace in which the last page ended starts in the middle.
        let first = start_after.and_then(|(first, name)| {
            let (known, _) = self.collections.get(collection)?.namespaces.get_key_value(first)?;
            Some((known, name))
        });
        namespaces.into_iter().flatten().flat_map(move |(namespace, objects)| {
            let after = match first {
                Some((first, name)) if first == namespace => Bound::Excluded(name),
                _ => Bound::Unbounded,
            };
            objects.range::<_, str>((after, Bound::Unbounded)).map(|(_, record)| record)
        })
    }
}

/// The namespaces to list; none if the list has already passed the one that is asked for.
fn namespace_bounds<'a>(namespace: Option<&'a str>, from: Option<&'a str>) -> Option<(Bound<&'a str>, Bound<&'a str>)> {
    match (namespace, from) {
        (Some(namespace), Some(from)) if from > namespace => None,
        (Some(namespace), _) => Some((Bound::Included(namespace), Bound::Included(namespace))),
        (None, Some(from)) => Some((Bound::Included(from), Bound::Unbounded)),
        (None, None) => Some((Bound::Unbounded, Bound::Unbounded)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn state(places: &[(&str, &str, &str)]) -> State {
        let mut state = State::default();
        for (collection, namespace, name) in places {
            let key = Key { collection: (*collection).into(), namespace: (*namespace).into(), name: (*name).into() };
            state.put(Arc::new(Record::new(state.share(key), 1, 1, Bytes::new())));
        }
        state
    }

    #[test]
    fn lists_in_order_by_namespace_and_from_where_the_last_page_ended() {
        let snapshot = Snapshot::new(state(&[
            ("apps/sets", "b", "x"),
            ("apps/sets", "a", "y"),
            ("apps/sets", "a", "x"),
            ("apps/sets", "c", "w"),
            ("apps/setsandmore", "a", "z"),
            ("core/namespaces", "", "a"),
        ]));
        type Case = (&'static str, Option<&'static str>, Option<(&'static str, &'static str)>, &'static [&'static str]);
        let cases: [Case; 12] = [
            ("apps/sets", None, None, &["a/x", "a/y", "b/x", "c/w"]),
            ("apps/sets", None, Some(("a", "x")), &["a/y", "b/x", "c/w"]),
            ("apps/sets", None, Some(("a", "y")), &["b/x", "c/w"]),
            ("apps/sets", None, Some(("aa", "zzz")), &["b/x", "c/w"]),
            ("apps/sets", None, Some(("c", "w")), &[]),
            ("apps/sets", Some("a"), None, &["a/x", "a/y"]),
            ("apps/sets", Some("a"), Some(("a", "x")), &["a/y"]),
            ("apps/sets", Some("a"), Some(("b", "x")), &[]),
            ("apps/sets", Some("b"), Some(("a", "y")), &["b/x"]),
            ("apps/sets", Some("none"), None, &[]),
            ("core/namespaces", Some(""), None, &["/a"]),
            ("apps/set", None, None, &[]),
        ];
        for (collection, namespace, after, expected) in cases {
            let found: Vec<String> =
                snapshot.list(collection, namespace, after).map(|r| format!("{}/{}", r.key.namespace, r.key.name)).collect();
            assert_eq!(found, expected, "{collection} {namespace:?} {after:?}");
        }
        assert_eq!(snapshot.count("apps/sets", None), 4);
        assert_eq!(snapshot.count("apps/sets", Some("a")), 2);
        assert_eq!(snapshot.count("apps/set", None), 0);
        assert_eq!(snapshot.total(), 6);
    }

    #[test]
    fn a_frozen_state_does_not_change_with_its_copy() {
        let before = Snapshot::new(state(&[("c", "a", "x"), ("c", "b", "y")]));
        let mut after = before.thaw();
        let key = Key { collection: "c".into(), namespace: "a".into(), name: "x".into() };
        assert!(after.remove(&key).is_some());
        assert!(after.remove(&key).is_none());
        let after = Snapshot::new(after);
        assert!(before.get(&key).is_some() && after.get(&key).is_none());
        assert_eq!((before.count("c", None), after.count("c", None)), (2, 1));
    }

    #[test]
    fn names_of_namespaces_are_held_once() {
        let state = state(&[("c", "a", "x"), ("c", "a", "y")]);
        let namespaces: Vec<_> = state.list("c", None, None).map(|record| &record.key.namespace).collect();
        assert!(Arc::ptr_eq(namespaces[0], namespaces[1]));
    }
}
