//! One client for everybody, whose credentials can be exchanged behind it.
//!
//! Each request goes out by the client of that time, so nobody has to ask for a new one; what stays open for long, a watch, is
//! told when it was opened with old credentials.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use kube::core::Status;
use kube::core::response::StatusDetails;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::fingerprint::Fingerprint;
use super::{Access, AccessError, build, config};

/// The way to the API server.
#[derive(Clone)]
pub struct Connection {
    /// For requests.
    pub client: Client,
    /// Where the credentials come from; nothing: a client was given.
    pub credentials: Option<Arc<str>>,
    pub(super) shared: Arc<Shared>,
    pub(super) opened_with: Fingerprint,
}

/// State that the client and the exchange of its credentials share.
pub(super) struct Shared {
    current: ArcSwap<Client>,
    swaps: watch::Sender<u64>,
    refusal: Mutex<Option<String>>,
    refused: Notify,
}

impl Connection {
    /// Reads the credentials. It does not speak to the API server: one that is away is no error here.
    pub async fn open(access: &Access) -> Result<Self, AccessError> {
        // Read before the credentials are: what changes between the two is noticed.
        let opened_with = Fingerprint::of(access);
        let config = config(access).await?;
        tracing::info!(server = %config.cluster_url, credentials = %access, "the API server");
        Ok(Self { opened_with, credentials: Some(access.to_string().into()), ..Self::of(build(config).await?) })
    }

    /// Around a client.
    pub fn of(client: Client) -> Self {
        let namespace = client.default_namespace().to_owned();
        let shared = Arc::new(Shared {
            current: ArcSwap::from_pointee(client),
            swaps: watch::Sender::new(0),
            refusal: Mutex::default(),
            refused: Notify::new(),
        });
        let sent = shared.clone();
        let service = tower::service_fn(move |request| sent.clone().send(request));
        Self { client: Client::new(service, namespace), credentials: None, shared, opened_with: Fingerprint::default() }
    }

    /// For tests: as if new credentials had been taken into use.
    #[cfg(test)]
    pub(crate) fn exchange(&self, client: Client) {
        self.shared.swap(client);
    }

    /// Changes when the credentials are exchanged.
    pub fn swaps(&self) -> watch::Receiver<u64> {
        self.shared.swaps.subscribe()
    }
}

impl Shared {
    async fn send(self: Arc<Self>, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        let client = self.current.load_full();
        let answer = client.send(request).await?;
        match answer.status() {
            StatusCode::UNAUTHORIZED => self.unauthorized(answer).await,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => busy(answer).await,
            _ => Ok(answer),
        }
    }

    async fn unauthorized(&self, answer: Response<Body>) -> Result<Response<Body>, kube::Error> {
        let (parts, body) = answer.into_parts();
        let body = body.collect_bytes().await?;
        let said = serde_json::from_slice::<Status>(&body).map(|status| status.message).unwrap_or_default();
        *self.refusal.lock() = Some(format!("401 Unauthorized: {said}"));
        self.refused.notify_one();
        Ok(Response::from_parts(parts, Body::from(body)))
    }

    /// The client in use.
    pub(super) fn current(&self) -> Arc<Client> {
        self.current.load_full()
    }

    /// Returns the API server's message of the last refusal of the credentials, and forgets it; `None` without a new one.
    pub(super) fn take_refusal(&self) -> Option<String> {
        self.refusal.lock().take()
    }

    /// Waits until the API server refuses the credentials.
    pub(super) async fn refused(&self) {
        self.refused.notified().await;
    }

    /// From now on requests go out by `client`.
    pub(super) fn swap(&self, client: Client) {
        self.current.store(Arc::new(client));
        self.take_refusal();
        self.swaps.send_modify(|swaps| *swaps += 1);
    }
}

/// Kubernetes says how long to wait in a header, kube reads the body alone: it is put there.
async fn busy(answer: Response<Body>) -> Result<Response<Body>, kube::Error> {
    let Some(after) = retry_after(&answer) else { return Ok(answer) };
    let (mut parts, body) = answer.into_parts();
    let body = body.collect_bytes().await?;
    let unread = || Status::failure(String::from_utf8_lossy(&body).trim(), "Busy").with_code(parts.status.as_u16());
    let mut status = serde_json::from_slice::<Status>(&body).unwrap_or_else(|_| unread());
    let seconds = after.as_secs().try_into().unwrap_or(u32::MAX);
    let details = status.details.get_or_insert_with(|| nothing(seconds));
    if details.retry_after_seconds == 0 {
        details.retry_after_seconds = seconds;
    }
    parts.headers.remove(http::header::CONTENT_LENGTH);
    let body = serde_json::to_vec(&status).map_err(kube::Error::SerdeError)?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn nothing(retry_after_seconds: u32) -> StatusDetails {
    let (name, group, kind, uid) = Default::default();
    StatusDetails { name, group, kind, uid, causes: vec![], retry_after_seconds }
}

/// Whole seconds, as API servers send it.
fn retry_after(answer: &Response<Body>) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use kube::core::Request;
    use kube::core::params::ListParams;

    use super::*;
    use crate::cluster::Fault;
    use crate::scripted::{Scripted, call};

    async fn refused(body: &str, status: u16, header: Option<&str>) -> Fault {
        let answer = call(&["GET /api/v1/pods"], status, body);
        let answer = header.into_iter().fold(answer, |answer, seconds| answer.header("retry-after", seconds));
        let server = Scripted::start(vec![answer]).await;
        let connection = Connection::of(server.client());
        let request = Request::new("/api/v1/pods").list(&ListParams::default()).unwrap();
        connection.client.request_text(request).await.map_err(Fault::from).unwrap_err()
    }

    #[tokio::test]
    async fn retry_after_is_read_from_the_header_whatever_the_body_is() {
        let status = r#"{"kind":"Status","code":429,"reason":"TooManyRequests","message":"later"}"#;
        for (body, code, header, expected) in [
            ("Too many requests, please try again later.\n", 429, Some("7"), Some(7)),
            (status, 429, Some("7"), Some(7)),
            (status, 429, None, None),
            ("starting", 503, Some("1"), Some(1)),
            ("starting", 503, Some("soon"), None),
        ] {
            let fault = refused(body, code, header).await;
            assert_eq!(fault.code(), Some(code), "{body}");
            assert_eq!(fault.retry_after(), expected.map(Duration::from_secs), "{body}");
        }
    }
}
