//! An engine without a network, and one object.

use std::collections::BTreeMap;

use plimsoll::decision::{Config, Decision, Last, Subject, Way, Writer, decide};
use plimsoll::rego::Module;
use plimsoll::snapshot::{Store, StoreOptions};
use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::source::{Declare, SyncHeader, SyncMode};
use serde_json::{Value as Json, json};

use super::scenario::Scenario;

pub(crate) struct World {
    store: Store,
    config: Config,
    session: Option<String>,
    /// As it lives on the API server.
    object: Json,
    /// What the developer wrote.
    mine: BTreeMap<String, String>,
    last: Option<Last>,
}

impl World {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let require_sources = scenario.config.require_source.iter().cloned().collect();
        let store = Store::new(StoreOptions { require_sources, ..StoreOptions::default() }).unwrap();
        let mut object = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7", "generation": 3,
                "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"manager": "kubectl"}]},
            "spec": {"replicas": 3}, "status": {"replicas": 3}});
        json_patch::merge(&mut object, &Json::Object(scenario.object.clone()));
        let mut world = Self { store, config: scenario.config(), session: None, object, mine: BTreeMap::new(), last: None };
        world.mine = world.annotations();
        if !scenario.kind.undeclared {
            world.declare(scenario);
        }
        world
    }

    fn declare(&mut self, scenario: &Scenario) {
        let clusters = Kind { fleet: true, namespaced: false, ..row("cluster.karmada.io/v1alpha1/clusters", "Cluster") };
        let placed = ["apps/v1/replicasets ReplicaSet", "apps/v1/deployments Deployment", "example.com/v1/gadgets Gadget"];
        let placed = placed.map(|text| text.split_once(' ').unwrap()).map(|(gvr, kind)| scenario.configure(row(gvr, kind)));
        let kinds = placed.into_iter().map(|kind| Kind { required: false, ..kind }).chain([clusters]).collect();
        self.session = Some(self.store.declare("host", Declare { kinds, ..Declare::default() }).unwrap().session);
        self.clusters(&BTreeMap::new());
    }

    pub(crate) fn policies(&self, modules: &BTreeMap<String, String>) {
        let modules = modules.iter().map(|(key, text)| Module { key: key.clone(), text: text.clone() }).collect();
        self.store.put_policies("files", modules).unwrap();
    }

    pub(crate) fn clusters(&self, clusters: &BTreeMap<String, BTreeMap<String, String>>) {
        let objects: Vec<(&String, Json)> = clusters
            .iter()
            .map(|(name, annotations)| (name, json!({"metadata": {"name": name, "annotations": annotations}})))
            .collect();
        let Some(session) = self.session.clone() else {
            let objects: serde_json::Map<String, Json> =
                objects.into_iter().map(|(name, object)| (name.clone(), object)).collect();
            return self.store.put_data(&["kubernetes".into(), "clusters".into()], Json::from(objects)).unwrap();
        };
        let kind = row("cluster.karmada.io/v1alpha1/clusters", "Cluster").gvr;
        let header = SyncHeader { session, kind, mode: SyncMode::Replace, resource_version: None, listed_millis_ago: None };
        let lines = [serde_json::to_string(&header).unwrap()].into_iter().chain(objects.iter().map(|(_, o)| o.to_string()));
        self.store.sync("host", lines.collect::<Vec<_>>().join("\n").as_bytes()).unwrap();
    }

    /// A change that changes nothing on the object as it lives, such as taking away what policy has taken away already,
    /// cannot be seen by anybody.
    pub(crate) fn annotate(&mut self, changes: &BTreeMap<String, Option<String>>) {
        let before = annotations(&self.object);
        let patch = json!({"metadata": {"annotations": changes}});
        json_patch::merge(&mut self.object, &patch);
        for (key, value) in changes.iter().filter(|(key, value)| before.get(*key) != value.as_ref()) {
            match value {
                Some(value) => self.mine.insert(key.clone(), value.clone()),
                None => self.mine.remove(key),
            };
        }
    }

    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// As a sweep decides; like the table, it remembers decisions only.
    pub(crate) fn decide(&mut self) -> Decision {
        let (way, writer) = (Way::Stored, Writer::Unknown);
        let subject = Subject { object: &self.object, kind: None, way, writer, last: self.last.as_ref() };
        let decision = decide(&self.store.load(), subject, &self.config);
        if matches!(decision.outcome, Outcome::Place | Outcome::Nowhere | Outcome::NoOpinion) {
            self.last = Some(decision.last.clone());
        }
        decision
    }

    pub(crate) fn write(&mut self, decision: &Decision) {
        let patch = json!({"metadata": {"annotations": decision.patch}});
        json_patch::merge(&mut self.object, &patch);
    }

    /// All annotations but our record.
    pub(crate) fn annotations(&self) -> BTreeMap<String, String> {
        annotations(&self.object).into_iter().filter(|(key, _)| key != APPLIED).collect()
    }

    /// What the developer wrote.
    pub(crate) fn mine(&self) -> &BTreeMap<String, String> {
        &self.mine
    }

    /// The object as the developer would create it now comes out as the one that lives.
    pub(crate) fn check_create(&self, lived: &Decision, place: &str) {
        let mut object = self.object.clone();
        let metadata = object["metadata"].as_object_mut().unwrap();
        for field in ["uid", "resourceVersion", "generation", "managedFields"] {
            metadata.remove(field);
        }
        metadata.insert("creationTimestamp".into(), Json::Null);
        metadata.insert("annotations".into(), json!(self.mine));
        let subject = Subject { object: &object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
        let created = decide(&self.store.load(), subject, &self.config);
        assert_eq!(created.outcome, lived.outcome, "{place}: outcome on CREATE");
        if !matches!(created.outcome, Outcome::Place | Outcome::Nowhere) {
            return;
        }
        json_patch::merge(&mut object, &json!({"metadata": {"annotations": created.patch}}));
        assert_eq!(final_form(&object), final_form(&self.object), "{place}: annotations on CREATE");
    }
}

/// The digest of the policy set stays the first one's as long as nothing else changes.
fn final_form(object: &Json) -> (BTreeMap<String, String>, Option<Applied>) {
    let mut annotations = annotations(object);
    let record = annotations.remove(APPLIED).and_then(|text| Applied::parse(&text).ok());
    (annotations, record.map(|record| Applied { policy: String::new(), ..record }))
}

fn annotations(object: &Json) -> BTreeMap<String, String> {
    let annotations = object.pointer("/metadata/annotations").cloned().unwrap_or_default();
    serde_json::from_value::<Option<BTreeMap<String, String>>>(annotations).unwrap().unwrap_or_default()
}

fn row(gvr: &str, kind: &str) -> Kind {
    Kind::new(Gvr::try_from(gvr.to_owned()).unwrap(), kind)
}
