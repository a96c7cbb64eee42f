//! HTTP from a thread of its own: each has its runtime and its connections.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

use super::super::e2e::Kubectl;

/// One thread's client.
pub(super) struct Client {
    runtime: Runtime,
    client: reqwest::Client,
    token: Option<String>,
}

/// Status and body, or why there was no answer.
pub(super) type Answer = Result<(u16, String), String>;

impl Client {
    /// Waits for an answer that long. Who it talks to is known by the port.
    pub(super) fn new(patience: Duration) -> Self {
        // Whoever comes first installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(patience).danger_accept_invalid_certs(true).build().unwrap();
        Self { runtime: Builder::new_current_thread().enable_all().build().unwrap(), client, token: None }
    }

    /// The administrator of a kube-apiserver, and where that is.
    pub(super) fn admin(kubectl: &Kubectl, patience: Duration) -> (Self, String) {
        let config: Json = serde_json::from_str(&std::fs::read_to_string(kubectl.kubeconfig()).unwrap()).unwrap();
        let url = config["clusters"][0]["cluster"]["server"].as_str().unwrap().to_owned();
        let token = config["users"][0]["user"]["token"].as_str().map(str::to_owned);
        (Self { token, ..Self::new(patience) }, url)
    }

    /// Asks, and reads all of the answer.
    pub(super) fn ask(&self, method: &str, url: &str, kind: &str, body: Vec<u8>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, url).header("content-type", kind).body(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        self.runtime.block_on(async {
            let response = request.send().await.map_err(|error| format!("{error:?}"))?;
            let status = response.status().as_u16();
            Ok((status, response.text().await.map_err(|error| format!("{error:?}"))?))
        })
    }
}
