//! Clients that write through HTTP and remember what they were answered.

use std::collections::BTreeMap;

use reqwest::{Method, Response};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use super::server::TOKEN;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// What a client's object is: revision and value, if it is there.
pub(super) type State = Option<(u64, u64)>;

/// One client with one object.
pub(super) struct Client {
    pub(super) name: String,
    answered: State,
    /// The value that it tried to write last without an answer, none for a deletion.
    tried: Option<Option<u64>>,
    /// Each value is written once.
    next: u64,
}

/// A connection to one server.
pub(super) struct Http {
    client: reqwest::Client,
    url: String,
}

// --- Http ---

impl Http {
    pub(super) fn new(url: &str, ca: &[u8]) -> Self {
        // Fails only if it is there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let ca = reqwest::Certificate::from_pem(ca).unwrap();
        let client = reqwest::Client::builder().tls_certs_only([ca]).build().unwrap();
        Self { client, url: url.to_owned() }
    }

    /// The revision of the list, and all clients' objects.
    pub(super) async fn list(&self) -> (u64, BTreeMap<String, (u64, u64)>) {
        let list = self.send(Method::GET, CONFIG_MAPS, None).await.unwrap().json::<Json>().await.unwrap();
        let objects = list["items"].as_array().unwrap().iter();
        let objects = objects.filter_map(|item| {
            let value = item["data"]["value"].as_str()?.parse().unwrap();
            Some((item["metadata"]["name"].as_str()?.to_owned(), (revision(item), value)))
        });
        (revision(&list), objects.collect())
    }

    async fn send(&self, method: Method, path: &str, body: Option<Json>) -> reqwest::Result<Response> {
        let request = self.client.request(method, format!("{}{path}", self.url)).bearer_auth(TOKEN);
        match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        }
        .send()
        .await
    }
}

fn revision(object: &Json) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

// --- Client ---

impl Client {
    pub(super) fn new(number: usize) -> Self {
        Self { name: format!("client{number}"), answered: None, tried: None, next: 0 }
    }

    /// Writes until the server is gone; gives the revisions that were answered.
    pub(super) async fn write_until_the_end(&mut self, http: &Http, heard: &Semaphore) -> Vec<u64> {
        let mut revisions = Vec::new();
        loop {
            self.next += 1;
            let value = (self.answered.is_none() || !self.next.is_multiple_of(5)).then_some(self.next);
            self.tried = Some(value);
            let Some(answer) = self.write(http, value).await else { return revisions };
            self.tried = None;
            self.answered = value.map(|value| (revision(&answer), value));
            revisions.extend(self.answered.map(|(revision, _)| revision));
            heard.add_permits(1);
        }
    }

    /// The answer, unless the server is gone before all of it came.
    async fn write(&self, http: &Http, value: Option<u64>) -> Option<Json> {
        let path = format!("{CONFIG_MAPS}/{}", self.name);
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.name}, "data": {"value": value.map(|value| value.to_string())}});
        if let Some((revision, _)) = self.answered {
            object["metadata"]["resourceVersion"] = json!(revision.to_string());
        }
        let answer = match (value, self.answered) {
            (None, _) => http.send(Method::DELETE, &path, None).await,
            (Some(_), None) => http.send(Method::POST, CONFIG_MAPS, Some(object)).await,
            (Some(_), Some(_)) => http.send(Method::PUT, &path, Some(object)).await,
        };
        let answer = answer.ok()?;
        let status = answer.status();
        let body: Json = answer.json().await.ok()?;
        assert!(status.is_success(), "{}: {status}: {body}", self.name);
        Some(body)
    }

    /// After a restart: the object is as answered, or as it was tried last.
    pub(super) fn check(&mut self, state: State, kill: u64) {
        let same = state == self.answered;
        let tried = self.tried.is_some_and(|tried| tried == state.map(|(_, value)| value));
        assert!(same || tried, "kill {kill}: {} has {state:?}, after {:?} and {:?}", self.name, self.answered, self.tried);
        self.answered = state;
        self.tried = None;
    }
}
