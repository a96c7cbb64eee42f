//! One request and its answer, bounded in time and size. kube's own calls keep neither the headers of a failure, where `Retry-After` is,
//! nor a limit.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kube::Client;
use kube::client::Body;
use kube::core::Status;
use tokio::time::timeout;

use crate::cluster::Fault;
use crate::plan::pace::Load;

/// The largest answer that is read; etcd holds objects of 1.5 MiB by default.
const LARGEST: usize = 8 << 20;
/// Of an error that is no `Status`, such as a proxy's page.
const LONGEST_MESSAGE: usize = 200;

/// A request that failed.
#[derive(Debug)]
pub(super) struct Failed {
    /// Why.
    pub(super) fault: Fault,
    /// What the API server asks for.
    retry_after: Option<Duration>,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { fault, retry_after: None }
    }
}

impl Failed {
    /// Returns what the result shows of the API server's load: a refusal is an answer like any other.
    pub(super) fn load(&self) -> Load {
        match (&self.fault, self.fault.code()) {
            (_, Some(429 | 500..)) | (Fault::TimedOut(_) | Fault::Unreachable(_), None) => {
                Load::Trouble { retry_after: self.retry_after }
            }
            _ => Load::Fine,
        }
    }
}

/// Sends `request` and reads the answer within `limit`.
pub(super) async fn send(client: &Client, request: Request<Vec<u8>>, limit: Duration) -> Result<Bytes, Failed> {
    match timeout(limit, exchange(client, request)).await {
        Ok(answer) => answer,
        Err(_) => Err(Fault::TimedOut(limit).into()),
    }
}

async fn exchange(client: &Client, request: Request<Vec<u8>>) -> Result<Bytes, Failed> {
    let response = client.send(request.map(Body::from)).await.map_err(Fault::from)?;
    let (status, header) = (response.status(), retry_after(&response));
    let body = Limited::new(response.into_body(), LARGEST).collect().await.map_err(unread)?.to_bytes();
    if status.is_success() { Ok(body) } else { Err(failure(status, header, &body)) }
}

/// In seconds; the API server does not write dates.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get(http::header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Many errors have a `Status` in the body; what priority and fairness or a proxy says is text.
fn failure(code: StatusCode, header: Option<Duration>, body: &[u8]) -> Failed {
    let status =
        serde_json::from_slice::<Status>(body).ok().filter(|status| !status.message.is_empty() || !status.reason.is_empty());
    let wished = status.as_ref().and_then(|status| status.details.as_ref()).map(|details| details.retry_after_seconds);
    let retry_after = header.or(wished.filter(|seconds| *seconds > 0).map(|seconds| Duration::from_secs(seconds.into())));
    let (reason, message) = match status {
        Some(status) => (status.reason, status.message),
        None => {
            let text = String::from_utf8_lossy(body);
            (code.canonical_reason().unwrap_or_default().to_owned(), text.trim().chars().take(LONGEST_MESSAGE).collect())
        }
    };
    Failed { fault: Fault::Answered { code: code.as_u16(), reason, message }, retry_after }
}

fn unread(error: Box<dyn std::error::Error + Send + Sync>) -> Failed {
    if error.is::<LengthLimitError>() {
        return Fault::Unreadable(format!("it is longer than {LARGEST} bytes")).into();
    }
    match error.downcast::<kube::Error>() {
        Ok(error) => Fault::from(*error).into(),
        Err(error) => Fault::Unreadable(error.to_string()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TROUBLE: Load = Load::Trouble { retry_after: None };

    #[test]
    fn a_refusal_is_an_answer_and_silence_is_trouble() {
        let failed = |code| failure(StatusCode::from_u16(code).unwrap(), None, b"no").load();
        for code in [400, 403, 404, 409, 422] {
            assert_eq!(failed(code), Load::Fine, "{code}");
        }
        for code in [429, 500, 503, 504] {
            assert_eq!(failed(code), TROUBLE, "{code}");
        }
        assert_eq!(Failed::from(Fault::TimedOut(Duration::ZERO)).load(), TROUBLE);
        assert_eq!(Failed::from(Fault::Unreadable(String::new())).load(), Load::Fine);
    }

    #[test]
    fn the_wait_that_is_asked_for_is_in_the_header_or_in_the_status() {
        let status = br#"{"code":429,"reason":"TooManyRequests","message":"slow","details":{"retryAfterSeconds":3}}"#;
        let load = |header, body: &[u8]| failure(StatusCode::TOO_MANY_REQUESTS, header, body).load();
        let after = |seconds| Load::Trouble { retry_after: Some(Duration::from_secs(seconds)) };
        assert_eq!(load(None, status), after(3));
        assert_eq!(load(Some(Duration::from_secs(1)), b"Too many requests, please try again later."), after(1));
    }
}
