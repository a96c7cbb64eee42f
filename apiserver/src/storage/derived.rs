//! Something made from a few collections, made again when they have changed and not before.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::Snapshot;

/// What was made last, and of which moment it is.
pub struct Derived<T> {
    collections: &'static [&'static str],
    last: ArcSwapOption<Made<T>>,
}

struct Made<T> {
    revision: u64,
    mark: Mark,
    value: Arc<T>,
}

/// How many objects there are and the revision of the latest one. Two moments with the same mark have the same ones: any
/// write raises the revision, and a deletion alone lowers the count.
type Mark = (usize, u64);

impl<T> Derived<T> {
    /// From these collections; nothing is made yet.
    pub fn new(collections: &'static [&'static str]) -> Self {
        Self { collections, last: ArcSwapOption::empty() }
    }

    /// What `make` makes of the collections as they are in `snapshot`.
    pub fn at(&self, snapshot: &Snapshot, make: impl FnOnce(&Snapshot) -> T) -> Arc<T> {
        let last = self.last.load();
        if let Some(made) = last.as_ref().filter(|made| made.revision == snapshot.revision()) {
            return Arc::clone(&made.value);
        }
        let mark = self.mark(snapshot);
        let value = match last.as_ref().filter(|made| made.mark == mark) {
            Some(made) => Arc::clone(&made.value),
            None => Arc::new(make(snapshot)),
        };
        // Of an older moment nobody else asks again.
        if last.as_ref().is_none_or(|made| made.revision < snapshot.revision()) {
            self.last.store(Some(Arc::new(Made { revision: snapshot.revision(), mark, value: Arc::clone(&value) })));
        }
        value
    }

    fn mark(&self, snapshot: &Snapshot) -> Mark {
        let records = self.collections.iter().flat_map(|collection| snapshot.list(collection, None, None));
        records.fold((0, 0), |(count, latest), record| (count + 1, latest.max(record.revision)))
    }
}

impl<T> std::fmt::Debug for Derived<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Derived").field("collections", &self.collections).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::storage::{Change, Expect, Key, Options, Store, Write};

    #[tokio::test]
    async fn a_value_follows_its_collections_and_nothing_else() {
        let store = Store::open(Options::default()).unwrap();
        let derived = Derived::new(&["a", "b"]);
        let names = |snapshot: &Snapshot| -> Vec<String> {
            ["a", "b"].iter().flat_map(|name| snapshot.list(name, None, None)).map(|found| found.key.name.to_string()).collect()
        };
        let write = async |collection: &str, name: &str, expect: Expect, change: Change| {
            let key = Key { collection: collection.into(), namespace: "".into(), name: name.into() };
            store.write(Write { key, expect, change }).await.unwrap().revision
        };
        let object = || Change::Put(json!({"metadata": {"name": "x"}}));
        let empty = store.snapshot();
        assert!(derived.at(&empty, names).is_empty());
        let first = write("a", "one", Expect::Absent, object()).await;
        let one = derived.at(&store.snapshot(), names);
        assert_eq!(*one, ["one"]);
        write("c", "other", Expect::Absent, object()).await;
        assert!(Arc::ptr_eq(&one, &derived.at(&store.snapshot(), names)));
        write("b", "two", Expect::Absent, object()).await;
        assert_eq!(*derived.at(&store.snapshot(), names), ["one", "two"]);
        assert!(derived.at(&empty, names).is_empty(), "the past stays as it was");
        write("a", "one", Expect::Revision(first), Change::Delete).await;
        assert_eq!(*derived.at(&store.snapshot(), names), ["two"]);
    }
}
