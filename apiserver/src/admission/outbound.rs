//! The way out of the server, as every client of admission takes it: HTTP/1.1, no proxy, no redirect, answers with a limit.
//!
//! Redirects are not followed, so that no credential and no object goes where nobody said (CVE-2020-8559, CVE-2020-8561,
//! CVE-2022-3172), and an answer is not read beyond a limit (CVE-2025-32777).

mod peer;
mod way;

use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{ClientBuilder, Response};

pub use peer::{GetError, Peer};
pub use way::{Way, WayError};

/// Connecting takes longer than this only when nobody is there.
const CONNECT: Duration = Duration::from_secs(5);
/// An idle connection is given up before most servers do.
const IDLE: Duration = Duration::from_secs(30);

/// An answer that was not read to its end.
#[derive(Debug)]
pub enum ReadError {
    /// More than this many bytes.
    TooLarge(usize),
    /// The connection broke.
    Broken(reqwest::Error),
}

/// What every client begins with.
pub fn builder() -> ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
        // HTTP/2 pins all calls to one backend (kubernetes/kubernetes#75791).
        .http1_only()
        // A proxy for the way out must not see what admission sends.
        .no_proxy()
        .referer(false)
        .redirect(reqwest::redirect::Policy::none())
        // Whoever asks counts attempts.
        .retry(reqwest::retry::never())
}

/// Reads a whole answer of at most `most` bytes; one that says that it is larger is not read at all.
pub async fn read(mut answer: Response, most: usize) -> Result<Bytes, ReadError> {
    if answer.content_length().is_some_and(|length| length > most as u64) {
        return Err(ReadError::TooLarge(most));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(ReadError::Broken)? {
        if body.len() + chunk.len() > most {
            return Err(ReadError::TooLarge(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

/// The cause behind all wrappers, which only say that something failed.
pub fn innermost(error: &(dyn Error + 'static)) -> String {
    chain(error).last().unwrap_or(error).to_string()
}

/// Whether the peer's certificate is the cause.
pub fn is_about_certificates(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| matches!(error.downcast_ref(), Some(rustls::Error::InvalidCertificate(_))))
}

/// The error and its causes. An `io::Error` hides what it wraps from `source`.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error))
}

fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
