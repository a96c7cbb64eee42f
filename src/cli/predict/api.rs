//! Requests to the API server. What is registered is read with the caller's own rights; requests that concern the object are sent as the
//! user of `--as`.

use anyhow::bail;
use http::Request;
use kube::Client;
use plimsoll_sidecar::cluster::Fault;
use serde_json::Value as Json;

/// A client for the API server, and the user and groups of `--as`.
pub(in crate::cli) struct Server {
    client: Client,
    user: Option<String>,
    groups: Vec<String>,
}

impl Server {
    /// Prepares to ask the API server. Without `user` and `groups`, all requests are those of the caller.
    pub(in crate::cli) fn new(client: Client, user: Option<String>, groups: Vec<String>) -> Self {
        Self { client, user, groups }
    }

    /// Returns the answer to a GET, with the caller's own rights. Fails when the API server refuses it, or does not answer.
    pub(in crate::cli) async fn get(&self, path: &str) -> Result<Json, Fault> {
        let request = Request::get(path).body(Vec::new()).map_err(kube::core::request::Error::BuildRequest);
        Ok(self.client.request(request.map_err(Fault::Request)?).await?)
    }

    /// Fails when the API server does not serve configurations of webhooks. Without this check, "cannot be listed" would be taken for
    /// "there are none".
    pub(in crate::cli) async fn has_registrations(&self) -> anyhow::Result<()> {
        match self.get("/apis/admissionregistration.k8s.io").await {
            Err(Fault::Answered { code: 404, .. }) => bail!(
                "the API server serves no `admissionregistration.k8s.io`, so what is in force cannot be read there: name the server that has \
                 the configurations"
            ),
            // Whoever cannot ask is told by what he asks next.
            _ => Ok(()),
        }
    }

    /// Returns the answer to a request with a body, sent as the user of `--as`. Fails when the API server refuses it, or does not answer.
    pub(in crate::cli) async fn send(&self, method: &str, path: &str, body: &Json) -> Result<Json, Fault> {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        if let Some(user) = &self.user {
            request = request.header("impersonate-user", user);
        }
        request = self.groups.iter().fold(request, |request, group| request.header("impersonate-group", group));
        let request = request.body(body.to_string().into_bytes()).map_err(kube::core::request::Error::BuildRequest);
        Ok(self.client.request(request.map_err(Fault::Request)?).await?)
    }
}
