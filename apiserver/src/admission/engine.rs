//! The way to the policy engine: one HTTP exchange, with the kubeconfig's credentials and nothing else.
//! What holds for every way out is in [`outbound`].

mod fault;
mod persist;

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::outbound::{self, Way, WayError};

pub use fault::{Cause, Fault};
pub use persist::{Ended, GaveUp, Persistence, Plan};

/// What one exchange may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first byte sent to the last one read. Kubernetes gives webhooks 10 s by default.
    pub exchange: Duration,
    /// Bytes of an answer.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { exchange: Duration::from_secs(10), body: 1 << 20 }
    }
}

/// A client of one engine.
#[derive(Debug)]
pub struct Engine {
    way: Way,
    limits: Limits,
}

/// What the engine answered, unless it asked to come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 2xx or 4xx.
    pub status: StatusCode,
    /// At most [`Limits::body`].
    pub body: Bytes,
}

impl Engine {
    /// Reads the kubeconfig and its certificates; speaks to nobody yet.
    pub fn load(file: &Path, limits: Limits) -> Result<Self, WayError> {
        Ok(Self { way: Way::load(file, "the policy engine")?, limits })
    }

    /// The server's address as the kubeconfig gives it, path included.
    pub fn url(&self) -> &Url {
        &self.way.url
    }

    /// Posts JSON once. Takes at most `limit`.
    pub async fn post(&self, url: &Url, body: Bytes, limit: Duration) -> Result<Answer, Fault> {
        let limit = limit.min(self.limits.exchange);
        timeout(limit, self.exchange(url, body)).await.map_err(|_| Fault::TimedOut(limit))?
    }

    async fn exchange(&self, url: &Url, body: Bytes) -> Result<Answer, Fault> {
        let request = self.way.http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let request = self.way.credentials.authenticate(request).await?;
        let answer = request.send().await.map_err(Fault::of)?;
        let (status, retry_after) = (answer.status(), retry_after(&answer));
        let body = outbound::read(answer, self.limits.body).await;
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            // Half an error message is still this error.
            return Err(Fault::Busy { status, message: said(&body.unwrap_or_default()), retry_after });
        }
        if status.is_redirection() || status.is_informational() {
            return Err(Fault::Redirected(status));
        }
        Ok(Answer { status, body: body? })
    }
}

/// Seconds; the form with a date is not used by engines.
fn retry_after(answer: &Response) -> Option<Duration> {
    let text = answer.headers().get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// The sentence in an error body as OPA and Plimsoll write it, with the first of the errors that made it and its place, short enough for a
/// message; empty if there is none. Nothing else of a body is shown to users: it may be anybody's (CVE-2020-8561).
pub fn said(body: &[u8]) -> String {
    const MOST: usize = 300;
    let body: Json = serde_json::from_slice(body).unwrap_or_default();
    let text = |pointer: &str| body.pointer(pointer).and_then(Json::as_str);
    let mut message = text("/message").unwrap_or_default().to_owned();
    if let Some(first) = text("/errors/0/message").filter(|_| !message.is_empty()) {
        message = format!("{message}: {first}");
        if let (Some(file), Some(row)) = (text("/errors/0/location/file"), body.pointer("/errors/0/location/row")) {
            message = format!("{message} ({file}:{row})");
        }
    }
    message.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::said;

    #[test]
    fn the_first_error_is_said_with_its_place() {
        let error = json!({"message": "two values", "location": {"file": "b.rego", "row": 3, "col": 1}});
        let body = |errors| json!({"code": "internal_error", "message": "evaluating query", "errors": errors}).to_string();
        let cases = [
            (body(json!([error])), "evaluating query: two values (b.rego:3)"),
            (body(json!([{"message": "late"}])), "evaluating query: late"),
            (body(json!("odd")), "evaluating query"),
            (json!({"errors": [error]}).to_string(), ""),
            ("[".to_owned(), ""),
        ];
        for (body, expected) in cases {
            assert_eq!(said(body.as_bytes()), expected);
        }
    }
}
