//! An API server with both webhooks, an engine that mirrors it, and its sidecar.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::annotations::REPLICA_SET_PREFERENCES as KEY;
use plimsoll_contract::kind::Kind;
use plimsoll_contract::placement::Placement;
use plimsoll_contract::source::{Declare, Leader};
use plimsoll_contract::still::{Scopes, Still};
use serde_json::{Value as Json, json};

use crate::budget::Budget;
use crate::decision::Config;
use crate::decision::testing::row;
use crate::placements::{Filter, Reconciler, Trigger};
use crate::rego::Module;
use crate::server::auth::Authentication;
use crate::server::review::judge::{Judge, Review, Undecided};
use crate::server::review::patch;
use crate::server::review::told::Turn;
use crate::server::review::verdict::{Denial, Verdict};
use crate::server::review::wire::parse;
use crate::server::{Engine, Settings};
use crate::snapshot::{Freshness, Store, StoreOptions};

/// Places what has a region on its clusters; no opinion where there is none.
pub(super) const POLICY: &str = r#"
package kubernetes.placement

ok := {name: {} | some name, c in data.kubernetes.clusters; c.metadata.labels.region == input.metadata.labels.region}

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": ok} if count(ok) > 0

errors contains "nobody may go there" if input.metadata.labels.region == "closed"
"#;

const FLEET: &str = "fleet.example.com/v1/clusters";
pub(super) const TENANT: &str = "tenant";
pub(super) const SIDECAR: &str = "system:serviceaccount:kube-federation-scheduling-policy:plimsoll";
pub(super) const CONTROLLER: &str = "system:serviceaccount:kube-system:deployment-controller";

/// An API server that stores what both webhooks let through, with an engine that mirrors it.
pub(super) struct Federation {
    pub(super) engine: Engine,
    reconciler: Reconciler,
    session: String,
}

fn kinds() -> Vec<Kind> {
    vec![
        row(FLEET, "Cluster", |row| (row.fleet, row.namespaced) = (true, false)),
        row("apps/v1/replicasets", "ReplicaSet", |row| row.place = true),
        row("apps/v1/deployments", "Deployment", |row| row.place = true),
    ]
}

impl Federation {
    pub(super) fn start() -> Self {
        Self::with(Config::default())
    }

    pub(super) fn with(config: Config) -> Self {
        Self::believing(Freshness::default(), config)
    }

    pub(super) fn believing(freshness: Freshness, config: Config) -> Self {
        Self::starting(StoreOptions { freshness, ..StoreOptions::default() }, config)
    }

    /// Where letting go waits.
    pub(super) fn letting_go(letting_go_after: Duration, config: Config) -> Self {
        Self::starting(StoreOptions { letting_go_after, ..StoreOptions::default() }, config)
    }

    fn starting(options: StoreOptions, config: Config) -> Self {
        let store = Arc::new(Store::new(options).unwrap());
        store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
        let declare = Declare { kinds: kinds(), cluster: Some("one".into()), instance: "here".into(), ..Declare::default() };
        let session = store.declare("host", declare).unwrap().session;
        let reconciler = Reconciler::new(Arc::clone(&store.load().epoch), Arc::new(config.clone()));
        let table = Arc::clone(reconciler.table());
        let budget = Arc::new(Budget::new(None));
        let mut engine = Engine::start((store, table), config, Authentication::Off, Settings::default(), budget).unwrap();
        engine.explaining = Turn::unhurried();
        let federation = Self { engine, reconciler, session };
        federation.mirror(FLEET, &[cluster("e1", "eu"), cluster("u1", "us")]);
        federation.mirror("apps/v1/deployments", &[deployment()]);
        federation.mirror("apps/v1/replicasets", &[]);
        federation
    }

    /// This is the policy from now on.
    pub(super) fn policy(&self, text: &str) {
        self.engine.store.put_policies("files", vec![Module { key: "p.rego".into(), text: text.into() }]).unwrap();
    }

    pub(super) fn mirror(&self, gvr: &str, objects: &[Json]) {
        let header = json!({"session": self.session, "kind": gvr, "mode": "replace"});
        let body: String = std::iter::once(&header).chain(objects).map(|line| format!("{line}\n")).collect();
        self.engine.store.sync("host", body.as_bytes()).unwrap();
    }

    /// The clusters as a list of this version has them.
    pub(super) fn fleet_at(&self, version: &str, clusters: &[Json]) {
        let header = json!({"session": self.session, "kind": FLEET, "mode": "replace", "resourceVersion": version});
        let body: String = std::iter::once(&header).chain(clusters).map(|line| format!("{line}\n")).collect();
        self.engine.store.sync("host", body.as_bytes()).unwrap();
    }

    /// Another sidecar of this engine takes the place of the one before.
    pub(super) fn declared_by(&mut self, instance: &str) {
        let declare = Declare { kinds: kinds(), cluster: Some("one".into()), instance: instance.into(), ..Declare::default() };
        self.session = self.engine.store.declare("host", declare).unwrap().session;
    }

    /// The Lease's holder places by other policies.
    pub(super) fn led_by(&self, holder: &str, policy: &str) {
        let leader =
            Leader { session: self.session.clone(), holder: holder.into(), policy: policy.into(), still: Still::default() };
        self.engine.store.report_leader("host", leader).unwrap();
    }

    /// The sidecar's brake is on, or not any more.
    pub(super) fn braked(&self, braked: bool) {
        self.still(Still { braked: Scopes { fleet: braked, ..Scopes::default() }, ..Still::default() });
    }

    /// The sidecar says what stands still.
    pub(super) fn still(&self, still: Still) {
        let leader = Leader { session: self.session.clone(), holder: "here".into(), policy: String::new(), still };
        self.engine.store.report_leader("host", leader).unwrap();
    }

    /// What would be stored, unless it is denied.
    pub(super) fn write(&self, user: &str, object: &Json, old: Option<&Json>) -> Result<Json, Denial> {
        let patch: json_patch::Patch = serde_json::from_value(json!(self.verdict(Judge::Mutate, user, object, old)?)).unwrap();
        let mut stored = object.clone();
        json_patch::patch(&mut stored, &patch).unwrap();
        self.verdict(Judge::Validate, user, &stored, old).map(|_| stored)
    }

    /// What the validating side says alone.
    pub(super) fn validate(&self, user: &str, object: &Json, old: Option<&Json>) -> Result<(), Denial> {
        self.verdict(Judge::Validate, user, object, old).map(drop)
    }

    fn verdict(&self, judge: Judge, user: &str, object: &Json, old: Option<&Json>) -> Result<Vec<Json>, Denial> {
        let verdict = self.judged(judge, &Self::review(user, object, old));
        verdict.denied.map_or(Ok(verdict.patch), Err)
    }

    /// The request that the API server sends.
    pub(super) fn review(user: &str, object: &Json, old: Option<&Json>) -> Json {
        json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": "r", "kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"},
            "resource": {"group": "apps", "version": "v1", "resource": "replicasets"}, "namespace": "shop",
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" }, "userInfo": {"username": user},
            "object": object, "oldObject": old,
        }})
    }

    /// A verdict, which is the same where it is to be brief, if there is one then.
    pub(super) fn judged(&self, judge: Judge, review: &Json) -> Verdict {
        let before = self.asked(judge, review, true);
        let verdict = self.asked(judge, review, false).unwrap();
        for brief in [before, self.asked(judge, review, true)] {
            assert!(brief == Err(Undecided::Long) || brief.as_ref() == Ok(&verdict), "{brief:?} {verdict:?} {review}");
        }
        verdict
    }

    pub(super) fn asked(&self, judge: Judge, review: &Json, is_brief: bool) -> Result<Verdict, Undecided> {
        let (version, request) = parse(review.to_string().as_bytes()).unwrap();
        let (engine, budget, is_patient) = (&self.engine, Duration::from_secs(60), false);
        let ((knowledge, snapshot), received) = (engine.store.informed(), engine.store.now());
        Review { engine, snapshot, knowledge, version, request, budget, received, is_patient, is_brief }.verdict(judge)
    }

    /// The rows of the ReplicaSets that are stored, after so many resyncs.
    pub(super) fn rows(&mut self, stored: &[Json], resyncs: usize) -> Vec<Placement> {
        self.mirror("apps/v1/replicasets", stored);
        for _ in 0..resyncs {
            let (knowledge, snapshot) = self.engine.store.informed();
            self.reconciler.know(knowledge);
            self.reconciler.pass(&snapshot, Trigger::Resync, &|| false);
        }
        self.engine.table.list(&Filter::default()).items.into_iter().filter(|row| row.kind == "ReplicaSet").collect()
    }

    /// The row of the one ReplicaSet that is stored.
    pub(super) fn swept(&mut self, stored: &Json, resyncs: usize) -> Option<Placement> {
        self.rows(std::slice::from_ref(stored), resyncs).pop()
    }

    /// The objects as the sidecar writes them through both webhooks, which leave their placement as it is.
    pub(super) fn repaired(&mut self, stored: &[Json]) -> Vec<Json> {
        let rows = self.rows(stored, 3);
        let repaired = |object: &Json| {
            let Some(row) = rows.iter().find(|row| row.name == object["metadata"]["name"]) else { return object.clone() };
            let operations = patch::operations(object, &row.patch);
            let (mut wanted, patch) = (object.clone(), serde_json::from_value::<json_patch::Patch>(json!(operations)).unwrap());
            json_patch::patch(&mut wanted, &patch).unwrap();
            let written = self.write(SIDECAR, &wanted, Some(object)).unwrap();
            let placement = |object: &Json| object["metadata"]["annotations"][KEY].clone();
            assert_eq!(placement(&written), placement(&wanted), "{}: {:?}", row.name, row.patch);
            written
        };
        stored.iter().map(repaired).collect()
    }
}

pub(super) fn cluster(name: &str, region: &str) -> Json {
    json!({"apiVersion": "fleet.example.com/v1", "kind": "Cluster",
        "metadata": {"name": name, "labels": {"region": region}, "uid": name, "resourceVersion": "1"}})
}

fn deployment() -> Json {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "shop", "uid": "d", "resourceVersion": "1"}})
}

pub(super) fn replica_set(region: &str, annotations: &Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 1}, "metadata": {
        "name": "web", "namespace": "shop", "uid": "w", "resourceVersion": "1",
        "labels": {"region": region}, "annotations": annotations}})
}

pub(super) fn owned(mut object: Json) -> Json {
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "d", "controller": true}]);
    object
}

pub(super) fn without_annotations(object: &Json) -> Json {
    let mut bare = object.clone();
    bare["metadata"].as_object_mut().unwrap().remove("annotations");
    bare
}
