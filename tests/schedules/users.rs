//! Developers and administrators: every request is a task of its own, so that one that waits keeps no other back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use reqwest::{Certificate, Client, Method};
use serde_json::{Value as Json, json};
use tokio::runtime::{Builder, Runtime};

use super::super::e2e::{CERTIFIED, Kubectl};
use super::files::{File, Way};

const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const JSON: &str = "application/json";
/// A webhook has five seconds, and there are two.
const PATIENCE: Duration = Duration::from_secs(15);

/// The way in.
pub(super) struct Users {
    runtime: Runtime,
    way: Arc<Access>,
    kubectl: Kubectl,
    namespace: String,
    under_way: Arc<AtomicUsize>,
}

struct Access {
    client: Client,
    url: String,
    token: String,
}

impl Users {
    /// As administrator of the API server.
    pub(super) fn new(kubectl: &Kubectl, namespace: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config: Json = serde_json::from_str(&std::fs::read_to_string(kubectl.kubeconfig()).unwrap()).unwrap();
        let cluster = &config["clusters"][0]["cluster"];
        let ca = std::fs::read(cluster["certificate-authority"].as_str().unwrap()).unwrap();
        let client = Client::builder().tls_certs_only([Certificate::from_pem(&ca).unwrap()]).build().unwrap();
        let (url, token) = (cluster["server"].as_str().unwrap(), config["users"][0]["user"]["token"].as_str().unwrap());
        Self {
            runtime: Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap(),
            way: Arc::new(Access { client, url: url.into(), token: token.into() }),
            kubectl: kubectl.clone(),
            namespace: namespace.into(),
            under_way: Arc::default(),
        }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Reads, now.
    pub(super) fn get(&self, path: &str) -> Json {
        let (code, body) = self.runtime.block_on(self.way.send(Method::GET, path, JSON, Json::Null)).unwrap();
        assert_eq!(code, 200, "{path}: {body}");
        body
    }

    /// Calls `with` for each event after a version, until this is dropped.
    pub(super) fn watch(&self, path: String, version: u64, mut with: impl FnMut(&Json) + Send + 'static) {
        let way = Arc::clone(&self.way);
        self.runtime.spawn(async move {
            let mut from = version;
            loop {
                let query = format!("{path}?watch=true&resourceVersion={from}&timeoutSeconds=3600");
                let Ok(answer) = way.request(Method::GET, &query).send().await else { continue };
                let (mut stream, mut rest) = (answer.bytes_stream(), Vec::new());
                while let Some(Ok(bytes)) = stream.next().await {
                    rest.extend_from_slice(&bytes);
                    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                        let line: Vec<u8> = rest.drain(..=end).collect();
                        let event: Json = serde_json::from_slice(&line).unwrap();
                        from = super::observer::version(&event["object"]).max(from);
                        with(&event);
                    }
                }
            }
        });
    }

    /// Adds or removes a cluster's certificate.
    pub(super) fn certify(&self, cluster: &str, certified: bool) {
        let value = if certified { json!("true") } else { Json::Null };
        let path = format!("/apis/cluster.karmada.io/v1alpha1/clusters/{cluster}");
        self.send(Method::PATCH, path, MERGE, json!({"metadata": {"annotations": {CERTIFIED: value}}}));
    }

    pub(super) fn create(&self, object: &Json) {
        self.send(Method::POST, self.path(""), JSON, object.clone());
    }

    pub(super) fn scale(&self, name: &str, replicas: usize) {
        self.send(Method::PATCH, self.path(&format!("/{name}/scale")), MERGE, json!({"spec": {"replicas": replicas}}));
    }

    pub(super) fn delete(&self, name: &str) {
        self.send(Method::DELETE, self.path(&format!("/{name}")), JSON, Json::Null);
    }

    /// Applies files, each in its way.
    pub(super) fn apply(&self, files: &[(File, Json)]) {
        let mut by_kubectl = Vec::new();
        for (file, object) in files {
            let path = self.path(&format!("/{}", object["metadata"]["name"].as_str().unwrap()));
            match file.way {
                Way::ClientSide => by_kubectl.push(object),
                Way::ServerSide => {
                    self.send(Method::PATCH, format!("{path}?fieldManager=gitops&force=true"), APPLY, object.clone());
                }
                Way::Replace => self.send(Method::PUT, path, JSON, object.clone()),
            }
        }
        if by_kubectl.is_empty() {
            return;
        }
        let list = json!({"apiVersion": "v1", "kind": "List", "items": by_kubectl}).to_string();
        let (kubectl, namespace, under_way) = (self.kubectl.clone(), self.namespace.clone(), self.begin());
        self.runtime.spawn_blocking(move || {
            // Refused is refused, as with every other user.
            let _ = kubectl.try_run_with(&["apply", "-n", &namespace, "--request-timeout=15s", "-f", "-"], &list);
            under_way.fetch_sub(1, Ordering::AcqRel);
        });
    }

    /// Requests that are not answered yet.
    pub(super) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Acquire)
    }

    fn path(&self, rest: &str) -> String {
        format!("/apis/apps/v1/namespaces/{}/replicasets{rest}", self.namespace)
    }

    fn begin(&self) -> Arc<AtomicUsize> {
        self.under_way.fetch_add(1, Ordering::AcqRel);
        Arc::clone(&self.under_way)
    }

    fn send(&self, method: Method, path: String, kind: &'static str, body: Json) {
        let (way, under_way) = (Arc::clone(&self.way), self.begin());
        self.runtime.spawn(async move {
            // While nothing can be decided, it is refused.
            let _ = tokio::time::timeout(PATIENCE, way.send(method, &path, kind, body)).await;
            under_way.fetch_sub(1, Ordering::AcqRel);
        });
    }
}

impl Access {
    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    async fn send(&self, method: Method, path: &str, kind: &str, body: Json) -> reqwest::Result<(u16, Json)> {
        let mut request = self.request(method, path).header("content-type", kind);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let answer = request.send().await?;
        Ok((answer.status().as_u16(), answer.json().await.unwrap_or_default()))
    }
}
