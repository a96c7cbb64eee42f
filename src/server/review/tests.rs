//! Whole reviews beside a sweep: what the API server would store, and what is said of it afterwards.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, REPLICA_SET_PREFERENCES as KEY};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::placement::Placement;
use plimsoll_contract::source::Declare;
use serde_json::{Value as Json, json};

use super::judge::{Judge, Review};
use super::verdict::Denial;
use super::wire::parse;
use crate::decision::Config;
use crate::decision::testing::row;
use crate::placements::{Filter, Sweeper, Trigger};
use crate::rego::Module;
use crate::server::auth::Authentication;
use crate::server::{Engine, Settings};
use crate::snapshot::{Store, StoreOptions};

/// Places what has a region on its clusters; no opinion where there is none.
const POLICY: &str = r#"
package kubernetes.placement

ok := {name: {} | some name, c in data.kubernetes.clusters; c.metadata.labels.region == input.metadata.labels.region}

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": ok} if count(ok) > 0
"#;

const TENANT: &str = "tenant";
const CONTROLLER: &str = "system:serviceaccount:kube-system:deployment-controller";

/// An API server that stores what both webhooks let through, with an engine that mirrors it.
struct Federation {
    engine: Engine,
    sweeper: Sweeper,
    session: String,
}

fn kinds() -> Vec<Kind> {
    vec![
        row("fleet.example.com/v1/clusters", "Cluster", |row| (row.fleet, row.namespaced) = (true, false)),
        row("apps/v1/replicasets", "ReplicaSet", |row| row.place = true),
        row("apps/v1/deployments", "Deployment", |row| row.place = true),
    ]
}

impl Federation {
    fn start() -> Self {
        let store = Arc::new(Store::new(StoreOptions::default()).unwrap());
        store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
        let session = store.declare("host", Declare { kinds: kinds(), ..Declare::default() }).unwrap().session;
        let config = Config::default();
        let sweeper = Sweeper::new(Arc::clone(&store.load().epoch), Arc::new(config.clone()));
        let table = Arc::clone(sweeper.table());
        let engine = Engine::start(store, table, config, Authentication::Off, Settings::default()).unwrap();
        let federation = Self { engine, sweeper, session };
        federation.mirror("fleet.example.com/v1/clusters", &[cluster("e1", "eu"), cluster("u1", "us")]);
        federation.mirror("apps/v1/deployments", &[deployment()]);
        federation.mirror("apps/v1/replicasets", &[]);
        federation
    }

    fn mirror(&self, gvr: &str, objects: &[Json]) {
        let header = json!({"session": self.session, "kind": gvr, "mode": "replace"});
        let body: String = std::iter::once(&header).chain(objects).map(|line| format!("{line}\n")).collect();
        self.engine.store.sync("host", body.as_bytes()).unwrap();
    }

    /// What would be stored, unless it is denied.
    fn write(&self, user: &str, object: &Json, old: Option<&Json>) -> Result<Json, Denial> {
        let patch: json_patch::Patch = serde_json::from_value(json!(self.verdict(Judge::Mutate, user, object, old)?)).unwrap();
        let mut stored = object.clone();
        json_patch::patch(&mut stored, &patch).unwrap();
        self.verdict(Judge::Validate, user, &stored, old).map(|_| stored)
    }

    fn verdict(&self, judge: Judge, user: &str, object: &Json, old: Option<&Json>) -> Result<Vec<Json>, Denial> {
        let review = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": "r", "kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"},
            "resource": {"group": "apps", "version": "v1", "resource": "replicasets"}, "namespace": "shop",
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" }, "userInfo": {"username": user},
            "object": object, "oldObject": old,
        }});
        let (version, request) = parse(review.to_string().as_bytes()).unwrap();
        let (engine, budget) = (&self.engine, Duration::from_secs(10));
        let verdict = Review { engine, snapshot: engine.store.load(), version, request, budget }.verdict(judge).unwrap();
        verdict.denied.map_or(Ok(verdict.patch), Err)
    }

    /// The row of the one ReplicaSet that is stored, after so many resyncs.
    fn swept(&mut self, stored: &Json, resyncs: usize) -> Option<Placement> {
        self.mirror("apps/v1/replicasets", std::slice::from_ref(stored));
        for _ in 0..resyncs {
            self.sweeper.pass(&self.engine.store.load(), Trigger::Resync, &|| false);
        }
        self.engine.table.list(&Filter::default()).items.into_iter().find(|row| row.name == "web")
    }
}

fn cluster(name: &str, region: &str) -> Json {
    json!({"apiVersion": "fleet.example.com/v1", "kind": "Cluster",
        "metadata": {"name": name, "labels": {"region": region}, "uid": name, "resourceVersion": "1"}})
}

fn deployment() -> Json {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "shop", "uid": "d", "resourceVersion": "1"}})
}

fn replica_set(region: &str, annotations: &Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 1}, "metadata": {
        "name": "web", "namespace": "shop", "uid": "w", "resourceVersion": "1",
        "labels": {"region": region}, "annotations": annotations}})
}

fn owned(mut object: Json) -> Json {
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "d", "controller": true}]);
    object
}

fn without_annotations(object: &Json) -> Json {
    let mut bare = object.clone();
    bare["metadata"].as_object_mut().unwrap().remove("annotations");
    bare
}

#[test]
fn a_finalizers_controller_that_drops_all_annotations_is_not_trapped() {
    let federation = Federation::start();
    let mut leaving = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    leaving["metadata"]["finalizers"] = json!(["example.com/f"]);
    let mut bare = without_annotations(&leaving);
    bare["metadata"]["finalizers"] = json!([]);
    let stored = federation.write(TENANT, &bare, Some(&leaving)).unwrap();
    assert_eq!(stored["metadata"]["annotations"], leaving["metadata"]["annotations"], "what was managed is back");
    assert_eq!(stored["metadata"]["finalizers"], json!([]));
}

#[test]
fn an_asserted_owner_opts_nobody_out_of_repair() {
    let wish = json!({KEY: r#"{"clusters":{"e1":{}}}"#});
    let cases = [
        ("as policy wants it", replica_set("eu", &wish)),
        ("policy has no opinion yet", replica_set("mars", &json!({}))),
        ("a record that nobody can read", replica_set("mars", &json!({APPLIED: "nonsense"}))),
    ];
    for (name, object) in cases {
        let mut federation = Federation::start();
        let created = federation.write(TENANT, &owned(object.clone()), None).unwrap();
        let changed = federation.write(TENANT, &owned(object.clone()), Some(&object)).unwrap();
        for stored in [created, changed] {
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("e1", "eu"), cluster("u1", "us")]);
            let settled = federation.swept(&stored, 1).map(|row| row.patch.len());
            assert_eq!(settled, Some(0), "{name}: nothing is left to write");
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("e2", "eu"), cluster("m1", "mars")]);
            let row = federation.swept(&stored, 1).unwrap();
            assert!(row.patch.contains_key(KEY), "{name}: policy decides otherwise now");
        }
    }
}

#[test]
fn a_controllers_child_is_left_alone_by_both_sides_and_by_the_sweep() {
    let mut federation = Federation::start();
    let child = owned(replica_set("eu", &json!({})));
    let stored = federation.write(CONTROLLER, &child, None).unwrap();
    assert_eq!(stored, child);
    assert_eq!(federation.swept(&stored, 3), None);
    let mut noted = stored.clone();
    noted["metadata"]["annotations"] = json!({"example.com/note": "1"});
    assert_eq!(federation.write(TENANT, &noted, Some(&stored)).unwrap(), noted, "a note on a child is no matter of policy");
}

#[test]
fn the_namespace_of_the_request_is_the_objects() {
    let federation = Federation::start();
    let mut object = replica_set("eu", &json!({}));
    object["metadata"]["namespace"] = json!("kube-system");
    let stored = federation.write(TENANT, &object, None).unwrap();
    assert!(stored["metadata"]["annotations"][KEY].is_string(), "an object does not exempt itself: {stored}");
}
