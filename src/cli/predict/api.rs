//! Questions to the API server: what is configured, by whoever asks; what the request would meet, as the user that is meant.

use anyhow::bail;
use http::Request;
use kube::Client;
use plimsoll_sidecar::cluster::Fault;
use serde_json::Value as Json;

/// The API server.
pub(in crate::cli) struct Server {
    client: Client,
    user: Option<String>,
    groups: Vec<String>,
}

impl Server {
    /// `user` and `groups` are who is meant, if it is not whoever asks.
    pub(in crate::cli) fn new(client: Client, user: Option<String>, groups: Vec<String>) -> Self {
        Self { client, user, groups }
    }

    /// With the caller's own rights.
    pub(in crate::cli) async fn get(&self, path: &str) -> Result<Json, Fault> {
        let request = Request::get(path).body(Vec::new()).map_err(kube::core::request::Error::BuildRequest);
        Ok(self.client.request(request.map_err(Fault::Request)?).await?)
    }

    /// Fails where configurations of webhooks are not served: that none can be listed does not mean that none is in force.
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

    /// As the user that is meant.
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
