//! A whole server, and webhooks that it calls.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_apiserver::run::{Options, Running, start};
use reqwest::{Certificate, Identity, Method};
use serde_json::{Value as Json, json};

use super::authority::Authority;
use super::engine::{Act, Engine, UID, ok};

pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";

/// A server, its administrator, and the authority of its webhooks.
pub(super) struct Server {
    pub(super) running: Running,
    client: reqwest::Client,
    authority: Authority,
}

/// An answer, read whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) warnings: Vec<String>,
    pub(super) body: Json,
}

/// The two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutating,
    Validating,
}

impl Kind {
    pub(super) fn collection(self) -> String {
        let name = if self == Self::Mutating { "mutating" } else { "validating" };
        format!("{REGISTRATION}/{name}webhookconfigurations")
    }
}

impl Answer {
    pub(super) fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    /// Fails unless the code is this one.
    pub(super) fn expect(self, code: u16) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

impl Server {
    pub(super) async fn start() -> Self {
        Self::keeping(None).await
    }

    /// Stops it, and starts it with other options; its hooks are still trusted.
    pub(super) async fn again(self, options: Options) -> Self {
        self.running.stop().await;
        Self { authority: self.authority, ..Self::with(options).await }
    }

    /// With its objects in a folder.
    pub(super) async fn keeping(data_dir: Option<PathBuf>) -> Self {
        Self::with(Options { data_dir, ..Options::default() }).await
    }

    pub(super) async fn with(options: Options) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let running = start(Options { fsync: false, workers: 2, ..options }).await.unwrap();
        let client = client(&running, "admin", &["system:masters"]);
        Self { running, client, authority: Authority::new() }
    }

    /// The administrator's client.
    pub(super) fn admin(&self) -> &reqwest::Client {
        &self.client
    }

    pub(super) async fn ask(&self, method: Method, path: &str, body: &Json) -> Answer {
        self.ask_by(&self.client, method, path, body).await
    }

    /// As somebody else.
    pub(super) async fn ask_as(&self, user: &str, method: Method, path: &str, body: &Json) -> Answer {
        self.ask_by(&client(&self.running, user, &[]), method, path, body).await
    }

    async fn ask_by(&self, client: &reqwest::Client, method: Method, path: &str, body: &Json) -> Answer {
        let kind = match method {
            // What is applied says what it is.
            Method::PATCH if body.get("apiVersion").is_some() => "application/apply-patch+yaml",
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let request = client.request(method, format!("{}{path}", self.running.url())).header("content-type", kind);
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let answer = request.send().await.unwrap();
        let warnings = answer.headers().get_all("warning").iter().map(|value| value.to_str().unwrap().to_owned()).collect();
        let (code, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        Answer { code, warnings, body: serde_json::from_str(&text).unwrap_or(Json::String(text)) }
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &Json::Null).await
    }

    pub(super) async fn post(&self, path: &str, body: &Json) -> Answer {
        self.ask(Method::POST, path, body).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        self.ask(Method::DELETE, path, &Json::Null).await
    }

    /// Lets a user do this with resources of a group.
    pub(super) async fn grant(&self, user: &str, verb: &str, group: &str, resource: &str) {
        let rbac = "rbac.authorization.k8s.io";
        let name = if group.is_empty() { "core" } else { group };
        let rules = json!([{"verbs": [verb], "apiGroups": [group], "resources": [resource]}]);
        let role = json!({"metadata": {"name": name}, "rules": rules});
        let binding = json!({
            "metadata": {"name": name}, "subjects": [{"kind": "User", "name": user, "apiGroup": rbac}],
            "roleRef": {"kind": "ClusterRole", "name": name, "apiGroup": rbac},
        });
        for (collection, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
            self.post(&format!("/apis/{rbac}/v1/{collection}"), &object).await.expect(201);
        }
    }

    /// The value of a metric, by the beginning of its line; 0 if it is not there.
    pub(super) async fn metric(&self, line: &str) -> u64 {
        let text = self.get("/metrics").await.body;
        let lines = text.as_str().unwrap().lines();
        lines.filter_map(|found| found.strip_prefix(line)?.trim().parse::<u64>().ok()).sum()
    }

    /// A webhook with a certificate that the server trusts.
    pub(super) fn hook(&self, acts: impl IntoIterator<Item = Act>) -> Engine {
        self.hook_called("localhost", acts)
    }

    /// The same, for clients of an authority alone.
    pub(super) fn hook_for(&self, clients: &Authority, acts: impl IntoIterator<Item = Act>) -> Engine {
        Engine::secured(acts, self.authority.server("localhost", Some(clients)))
    }

    /// The same, with a certificate for another name.
    pub(super) fn hook_called(&self, name: &str, acts: impl IntoIterator<Item = Act>) -> Engine {
        Engine::secured(acts, self.authority.server(name, None))
    }

    /// A webhook that is called for new ConfigMaps, and what differs from that.
    pub(super) fn spec(&self, name: &str, url: &str, members: Json) -> Json {
        let mut spec = json!({
            "name": format!("{name}.example.com"), "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": url, "caBundle": STANDARD.encode(self.authority.pem())},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        });
        spec.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        spec
    }

    pub(super) async fn register(&self, kind: Kind, name: &str, hooks: &[Json]) {
        self.post(&kind.collection(), &json!({"metadata": {"name": name}, "webhooks": hooks})).await.expect(201);
    }

    pub(super) async fn unregister(&self, kind: Kind, name: &str) {
        self.delete(&format!("{}/{name}", kind.collection())).await.expect(200);
    }
}

fn client(running: &Running, user: &str, groups: &[&str]) -> reqwest::Client {
    let own = running.client(user, groups).unwrap();
    let identity = Identity::from_pem(format!("{}\n{}", own.key, own.certificate).as_bytes()).unwrap();
    let root = Certificate::from_pem(running.ca().as_bytes()).unwrap();
    reqwest::Client::builder().no_proxy().tls_certs_only([root]).identity(identity).build().unwrap()
}

pub(super) fn map(name: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": name}}, "data": {"k": "v"}})
}

/// A review that allows, unless these members of the response say something else.
pub(super) fn review(members: Json) -> Act {
    let mut response = json!({"uid": UID, "allowed": true});
    response.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    ok(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
}

/// Allows, with a JSON patch.
pub(super) fn patching(operations: Json) -> Act {
    let patch = STANDARD.encode(operations.to_string());
    review(json!({"patch": patch, "patchType": "JSONPatch"}))
}

/// What a webhook was asked, in order.
pub(super) fn asked(hook: &Engine) -> Vec<Json> {
    let reviews = hook.came().into_iter().map(|came| serde_json::from_str::<Json>(&came.body).unwrap());
    reviews.map(|review| review["request"].clone()).collect()
}
