//! The engine's API as the sidecar uses it: declare, sync, policies, placements, status.

use std::time::Duration;

use futures::{Stream, TryStreamExt};
use plimsoll_contract::placement::PlacementList;
use plimsoll_contract::policy::{PoliciesAccepted, PoliciesRejected, PutPolicies};
use plimsoll_contract::source::{Declare, Declared, Leader, Synced};
use plimsoll_contract::status::Status;
use reqwest::{Body, Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::config::EngineConfig;
use crate::initialize::Decision;

mod authority;
mod error;
pub mod placements;
pub mod status;
mod token;

pub use error::{EngineError, SetupError};
use token::Token;

/// Connecting takes longer than this only when nobody is there.
const CONNECT: Duration = Duration::from_secs(5);
/// Any answer but that to a `replace`.
const ANSWER: Duration = Duration::from_secs(30);
/// The status is asked for all the time; an engine that is slow about it is not one to write for.
const STATUS: Duration = Duration::from_secs(5);
/// A `replace` of everything, and the list of all placements.
const LARGE: Duration = Duration::from_secs(600);
/// An answer is not read beyond this.
const SMALL_BODY: usize = 16 << 20;
/// The placements of a million objects fit.
const LARGE_BODY: usize = 1 << 30;

/// A client of one engine. Each answer's epoch is noticed, whatever was asked.
#[derive(Debug)]
pub struct Engine {
    http: reqwest::Client,
    /// Where OPA's own API is.
    root: String,
    base: String,
    token: Option<Token>,
    epoch: watch::Sender<Option<String>>,
}

/// The engine's answer to a policy set: accepted, or rejected with the compiler's errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The set is in force.
    Accepted(PoliciesAccepted),
    /// The last good set stays in force.
    Rejected(PoliciesRejected),
}

impl Engine {
    /// Reads the certificates; speaks to nobody yet.
    pub fn new(config: &EngineConfig) -> Result<Self, SetupError> {
        // The engine is next door: a proxy for the way out must not see its traffic.
        let mut builder = reqwest::Client::builder().connect_timeout(CONNECT).tcp_nodelay(true).no_proxy();
        if let Some(file) = &config.ca_file {
            if config.url.starts_with("http://") {
                tracing::warn!(url = config.url, file = %file.display(), "`engine.caFile` has no effect: nothing is encrypted over http://");
            }
            builder = builder.tls_certs_only(authority::certificates(file)?);
        }
        let http = builder.build().map_err(SetupError::Client)?;
        let root = config.url.trim_end_matches('/').to_owned();
        let base = format!("{root}/plimsoll/v1");
        let token = config.token_file.as_deref().map(Token::new);
        Ok(Self { http, root, base, token, epoch: watch::Sender::new(None) })
    }

    /// The epoch of the engine's latest answer.
    pub fn epoch(&self) -> watch::Receiver<Option<String>> {
        self.epoch.subscribe()
    }

    /// Declares the source; ends an older session of its name.
    pub async fn declare(&self, source: &str, declare: &Declare) -> Result<Declared, EngineError> {
        let request = self.request(Method::PUT, &format!("sources/{source}")).await?.json(declare).timeout(ANSWER);
        decode(outside(self.send(request).await?).await?, SMALL_BODY).await
    }

    /// Tells who holds the source's Lease.
    pub async fn leader(&self, source: &str, leader: &Leader) -> Result<(), EngineError> {
        let request = self.request(Method::PUT, &format!("sources/{source}/leader")).await?.json(leader).timeout(STATUS);
        checked(self.send(request).await?).await.map(drop)
    }

    /// Sends changes of one kind: NDJSON, header first.
    pub async fn delta(&self, source: &str, body: impl Into<Body>) -> Result<Synced, EngineError> {
        self.sync(source, body.into(), ANSWER).await
    }

    /// Sends all objects of one kind: NDJSON, header first.
    pub async fn replace(&self, source: &str, body: Body) -> Result<Synced, EngineError> {
        self.sync(source, body, LARGE).await
    }

    async fn sync(&self, source: &str, body: Body, timeout: Duration) -> Result<Synced, EngineError> {
        let request = self.request(Method::POST, &format!("sources/{source}/sync")).await?;
        let request = request.header("content-type", "application/x-ndjson").body(body).timeout(timeout);
        self.json(request).await
    }

    /// Offers a whole policy set.
    pub async fn put_policies(&self, source: &str, set: &PutPolicies) -> Result<Verdict, EngineError> {
        let request = self.request(Method::PUT, &format!("policies/{source}")).await?.json(set).timeout(ANSWER);
        let answer = self.send(request).await?;
        match answer.status() {
            StatusCode::BAD_REQUEST => {
                let body = read(answer, SMALL_BODY).await?;
                // Anything but a verdict of the compiler is a refusal of the request itself.
                let rejected = serde_json::from_slice(&body);
                rejected.map(Verdict::Rejected).map_err(|_| EngineError::refused(400, None, &body))
            }
            _ => decode(checked(answer).await?, SMALL_BODY).await.map(Verdict::Accepted),
        }
    }

    /// All placements.
    pub async fn placements(&self) -> Result<PlacementList, EngineError> {
        let request = self.request(Method::GET, "placements").await?.timeout(LARGE);
        decode(outside(self.send(request).await?).await?, LARGE_BODY).await
    }

    /// The stream of placements that changed after `since`; `Gone` when that is too old, or of another epoch.
    pub async fn watch_placements(
        &self,
        epoch: &str,
        since: u64,
    ) -> Result<impl Stream<Item = Result<bytes::Bytes, EngineError>> + Send + use<>, EngineError> {
        let request = self.request(Method::GET, &format!("placements?watch&since={since}&epoch={epoch}")).await?;
        // No overall timeout: silence is noticed by the reader, who knows how often a line must come.
        let answer = tokio::time::timeout(ANSWER, self.send(request)).await.map_err(|_| EngineError::TimedOut(ANSWER))?;
        let answer = checked(answer?).await?;
        Ok(answer.bytes_stream().map_err(EngineError::Unreachable))
    }

    /// Returns what the engine decides about one new object, JSON, at the placement path. Fails when it does not answer, or with what is no
    /// decision.
    pub async fn decide(&self, placement_path: &str, object: String) -> Result<Decision, EngineError> {
        let request = self.to(Method::POST, format!("{}/v0/data/{placement_path}", self.root)).await?;
        let answer = self.send(request.header("content-type", "application/json").body(object).timeout(STATUS)).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Decision::read(None).map_err(EngineError::NoDecision);
        }
        let body = read(checked(answer).await?, SMALL_BODY).await?;
        Decision::read(Some(&body)).map_err(EngineError::NoDecision)
    }

    /// Returns the engine's status: its sources, their ages, and why it is not ready. Fails when the engine does not answer.
    pub async fn status(&self) -> Result<Status, EngineError> {
        let request = self.request(Method::GET, "status").await?.timeout(STATUS);
        decode(outside(self.send(request).await?).await?, SMALL_BODY).await
    }

    async fn request(&self, method: Method, path: &str) -> Result<reqwest::RequestBuilder, EngineError> {
        self.to(method, format!("{}/{path}", self.base)).await
    }

    async fn to(&self, method: Method, url: String) -> Result<reqwest::RequestBuilder, EngineError> {
        let request = self.http.request(method, url);
        match &self.token {
            Some(token) => Ok(request.bearer_auth(token.read().await?)),
            None => Ok(request),
        }
    }

    async fn json<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<T, EngineError> {
        decode(checked(self.send(request).await?).await?, SMALL_BODY).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, EngineError> {
        let answer = request.send().await.map_err(EngineError::Unreachable)?;
        if let Some(epoch) = answer.headers().get("plimsoll-epoch").and_then(|value| value.to_str().ok()) {
            self.epoch.send_if_modified(|known| {
                let is_new = known.as_deref() != Some(epoch);
                if is_new {
                    *known = Some(epoch.to_owned());
                }
                is_new
            });
        }
        Ok(answer)
    }
}

async fn checked(answer: Response) -> Result<Response, EngineError> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    let body = read(answer, SMALL_BODY).await?;
    Err(EngineError::refused(status.as_u16(), retry_after, &body))
}

/// The answer to a request that names no session: where there is nothing, none is over.
async fn outside(answer: Response) -> Result<Response, EngineError> {
    if answer.status() != StatusCode::NOT_FOUND {
        return checked(answer).await;
    }
    let url = answer.url().to_string();
    let body = read(answer, SMALL_BODY).await?;
    Err(EngineError::elsewhere(url, &body))
}

async fn decode<T: DeserializeOwned>(answer: Response, limit: usize) -> Result<T, EngineError> {
    let body = read(answer, limit).await?;
    serde_json::from_slice(&body).map_err(EngineError::Unreadable)
}

async fn read(mut answer: Response, limit: usize) -> Result<Vec<u8>, EngineError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(EngineError::Unreachable)? {
        if body.len() + chunk.len() > limit {
            return Err(EngineError::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
