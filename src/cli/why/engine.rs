//! Asks a running engine.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::status::Status;
use plimsoll_contract::token;
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
        let token = token.map(|path| first_token(&read(path)?, path)).transpose()?;
        let mut builder = Client::builder().no_proxy();
        if let Some(path) = authorities {
            let unusable = || format!("`{}` cannot be used: there is no certificate in it", path.display());
            let certificates = reqwest::Certificate::from_pem_bundle(&read(path)?).with_context(unusable)?;
            if certificates.is_empty() {
                bail!(unusable());
            }
            builder = builder.tls_certs_only(certificates);
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
        let (status, body) = self.runtime.block_on(asked).map_err(explained).with_context(nobody)?;
        if !status.is_success() {
            let said = serde_json::from_slice::<Json>(&body).ok();
            let message = said.as_ref().and_then(|body| body.get("message")?.as_str()).unwrap_or("no reason given");
            let hint = if status == StatusCode::UNAUTHORIZED { "; give one with --token-file FILE" } else { "" };
            bail!("{url} answered {}: {message}{hint}", status.as_u16());
        }
        serde_json::from_slice(&body).with_context(|| format!("{url} answered something else"))
    }
}

/// Returns the first token of a file with one a line, as the engine's own is: the first one is the newest. Fails when there is none that a
/// header can hold.
fn first_token(text: &[u8], path: &Path) -> anyhow::Result<String> {
    let text = str::from_utf8(text).with_context(|| format!("`{}` holds no token", path.display()))?;
    match token::first(text) {
        Some(token) => Ok(token.to_owned()),
        None => bail!("`{}` holds no token: there must be one in its first line", path.display()),
    }
}

/// Says what can be done where the reason alone does not.
fn explained(error: reqwest::Error) -> anyhow::Error {
    // `webpki` has no words for it, and OpenSSL makes such certificates unless it is told otherwise.
    if format!("{error:?}").contains("CaUsedAsEndEntity") {
        let why =
            "the engine's certificate is that of an authority: make one for a server, with `basicConstraints=critical,CA:FALSE`";
        return anyhow::Error::new(error).context(why);
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_of_a_file_is_sent() {
        let path = Path::new("tokens");
        assert_eq!(first_token(b"\n  new \nold\n", path).unwrap(), "new");
        for text in [&b""[..], b"a\x01b\n", b"\xff\n"] {
            let error = first_token(text, path).unwrap_err();
            assert!(error.to_string().starts_with("`tokens` holds no token"), "{error}");
        }
    }
}
