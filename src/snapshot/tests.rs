//! The store from outside: what is accepted, what is refused, and what each leaves behind.

mod bundles;
mod documents;
mod emptied;
mod explained;
mod freshness;
mod leaving;
mod policies;
mod readiness;
mod sources;
mod syncs;

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::policy::Diagnostic;
use plimsoll_contract::source::{Declare, Synced};
use serde_json::{Value as Json, json};

use super::*;
use crate::rego::Module;

/// A store with a source `host`.
struct World {
    store: Store,
    session: String,
}

fn path(text: &str) -> Vec<String> {
    text.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn kind(gvr: &str) -> Kind {
    let gvr = Gvr::try_from(gvr.to_owned()).unwrap();
    Kind::new(gvr, "Some")
}

fn clusters() -> Kind {
    Kind { namespaced: false, fleet: true, ..kind("cluster.karmada.io/v1alpha1/clusters") }
}

fn pods() -> Kind {
    kind("v1/pods")
}

fn object(namespace: &str, name: &str, version: u32, label: &str) -> Json {
    let mut metadata = json!({"name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string(), "labels": {"l": label}, "managedFields": [version]});
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    json!({"metadata": metadata})
}

fn put(namespace: &str, name: &str, version: u32, label: &str) -> Json {
    json!({"put": object(namespace, name, version, label)})
}

fn remove(namespace: &str, name: &str) -> Json {
    json!({"remove": {"namespace": namespace, "name": name}})
}

fn modules(texts: &[(&str, &str)]) -> Vec<Module> {
    texts.iter().map(|(key, text)| Module { key: (*key).into(), text: (*text).into() }).collect()
}

impl World {
    fn new(kinds: Vec<Kind>) -> Self {
        let store = Store::new(StoreOptions::default()).unwrap();
        let mut world = Self { store, session: String::new() };
        world.declare(kinds).unwrap();
        world
    }

    fn declare(&mut self, kinds: Vec<Kind>) -> Result<(), SyncError> {
        let declare = Declare { instance: "test".into(), kinds, ..Declare::default() };
        self.session = self.store.declare("host", declare)?.session;
        Ok(())
    }

    fn body(&self, kind: &Kind, mode: &str, lines: &[Json]) -> Vec<u8> {
        let header = json!({"session": self.session, "kind": kind.gvr.to_string(), "mode": mode});
        let lines = std::iter::once(&header).chain(lines);
        lines.flat_map(|line| (line.to_string() + "\n").into_bytes()).collect()
    }

    fn sync(&self, kind: &Kind, mode: &str, lines: &[Json]) -> Result<Synced, SyncError> {
        self.store.sync("host", &self.body(kind, mode, lines))
    }

    fn replace(&self, kind: &Kind, objects: &[Json]) -> u64 {
        self.sync(kind, "replace", objects).unwrap().revision
    }

    fn delta(&self, kind: &Kind, changes: &[Json]) -> u64 {
        self.sync(kind, "delta", changes).unwrap().revision
    }

    fn policies(&self, name: &str, texts: &[(&str, &str)]) -> Result<u64, Vec<Diagnostic>> {
        self.store.put_policies(name, modules(texts)).map(|accepted| accepted.revision)
    }

    fn data(&self, at: &str) -> Option<Json> {
        self.store.load().state.tree.json(&path(at)).map(|json| serde_json::from_slice(&json).unwrap())
    }

    fn names(&self, kind: &Kind) -> Vec<String> {
        let snapshot = self.store.load();
        snapshot.state.objects(kind).map(|(n, leaf)| format!("{}/{}@{}", n.namespace, n.name, leaf.resource_version)).collect()
    }

    fn revision(&self) -> u64 {
        self.store.load().revision
    }
}
