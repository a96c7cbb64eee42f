//! A whole server, people who ask it, and initializers that are registered there.

use std::path::PathBuf;
use std::time::Duration;

use bytes::BytesMut;
use plimsoll_apiserver::run::{Options, Running, start};
use plimsoll_apiserver::server::InitializerSettings;
use reqwest::{Certificate, Client, Identity, Method, RequestBuilder, Response};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(super) const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations";
/// Of every caller who is to see everything.
pub(super) const ALL: &str = "includeUninitialized=true";
/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and its administrator.
pub(super) struct Server {
    pub(super) running: Running,
    pub(super) admin: Caller,
}

/// Somebody who asks.
pub(super) struct Caller {
    client: Client,
    url: String,
}

/// An answer, read whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) warnings: Vec<String>,
    pub(super) body: Json,
}

/// An open stream of events.
pub(super) struct Watch {
    response: Response,
    buffer: BytesMut,
}

/// Initializers that nobody waits for in vain.
pub(super) fn patient() -> InitializerSettings {
    InitializerSettings { timeout: PATIENCE, ..InitializerSettings::default() }
}

/// Initializers that have this long.
pub(super) fn within(millis: u64) -> InitializerSettings {
    InitializerSettings { timeout: Duration::from_millis(millis), ..InitializerSettings::default() }
}

impl Server {
    pub(super) async fn start(initializers: InitializerSettings) -> Self {
        Self::keeping(None, initializers).await
    }

    /// With its objects in a folder.
    pub(super) async fn keeping(data_dir: Option<PathBuf>, initializers: InitializerSettings) -> Self {
        let _installed_before = rustls::crypto::ring::default_provider().install_default();
        let options = Options { data_dir, initializers, fsync: false, workers: 2, ..Options::default() };
        let running = start(options).await.unwrap();
        let admin = Caller::new(&running, "admin", &["system:masters"]);
        Self { running, admin }
    }

    /// A user who may do this with ConfigMaps and Deployments.
    pub(super) async fn user(&self, name: &str, verbs: &[&str]) -> Caller {
        let rbac = "/apis/rbac.authorization.k8s.io/v1";
        let resources = json!(["configmaps", "deployments", "deployments/status", "deployments/scale"]);
        let rules = json!([{"verbs": verbs, "apiGroups": ["", "apps"], "resources": resources}]);
        let role = json!({"metadata": {"name": name}, "rules": rules});
        self.admin.post(&format!("{rbac}/clusterroles"), &role).await.expect(201);
        let binding = json!({
            "metadata": {"name": name}, "subjects": [{"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"kind": "ClusterRole", "name": name, "apiGroup": "rbac.authorization.k8s.io"},
        });
        self.admin.post(&format!("{rbac}/clusterrolebindings"), &binding).await.expect(201);
        Caller::new(&self.running, name, &[])
    }

    /// One configuration of initializers for ConfigMaps, with what differs from that.
    pub(super) async fn register(&self, configuration: &str, initializers: &[(&str, Json)]) {
        let all = initializers.iter().map(|(name, members)| {
            let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
            let mut one = json!({"name": format!("{name}.example.com"), "rules": rules});
            one.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            one
        });
        let object = json!({"metadata": {"name": configuration}, "initializers": all.collect::<Vec<_>>()});
        self.admin.post(CONFIGURATIONS, &object).await.expect(201);
    }

    /// A ConfigMap that waits for its initializers.
    pub(super) async fn uninitialized(&self, name: &str) -> Json {
        self.admin.post(&format!("{MAPS}?{ALL}"), &map(name)).await.expect(202).body
    }

    /// The ConfigMap needs no initializer any more.
    pub(super) async fn finish(&self, name: &str) {
        self.admin.merge(&format!("{MAPS}/{name}"), &json!({"metadata": {"initializers": null}})).await.expect(200);
    }

    /// The object as it is stored, or nothing.
    pub(super) async fn stored(&self, name: &str) -> Option<Json> {
        let answer = self.admin.get(&format!("{MAPS}/{name}?{ALL}")).await;
        (answer.code == 200).then_some(answer.body)
    }

    /// The value of a metric, by the beginning of its line; 0 if it is not there.
    pub(super) async fn metric(&self, line: &str) -> u64 {
        let text = self.admin.get("/metrics").await.body;
        let lines = text.as_str().unwrap().lines();
        lines.filter_map(|found| found.strip_prefix(line)?.trim().parse::<u64>().ok()).sum()
    }
}

impl Caller {
    pub(super) fn new(running: &Running, user: &str, groups: &[&str]) -> Self {
        let own = running.client(user, groups).unwrap();
        let identity = Identity::from_pem(format!("{}\n{}", own.key, own.certificate).as_bytes()).unwrap();
        let root = Certificate::from_pem(running.ca().as_bytes()).unwrap();
        let client = Client::builder().no_proxy().tls_certs_only([root]).identity(identity).build().unwrap();
        Self { client, url: running.url().to_owned() }
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    /// A table, or the metadata alone: `as=Table`.
    pub(super) async fn get_as(&self, path: &str, form: &str) -> Answer {
        let accept = format!("application/json;as={form};v=v1;g=meta.k8s.io");
        answer(self.request(Method::GET, path).header("accept", accept)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Json) -> Answer {
        answer(self.request(Method::POST, path).json(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: &Json) -> Answer {
        answer(self.request(Method::PUT, path).json(body)).await
    }

    pub(super) async fn patch(&self, path: &str, kind: &str, body: &Json) -> Answer {
        let kind = if kind == "apply" { "apply-patch+yaml".to_owned() } else { format!("{kind}-patch+json") };
        let request = self.request(Method::PATCH, path).header("content-type", format!("application/{kind}"));
        answer(request.body(body.to_string())).await
    }

    pub(super) async fn merge(&self, path: &str, body: &Json) -> Answer {
        self.patch(path, "merge", body).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        answer(self.request(Method::DELETE, path)).await
    }

    pub(super) async fn watch(&self, path: &str) -> Watch {
        let response = timeout(PATIENCE, self.request(Method::GET, path).send()).await.unwrap().unwrap();
        assert_eq!(response.status(), 200);
        Watch { response, buffer: BytesMut::new() }
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

    /// Names of a list, or of a table's rows.
    pub(super) fn names(&self) -> Vec<String> {
        let items = self.body["items"].as_array().or_else(|| self.body["rows"].as_array()).unwrap();
        let name = |item: &Json| item.pointer("/metadata/name").or_else(|| item.pointer("/object/metadata/name")).cloned();
        items.iter().map(|item| name(item).unwrap().as_str().unwrap().to_owned()).collect()
    }
}

impl Watch {
    /// Type, name and data of the next event; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let event: Json = serde_json::from_slice(&self.buffer.split_to(end + 1)).unwrap();
                let part = |pointer: &str| event.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
                return Some(format!("{} {} {}", part("/type"), part("/object/metadata/name"), part("/object/data/k")));
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await.expect("an event in time").unwrap();
            self.buffer.extend_from_slice(&chunk?);
        }
    }

    /// The next events up to one of this name.
    pub(super) async fn until(&mut self, last: &str) -> Vec<String> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.expect("an event");
            let is_last = event.split(' ').nth(1) == Some(last);
            events.push(event);
            if is_last {
                return events;
            }
        }
    }
}

async fn answer(request: RequestBuilder) -> Answer {
    let response = timeout(PATIENCE, request.send()).await.expect("an answer in time").unwrap();
    let warnings = response.headers().get_all("warning").iter().map(|value| value.to_str().unwrap().to_owned()).collect();
    let (code, text) = (response.status().as_u16(), response.text().await.unwrap());
    Answer { code, warnings, body: serde_json::from_str(&text).unwrap_or(Json::String(text)) }
}

pub(super) fn map(name: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": name}}, "data": {"k": "v"}})
}

/// Names of the initializers that have not answered.
pub(super) fn pending(object: &Json) -> Vec<&str> {
    let all = object.pointer("/metadata/initializers/pending").and_then(Json::as_array);
    all.into_iter().flatten().map(|one| one["name"].as_str().unwrap()).collect()
}
