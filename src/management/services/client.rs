//! One service's client: URL, headers, credentials, timeouts.

use std::path::Path;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use parking_lot::Mutex;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};
use reqwest::{Method, RequestBuilder, Response};
use tokio::time::timeout;

use super::ServiceError;
use crate::management::config::services::{Bearer, ClientTls, Service};

/// A connection that nothing comes of.
const CONNECT: Duration = Duration::from_secs(10);
/// Of a token or a certificate.
const LARGEST: u64 = 1 << 20;

/// Speaks to one service.
pub struct Client {
    service: Service,
    http: Mutex<Http>,
}

struct Http {
    client: reqwest::Client,
    /// The client certificate's files, as they were when the client was made.
    identity: Option<Vec<u8>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("service", &self.service).finish_non_exhaustive()
    }
}

/// A GET request.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Below the service's URL.
    pub path: String,
    /// What we have.
    pub etag: String,
    /// `Prefer`.
    pub prefer: String,
    /// How much longer than usual the server may take, and `None` as long as it likes.
    pub patience: Option<Duration>,
    /// Bytes of the answer.
    pub limit: u64,
}

/// The answer to a GET request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Nothing if what we have is current.
    pub body: Option<Bytes>,
    /// Of the answer.
    pub etag: String,
    /// Of the answer.
    pub content_type: String,
}

impl Client {
    /// Reads credentials once, so that what is wrong with them shows at start.
    pub fn new(service: &Service) -> Result<Self, ServiceError> {
        let identity = identity(service)?;
        let client = build(service, identity.as_deref())?;
        Ok(Self { service: service.clone(), http: Mutex::new(Http { client, identity }) })
    }

    /// Sends a body that the server takes with any 2xx.
    pub async fn post(&self, path: &str, body: Bytes, gzipped: bool) -> Result<(), ServiceError> {
        let mut request = self.request(Method::POST, path)?.header(CONTENT_TYPE, "application/json");
        if gzipped {
            request = request.header(CONTENT_ENCODING, "gzip");
        }
        let response = self.answered(request.body(body), Duration::ZERO).await?;
        if response.status().is_success() { Ok(()) } else { Err(ServiceError::Status(response.status().as_u16())) }
    }

    /// Fetches what is newer than what we have.
    pub async fn get(&self, question: &Question) -> Result<Fetched, ServiceError> {
        let mut request = self.request(Method::GET, &question.path)?.header("Prefer", question.prefer.as_str());
        if !question.etag.is_empty() {
            request = request.header(IF_NONE_MATCH, question.etag.as_str());
        }
        let response = self.answered(request, question.patience.unwrap_or_default()).await?;
        let header =
            |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let (etag, content_type) = (header(ETAG), header(CONTENT_TYPE));
        match response.status().as_u16() {
            304 => Ok(Fetched { body: None, etag, content_type }),
            200 => Ok(Fetched { body: Some(body(response, question.limit).await?), etag, content_type }),
            other => Err(ServiceError::Status(other)),
        }
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, ServiceError> {
        let url = format!("{}/{}", self.service.url.trim_end_matches('/'), path.trim_matches('/'));
        let mut request = self.client()?.request(method, url);
        for (name, value) in &self.service.headers {
            let why =
                |why: &dyn std::fmt::Display| ServiceError::Credentials { what: format!("header {name}"), why: why.to_string() };
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| why(&error))?;
            let mut value = HeaderValue::from_str(&value.0).map_err(|error| why(&error))?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        match &self.service.credentials.bearer {
            Some(bearer) => authorized(request, bearer),
            None => Ok(request),
        }
    }

    /// The client, made anew when the certificate has changed.
    fn client(&self) -> Result<reqwest::Client, ServiceError> {
        let identity = identity(&self.service)?;
        let mut http = self.http.lock();
        if http.identity != identity {
            http.client = build(&self.service, identity.as_deref())?;
            http.identity = identity;
        }
        Ok(http.client.clone())
    }

    /// Sends, and waits for the answer to begin.
    async fn answered(&self, request: RequestBuilder, patience: Duration) -> Result<Response, ServiceError> {
        let wait = self.service.response_header_timeout_seconds;
        let sent = request.send();
        let answer = if wait == 0 {
            sent.await
        } else {
            let wait = Duration::from_secs(wait) + patience;
            let late = |_| ServiceError::Request(format!("{}: no answer within {} s", self.service.origin(), wait.as_secs()));
            timeout(wait, sent).await.map_err(late)?
        };
        answer.map_err(|error| failed(&error))
    }
}

impl Service {
    /// Scheme, host and port of its URL, which may hold a password beside.
    fn origin(&self) -> String {
        reqwest::Url::parse(&self.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }
}

/// Who was asked, and the causes; not the whole URL, which may hold a password.
fn failed(error: &reqwest::Error) -> ServiceError {
    let mut text = error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}{}{inner}", if text.is_empty() { "" } else { ": " });
        cause = inner.source();
    }
    ServiceError::Request(if text.is_empty() { "the connection failed".into() } else { text })
}

async fn body(response: Response, limit: u64) -> Result<Bytes, ServiceError> {
    let mut stream = response.bytes_stream();
    let mut whole = BytesMut::new();
    let silent = |_| ServiceError::Request("the answer stopped half way".into());
    while let Some(piece) = timeout(Duration::from_secs(30), stream.next()).await.map_err(silent)? {
        let piece = piece.map_err(|error| failed(&error))?;
        if (whole.len() + piece.len()) as u64 > limit {
            return Err(ServiceError::TooLarge(limit));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

fn authorized(request: RequestBuilder, bearer: &Bearer) -> Result<RequestBuilder, ServiceError> {
    let token = match &bearer.token_path {
        None => bearer.token.0.clone(),
        Some(path) => {
            let text = String::from_utf8(read(path)?);
            text.map_err(|_| unusable(path, "it is not UTF-8"))?.trim().to_owned()
        }
    };
    let scheme = bearer.scheme.as_deref().unwrap_or("Bearer");
    let mut value = HeaderValue::from_str(&format!("{scheme} {token}")).map_err(|_| ServiceError::Credentials {
        what: "credentials.bearer".into(),
        why: "the token is no header value".into(),
    })?;
    value.set_sensitive(true);
    Ok(request.header(reqwest::header::AUTHORIZATION, value))
}

fn build(service: &Service, identity: Option<&[u8]>) -> Result<reqwest::Client, ServiceError> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .user_agent(concat!("Plimsoll/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .tls_danger_accept_invalid_certs(service.allow_insecure_tls);
    if let Some(path) = &service.tls.ca_cert {
        let authorities =
            reqwest::Certificate::from_pem_bundle(&read(path)?).map_err(|error| unusable(path, &error.to_string()))?;
        builder = if service.tls.system_ca_required {
            builder.tls_certs_merge(authorities)
        } else {
            builder.tls_certs_only(authorities)
        };
    }
    if let (Some(pem), Some(files)) = (identity, &service.credentials.client_tls) {
        let identity = reqwest::Identity::from_pem(pem).map_err(|error| unusable(&files.cert, &error.to_string()))?;
        builder = builder.identity(identity);
    }
    builder.build().map_err(|error| match &service.credentials.client_tls {
        Some(files) => unusable(&files.cert, &format!("it does not go together with its private key: {error}")),
        None => ServiceError::Request(format!("no client can be made: {error}")),
    })
}

fn identity(service: &Service) -> Result<Option<Vec<u8>>, ServiceError> {
    let Some(ClientTls { cert, private_key }) = &service.credentials.client_tls else { return Ok(None) };
    let mut pem = read(private_key)?;
    pem.push(b'\n');
    pem.extend(read(cert)?);
    Ok(Some(pem))
}

fn read(path: &Path) -> Result<Vec<u8>, ServiceError> {
    use std::io::Read;
    let mut content = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut content));
    read.map(|_| content).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> ServiceError {
    ServiceError::Credentials { what: path.display().to_string(), why: why.into() }
}
