//! What the tests share: small objects, and random numbers that a failure message can name.

use std::sync::Arc;

use plimsoll_apiserver::storage::{Change, Event, Expect, HistoryLimits, Key, Options, Record, Store, Write, WriteError};
use serde_json::{Value as Json, json};

/// Numbers that depend on the seed alone (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }
}

pub(crate) fn memory() -> Store {
    Store::open(Options::default()).unwrap()
}

pub(crate) fn memory_with(history: HistoryLimits) -> Store {
    Store::open(Options { history, ..Options::default() }).unwrap()
}

pub(crate) fn key(collection: &str, namespace: &str, name: &str) -> Key {
    Key { collection: collection.into(), namespace: namespace.into(), name: name.into() }
}

pub(crate) fn pod(namespace: &str, name: &str) -> Key {
    key("core/pods", namespace, name)
}

pub(crate) fn object(key: &Key, value: impl Into<Json>) -> Json {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": &*key.name, "namespace": &*key.namespace}, "spec": {"value": value.into()}})
}

pub(crate) async fn create(store: &Store, key: &Key, value: impl Into<Json>) -> Result<Arc<Record>, WriteError> {
    store.write(Write { key: key.clone(), expect: Expect::Absent, change: Change::Put(object(key, value)) }).await
}

pub(crate) async fn update(store: &Store, key: &Key, at: u64, value: impl Into<Json>) -> Result<Arc<Record>, WriteError> {
    store.write(Write { key: key.clone(), expect: Expect::Revision(at), change: Change::Put(object(key, value)) }).await
}

pub(crate) async fn delete(store: &Store, key: &Key, at: u64) -> Result<Arc<Record>, WriteError> {
    store.write(Write { key: key.clone(), expect: Expect::Revision(at), change: Change::Delete }).await
}

pub(crate) fn json_of(record: &Record) -> Json {
    serde_json::from_slice(&record.value).unwrap()
}

pub(crate) fn value_of(record: &Record) -> Json {
    json_of(record)["spec"]["value"].clone()
}

/// An event as a line to compare: `ADDED a/x=1@2`.
pub(crate) fn line(event: &Event) -> String {
    let Record { key, revision, .. } = &*event.record;
    format!("{} {}/{}={}@{}", event.kind.as_str(), key.namespace, key.name, value_of(&event.record), revision)
}
