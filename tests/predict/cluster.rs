//! An API server by its kubeconfig, and a hook that records who is called.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use kube::Client;
use plimsoll::cli::kubeconfig::Kubeconfig;
use serde_json::{Value as Json, json};

use super::authority::Authority;
use super::cases::{Configuration, MARKERS, NAME, NAMESPACES, Resource};
use super::engine::{Engine, UID, ok};

const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";
const MARKER: &str = "/apis/coordination.k8s.io/v1/namespaces/predict-markers/leases";
const MARKER_NAME: &str = "predict-marker";
const PATIENCE: Duration = Duration::from_secs(60);

/// The server, and the two hooks.
pub(crate) struct Cluster {
    client: Client,
    authority: Authority,
    allows: Engine,
    patches: Engine,
}

impl Cluster {
    /// With namespaces and a kind of its own.
    pub(crate) async fn prepare(kubeconfig: &Path) -> Self {
        let args = Kubeconfig { kubeconfig: Some(kubeconfig.into()), context: None };
        let client = args.client().await.unwrap();
        let authority = Authority::new();
        let allows = Engine::secured([answer(json!({}))], authority.server("localhost", None));
        let patch = json!([{"op": "add", "path": "/metadata/labels", "value": {"app": "patched", "tier": "web"}}]);
        let patch = answer(json!({"patchType": "JSONPatch", "patch": STANDARD.encode(patch.to_string())}));
        let cluster = Self { client, patches: Engine::secured([patch], authority.server("localhost", None)), authority, allows };
        for (name, class) in NAMESPACES.into_iter().chain([(MARKERS, "")]) {
            let labels = if class.is_empty() { json!({}) } else { json!({"class": class}) };
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
            cluster.ask("POST", "/api/v1/namespaces", &namespace, "").await.unwrap();
        }
        cluster.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &widgets(), "").await.unwrap();
        let served = "/apis/example.com/v1beta1/namespaces/predict-a/widgets";
        cluster.until("widgets are served", async || cluster.ask("GET", served, &Json::Null, "").await.is_ok()).await;
        cluster
    }

    /// As the administrator, or as somebody else who may do everything.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &Json, user: &str) -> kube::Result<Json> {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        if !user.is_empty() {
            request = request.header("impersonate-user", user).header("impersonate-group", "system:masters");
        }
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.client.request(request.body(body).unwrap()).await
    }

    /// Registers configurations; they are in force when this returns.
    pub(crate) async fn register(&self, run: usize, configurations: &[Configuration]) {
        for (at, configuration) in configurations.iter().enumerate() {
            let name = name(run, at);
            let mut hooks: Vec<Json> = Vec::new();
            for (number, hook) in configuration.hooks.iter().enumerate() {
                let engine = if hook.patches { &self.patches } else { &self.allows };
                hooks.push(self.hook(hook.spec.clone(), &format!("h{number}"), engine, &format!("{name}/h{number}.example.com")));
            }
            hooks.push(self.hook(marker(), "marker", &self.allows, &format!("{name}/marker.example.com")));
            let body = json!({"metadata": {"name": name}, "webhooks": hooks});
            self.ask("POST", &collection(configuration), &body, "").await.unwrap();
        }
        for at in 0..configurations.len() {
            self.until("a configuration is in force", async || self.is_in_force(&name(run, at)).await).await;
        }
    }

    /// Takes them away; they are out of force when this returns.
    pub(crate) async fn unregister(&self, run: usize, configurations: &[Configuration]) {
        for (at, configuration) in configurations.iter().enumerate() {
            self.ask("DELETE", &format!("{}/{}", collection(configuration), name(run, at)), &Json::Null, "").await.unwrap();
        }
        for at in 0..configurations.len() {
            self.until("a configuration is out of force", async || !self.is_in_force(&name(run, at)).await).await;
        }
    }

    fn hook(&self, mut spec: Json, name: &str, engine: &Engine, path: &str) -> Json {
        spec["name"] = format!("{name}.example.com").into();
        spec["clientConfig"] =
            json!({"url": format!("{}/{path}", engine.origin()), "caBundle": STANDARD.encode(self.authority.pem())});
        spec
    }

    async fn is_in_force(&self, configuration: &str) -> bool {
        let mark = self.mark();
        let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": MARKER_NAME}});
        self.ask("POST", &format!("{MARKER}?dryRun=All"), &lease, "").await.unwrap();
        self.called(mark).contains(&format!("{configuration}/marker.example.com"))
    }

    /// How far the hooks have been called.
    pub(crate) fn mark(&self) -> [usize; 2] {
        [self.allows.came().len(), self.patches.came().len()]
    }

    /// Every call since, as `configuration/hook`, about objects of the test: a server writes Leases and others itself.
    pub(crate) fn called(&self, mark: [usize; 2]) -> BTreeSet<String> {
        let since = |(engine, mark): (&Engine, usize)| engine.came().into_iter().skip(mark);
        let came = [&self.allows, &self.patches].into_iter().zip(mark).flat_map(since);
        let own = came.filter(|came| {
            let review: Json = serde_json::from_str(&came.body).unwrap();
            [NAME, MARKER_NAME].iter().any(|name| review["request"]["name"] == **name)
        });
        own.map(|came| came.head.split([' ', '?']).nth(1).unwrap().trim_start_matches('/').to_owned()).collect()
    }

    async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds().await {
            assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Allows, with these members.
fn answer(members: Json) -> super::engine::Act {
    let mut response = json!({"uid": UID, "allowed": true});
    response.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    ok(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
}

/// Called for leases among the markers, and for nothing else.
fn marker() -> Json {
    json!({
        "rules": [{"operations": ["CREATE"], "apiGroups": ["coordination.k8s.io"], "apiVersions": ["v1"], "resources": ["leases"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": MARKERS}},
        "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
    })
}

fn name(run: usize, at: usize) -> String {
    format!("predict-{run}-{at}")
}

fn collection(configuration: &Configuration) -> String {
    let phase = if configuration.mutating { "mutating" } else { "validating" };
    format!("{REGISTRATION}/{phase}webhookconfigurations")
}

/// Where objects of a kind are.
pub(crate) fn objects(resource: Resource, namespace: &str) -> String {
    let root = if resource.api_version.contains('/') { "apis" } else { "api" };
    format!("/{root}/{}/namespaces/{namespace}/{}", resource.api_version, resource.plural)
}

/// A kind in two versions, with a default.
fn widgets() -> Json {
    let integer = json!({"type": "integer"});
    let spec = json!({"type": "object", "properties": {
        "size": integer, "replicas": integer, "mode": {"type": "string", "default": "fast"},
    }});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    })
}
