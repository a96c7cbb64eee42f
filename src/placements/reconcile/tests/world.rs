//! A store, a reconciler, and short names for what happens to them.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::{Gvr, Kind, Mode};
use plimsoll_contract::placement::{Placement, PlacementEvent};
use plimsoll_contract::source::{Declare, SyncHeader, SyncMode};
use serde_json::{Value as Json, json};

use crate::decision::{Config, Hold};
use crate::placements::{Filter, PassReport, Reconciler, Table, Trigger};
use crate::rego::Module;
use crate::snapshot::store::StoreOptions;
use crate::snapshot::{Freshness, Store};

/// Places an object on the clusters of its region.
pub(in crate::placements) const REGION: &str = r#"
package kubernetes.placement

placement := {"clusters": [name | some name, c in data.kubernetes.clusters; c.metadata.labels.region == input.metadata.labels.region]}
"#;

/// The same by annotation, with no opinion when there is no cluster.
pub(in crate::placements) const OPINION: &str = r#"
package kubernetes.placement

ok := {name: {} | some name, c in data.kubernetes.clusters; c.metadata.labels.region == input.metadata.labels.region}

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": ok} if count(ok) > 0
"#;

pub(in crate::placements) struct World {
    pub(in crate::placements) store: Arc<Store>,
    pub(in crate::placements) reconciler: Reconciler,
    session: String,
    since: u64,
}

pub(in crate::placements) fn gvr(text: &str) -> Gvr {
    Gvr::try_from(text.to_owned()).unwrap()
}

pub(in crate::placements) fn clusters() -> Kind {
    let gvr = gvr("cluster.karmada.io/v1alpha1/clusters");
    Kind { namespaced: false, fleet: true, ..Kind::new(gvr, "Cluster") }
}

pub(in crate::placements) fn replica_sets() -> Kind {
    Kind { place: true, mode: Mode::Auto, ..Kind::new(gvr("apps/v1/replicasets"), "ReplicaSet") }
}

pub(in crate::placements) fn deployments() -> Kind {
    Kind { place: true, mode: Mode::Auto, ..Kind::new(gvr("apps/v1/deployments"), "Deployment") }
}

pub(in crate::placements) fn config_maps() -> Kind {
    Kind { required: false, ..Kind::new(gvr("v1/configmaps"), "ConfigMap") }
}

pub(in crate::placements) fn config() -> Config {
    Config { hold: Hold::Anyone, ..Config::default() }
}

pub(in crate::placements) fn cluster(name: &str, region: &str) -> Json {
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": name, "labels": {"region": region}, "uid": format!("uid-{name}"), "resourceVersion": "1"},
    })
}

fn options() -> StoreOptions {
    StoreOptions { require_sources: vec!["host".into()], ..StoreOptions::default() }
}

/// A ReplicaSet in namespace `shop` at version 1.
pub(in crate::placements) fn replica_set(name: &str, region: &str) -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "name": name, "namespace": "shop", "labels": {"region": region}, "uid": format!("uid-{name}"), "resourceVersion": "1",
        },
        "spec": {"replicas": 3},
    })
}

/// The object with one field set.
pub(in crate::placements) fn with(mut object: Json, pointer: &str, value: Json) -> Json {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[name] = value;
    object
}

impl World {
    /// Declared and loaded: clusters `e1` and `e2` in `eu`, `u1` in `us`; no object.
    pub(in crate::placements) fn new(policy: &str) -> Self {
        Self::letting_go(Duration::ZERO, policy)
    }

    /// The same, where letting go waits.
    pub(in crate::placements) fn letting_go(letting_go_after: Duration, policy: &str) -> Self {
        let options = StoreOptions { letting_go_after, ..options() };
        let world = Self::with(options, policy, vec![clusters(), replica_sets(), deployments(), config_maps()]);
        for kind in [replica_sets(), deployments(), config_maps()] {
            world.replace(&kind, &[]);
        }
        world.replace(&clusters(), &[cluster("e1", "eu"), cluster("e2", "eu"), cluster("u1", "us")]);
        world
    }

    /// Declared, nothing loaded.
    pub(in crate::placements) fn declared(policy: &str, kinds: Vec<Kind>) -> Self {
        Self::believing(Freshness::default(), policy, kinds)
    }

    /// The same, with another measure of staleness.
    pub(in crate::placements) fn believing(freshness: Freshness, policy: &str, kinds: Vec<Kind>) -> Self {
        Self::with(StoreOptions { freshness, ..options() }, policy, kinds)
    }

    fn with(options: StoreOptions, policy: &str, kinds: Vec<Kind>) -> Self {
        let store = Store::new(options).unwrap();
        let store = Arc::new(store);
        let epoch = Arc::clone(&store.load().epoch);
        let reconciler = Reconciler::new(epoch, Arc::new(config()));
        let mut world = Self { store, reconciler, session: String::new(), since: 0 };
        world.since = world.table().list(&Filter::default()).since;
        world.policy(policy);
        world.declare(kinds);
        world
    }

    pub(in crate::placements) fn declare(&mut self, kinds: Vec<Kind>) {
        self.declare_exempting(kinds, &[]);
    }

    pub(in crate::placements) fn declare_exempting(&mut self, kinds: Vec<Kind>, namespaces: &[&str]) {
        let exempt_namespaces = namespaces.iter().map(|name| (*name).to_owned()).collect();
        let declare = Declare { instance: "test".into(), kinds, exempt_namespaces, ..Declare::default() };
        self.session = self.store.declare("host", declare).unwrap().session;
    }

    pub(in crate::placements) fn table(&self) -> &Table {
        self.reconciler.table()
    }

    pub(in crate::placements) fn policy(&self, text: &str) {
        let module = Module { key: "test.rego".into(), text: text.into() };
        let modules = if text.is_empty() { Vec::new() } else { vec![module] };
        self.store.put_policies("files", modules).unwrap();
    }

    pub(in crate::placements) fn replace(&self, kind: &Kind, objects: &[Json]) {
        self.sync(kind, SyncMode::Replace, objects);
    }

    pub(in crate::placements) fn put(&self, kind: &Kind, objects: &[Json]) {
        let lines: Vec<Json> = objects.iter().map(|object| json!({"put": object})).collect();
        self.sync(kind, SyncMode::Delta, &lines);
    }

    pub(in crate::placements) fn remove(&self, kind: &Kind, namespace: &str, name: &str) {
        self.sync(kind, SyncMode::Delta, &[json!({"remove": {"namespace": namespace, "name": name}})]);
    }

    fn sync(&self, kind: &Kind, mode: SyncMode, lines: &[Json]) {
        let header = SyncHeader {
            session: self.session.clone(),
            kind: kind.gvr.clone(),
            mode,
            resource_version: None,
            listed_millis_ago: None,
        };
        let mut body = serde_json::to_string(&header).unwrap();
        for line in lines {
            body.push('\n');
            body.push_str(&line.to_string());
        }
        self.store.sync("host", body.as_bytes()).unwrap();
    }

    /// The engine starts again with another configuration: what it remembered is gone.
    pub(in crate::placements) fn restart(&mut self, config: Config) {
        self.reconciler = Reconciler::new(Arc::clone(&self.store.load().epoch), Arc::new(config));
        self.since = self.table().list(&Filter::default()).since;
    }

    /// A whole pass after a publication.
    pub(in crate::placements) fn pass(&mut self) -> PassReport {
        self.reconciler.pass(&self.store.load(), Trigger::Published, &|| false)
    }

    pub(in crate::placements) fn resync(&mut self) -> PassReport {
        self.reconciler.pass(&self.store.load(), Trigger::Resync, &|| false)
    }

    /// The names in the events since the last call, removals with a minus sign.
    pub(in crate::placements) fn events(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let events = self.table().events_after(self.since).unwrap();
            if events.is_empty() {
                return names;
            }
            for event in events {
                let (seq, name) = match event {
                    PlacementEvent::Changed { seq, placement, .. } => (seq, placement.name),
                    PlacementEvent::Removed { seq, name, .. } => (seq, format!("-{name}")),
                    PlacementEvent::Bookmark { .. } => panic!("a bookmark is not stored"),
                };
                self.since = seq;
                names.push(name);
            }
        }
    }

    pub(in crate::placements) fn rows(&self) -> Vec<Placement> {
        self.table().list(&Filter::default()).items
    }

    pub(in crate::placements) fn row(&self, name: &str) -> Placement {
        self.rows().into_iter().find(|row| row.name == name).unwrap()
    }

    /// What the sidecar would do: writes the row's patch and lets the new version be replicated.
    pub(in crate::placements) fn repair(&self, kind: &Kind, object: &Json) -> Json {
        let row = self.row(object["metadata"]["name"].as_str().unwrap());
        let mut object = object.clone();
        let metadata = object["metadata"].as_object_mut().unwrap();
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({})).as_object_mut().unwrap();
        for (key, value) in &*row.patch {
            match value {
                Some(value) => annotations.insert(key.clone(), value.as_str().into()),
                None => annotations.remove(key),
            };
        }
        let version: u64 = row.resource_version.parse().unwrap();
        metadata.insert("resourceVersion".into(), (version + 1).to_string().into());
        self.put(kind, std::slice::from_ref(&object));
        object
    }
}
