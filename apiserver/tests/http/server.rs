//! A server in this process, and a client that speaks plain HTTP to it.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use plimsoll_apiserver::run::{self, Options, Running};
use reqwest::{Certificate, Client, Identity, Method, RequestBuilder, Response};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

/// Nothing here takes longer, unless it hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Server {
    pub(super) running: Running,
    client: Client,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: Json,
}

impl Server {
    /// In memory.
    pub(super) async fn start() -> Self {
        Self::with(Options::default()).await
    }

    pub(super) async fn with(options: Options) -> Self {
        let _installed_before = rustls::crypto::ring::default_provider().install_default();
        let running = run::start(Options { fsync: false, ..options }).await.unwrap();
        let client = client(&running, "admin", &["system:masters"]);
        Self { running, client }
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.running.url()))
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        reply(self.request(Method::GET, path)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Reply {
        reply(self.request(Method::DELETE, path)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Json) -> Reply {
        reply(self.request(Method::POST, path).json(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: &Json) -> Reply {
        reply(self.request(Method::PUT, path).json(body)).await
    }

    /// A merge patch.
    pub(super) async fn merge(&self, path: &str, body: &Json) -> Reply {
        let request = self.request(Method::PATCH, path).header("content-type", "application/merge-patch+json");
        reply(request.body(body.to_string())).await
    }

    /// Makes a ConfigMap; gives it as it is stored.
    pub(super) async fn config_map(&self, name: &str, data: &str) -> Json {
        let reply = self.post(MAPS, &config_map(name, data)).await;
        assert_eq!(reply.code, 201, "{}", reply.body);
        reply.body
    }

    pub(super) async fn watch(&self, path: &str) -> Watch {
        let response = timeout(PATIENCE, self.request(Method::GET, path).send()).await.unwrap().unwrap();
        assert_eq!(response.status(), 200);
        Watch { response, buffer: BytesMut::new() }
    }
}

/// Where the tests' ConfigMaps are.
pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(super) fn config_map(name: &str, data: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"data": data}}, "data": {"k": data}})
}

/// A client of one user.
pub(super) fn client(running: &Running, user: &str, groups: &[&str]) -> Client {
    let identity = running.client(user, groups).unwrap();
    let pem = format!("{}{}", identity.certificate, identity.key);
    let client = Client::builder().tls_certs_only([Certificate::from_pem(running.ca().as_bytes()).unwrap()]);
    client.identity(Identity::from_pem(pem.as_bytes()).unwrap()).build().unwrap()
}

pub(super) async fn reply(request: RequestBuilder) -> Reply {
    let response = timeout(PATIENCE, request.send()).await.unwrap().unwrap();
    let (code, headers) = (response.status().as_u16(), response.headers().clone());
    let text = timeout(PATIENCE, response.bytes()).await.unwrap().unwrap();
    let body = serde_json::from_slice(&text).unwrap_or_else(|_| Json::String(String::from_utf8_lossy(&text).into_owned()));
    Reply { code, headers, body }
}

/// An open stream of events.
pub(super) struct Watch {
    response: Response,
    buffer: BytesMut,
}

impl Watch {
    /// The next event; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<Json> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(end + 1).freeze();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let chunk: Option<Bytes> = timeout(PATIENCE, self.response.chunk()).await.expect("an event in time").unwrap();
            self.buffer.extend_from_slice(&chunk?);
        }
    }

    /// Type and name of the next event.
    pub(super) async fn brief(&mut self) -> String {
        let event = self.next().await.expect("an event");
        format!("{} {}", text(&event, "/type"), text(&event, "/object/metadata/name"))
    }

    /// Type, name and data of the next events.
    pub(super) async fn take(&mut self, count: usize) -> Vec<String> {
        let mut taken = Vec::new();
        for _ in 0..count {
            let event = self.next().await.expect("an event");
            let parts = ["/type", "/object/metadata/name", "/object/data/k"].map(|pointer| text(&event, pointer).to_owned());
            taken.push(parts.join(" "));
        }
        taken
    }
}

/// A text in an object; empty if it is not there.
pub(super) fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn version(object: &Json) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap()
}
