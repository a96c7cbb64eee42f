//! Asks a running engine.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::status::Status;
use plimsoll_contract::why::{Why, WhyQuestion};
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

/// The engine's addresses, and the credentials for it.
pub(super) struct Server {
    why: Url,
    status: Url,
    token: Option<String>,
    client: Client,
    runtime: Runtime,
}

impl Server {
    /// Prepares to ask the engine at `url`. Fails when the address, the token file or the certificates cannot be used.
    pub(super) fn new(url: &str, token: Option<&Path>, authorities: Option<&Path>) -> anyhow::Result<Self> {
        let base = Url::parse(url).with_context(|| format!("`{url}` is no address of an engine"))?;
        let join = |path| base.join(path).with_context(|| format!("`{base}` is no address of an engine"));
        let (why, status) = (join("/plimsoll/v1/why")?, join("/plimsoll/v1/status")?);
        let read = |path: &Path| std::fs::read(path).with_context(|| format!("could not read `{}`", path.display()));
        let token = token.map(read).transpose()?.map(|token| String::from_utf8_lossy(&token).trim().to_owned());
        let mut builder = Client::builder().no_proxy();
        if let Some(path) = authorities {
            builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(&read(path)?)?);
        }
        let runtime = Builder::new_current_thread().enable_all().build().context("no runtime can be made")?;
        Ok(Self { why, status, token, client: builder.build()?, runtime })
    }

    /// Returns the kinds that the engine's sources have declared. Fails when the engine does not answer.
    pub(super) fn kinds(&self) -> anyhow::Result<Vec<Gvr>> {
        let status: Status = self.answer(&self.status, self.client.request(Method::GET, self.status.clone()))?;
        let kinds = status.sources.into_values().flat_map(|source| source.kinds).map(|kind| kind.gvr);
        Ok(kinds.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Returns the explanation for an object that the engine knows. Fails when the engine does not answer, or does not know it.
    pub(super) fn get(&self, query: &[(&str, &str)]) -> anyhow::Result<Why> {
        let mut url = self.why.clone();
        url.query_pairs_mut().extend_pairs(query.iter().filter(|(_, value)| !value.is_empty()));
        self.answer(&self.why, self.client.request(Method::GET, url))
    }

    /// Returns the explanation for an object that is sent. Fails when the engine does not answer, or refuses it.
    pub(super) fn post(&self, question: &WhyQuestion) -> anyhow::Result<Why> {
        let body = serde_json::to_vec(question)?;
        let request = self.client.request(Method::POST, self.why.clone());
        self.answer(&self.why, request.header("content-type", "application/json").body(body))
    }

    fn answer<T: DeserializeOwned>(&self, url: &Url, request: RequestBuilder) -> anyhow::Result<T> {
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let asked = async {
            let response = request.send().await?;
            Ok::<_, reqwest::Error>((response.status(), response.bytes().await?))
        };
        let nobody = || format!("could not ask {url}: is an engine there? Name another with --server URL");
        let (status, body) = self.runtime.block_on(asked).with_context(nobody)?;
        if !status.is_success() {
            let said = serde_json::from_slice::<Json>(&body).ok();
            let message = said.as_ref().and_then(|body| body.get("message")?.as_str()).unwrap_or("no reason given");
            let hint = if status == StatusCode::UNAUTHORIZED { "; give one with --token-file FILE" } else { "" };
            bail!("{url} answered {}: {message}{hint}", status.as_u16());
        }
        serde_json::from_slice(&body).with_context(|| format!("{url} answered something else"))
    }
}
