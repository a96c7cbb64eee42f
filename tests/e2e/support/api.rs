//! The API of an API server without kubectl: any verb, any body, as any user. For tables of many requests.
#![allow(dead_code, reason = "benchmarks use kubectl")]

use std::fmt;
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, Identity, Method, RequestBuilder};
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

/// Of a watch: longer than any test.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// One caller's way in.
pub(crate) struct Api {
    runtime: Runtime,
    client: Client,
    url: String,
    token: Option<String>,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// From `/api` or `/apis` on, with its query.
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) body: Json,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    /// Of the headers `Warning`.
    pub(crate) warnings: String,
    /// The object, or the Status that says why not.
    pub(crate) body: Json,
}

impl Api {
    /// Of the holder of a bearer token.
    pub(super) fn new(url: &str, ca: &str, token: &str) -> Self {
        Self { token: Some(token.into()), ..Self::built(url, client(ca)) }
    }

    /// Of the holder of a client certificate and its key, PEM.
    pub(super) fn certified(url: &str, ca: &str, identity: &str) -> Self {
        Self::built(url, client(ca).identity(Identity::from_pem(identity.as_bytes()).unwrap()))
    }

    fn built(url: &str, client: ClientBuilder) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, client: client.build().unwrap(), url: url.into(), token: None }
    }

    /// As who holds the credentials.
    pub(crate) fn call(&self, request: &Request) -> Answer {
        self.send(request, None)
    }

    /// As somebody else, whom the holder may impersonate.
    pub(crate) fn call_as(&self, user: &str, request: &Request) -> Answer {
        self.send(request, Some(user))
    }

    /// As somebody else, all at once; answers in the order of the requests.
    pub(crate) fn call_all_as(&self, user: &str, requests: &[Request]) -> Vec<Answer> {
        let calls = requests.iter().map(|request| answer(self.builder(request, Some(user))));
        self.runtime.block_on(futures::future::join_all(calls))
    }

    /// As who holds the credentials, all at once; answers in the order of the requests.
    pub(crate) fn call_all(&self, requests: &[Request]) -> Vec<Answer> {
        let calls = requests.iter().map(|request| answer(self.builder(request, None)));
        self.runtime.block_on(futures::future::join_all(calls))
    }

    /// Follows a watch until it ends, or `take`, which is shown each event, wants no more.
    pub(crate) fn watch(&self, path: &str, mut take: impl FnMut(&Json) -> bool) {
        let request = self.known(self.client.get(format!("{}{path}", self.url))).timeout(LONG);
        self.runtime.block_on(async {
            let Ok(mut response) = request.send().await else { return };
            let mut rest = Vec::new();
            while let Ok(Some(chunk)) = response.chunk().await {
                rest.extend_from_slice(&chunk);
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = rest.drain(..=end).collect();
                    if !take(&serde_json::from_slice(&line).unwrap()) {
                        return;
                    }
                }
            }
        });
    }

    fn known(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    fn send(&self, request: &Request, user: Option<&str>) -> Answer {
        self.runtime.block_on(answer(self.builder(request, user)))
    }

    fn builder(&self, request: &Request, user: Option<&str>) -> RequestBuilder {
        let builder = self.client.request(request.method.clone(), format!("{}{}", self.url, request.path));
        let mut builder = self.known(builder).header("Content-Type", request.content_type);
        if let Some(user) = user {
            builder = builder.header("Impersonate-User", user);
        }
        if request.method != Method::GET && request.method != Method::DELETE {
            builder = builder.body(request.body.to_string());
        }
        builder
    }
}

fn client(ca: &str) -> ClientBuilder {
    // Whoever comes first installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let roots = [Certificate::from_pem(ca.as_bytes()).unwrap()];
    Client::builder().tls_certs_only(roots).timeout(Duration::from_secs(30))
}

async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (code, headers) = (response.status().as_u16(), response.headers().clone());
    let warnings: Vec<&str> = headers.get_all("warning").iter().map(|value| value.to_str().unwrap()).collect();
    let text = response.text().await.unwrap();
    Answer { code, warnings: warnings.join("\n"), body: serde_json::from_str(&text).unwrap_or(Json::String(text)) }
}

impl Answer {
    pub(crate) fn accepted(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The Status' message.
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    /// Whether one of these admission policies refused.
    pub(crate) fn denied_by(&self, policies: &[&str]) -> bool {
        let named = |policy: &&str| self.message().contains(&format!("ValidatingAdmissionPolicy '{policy}'"));
        self.code == 403 && policies.iter().any(named)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("url", &self.url).finish_non_exhaustive()
    }
}
