//! What a request may cost before anything is decided: sizes of bodies, depth of JSON.

use std::time::Duration;

use actix_web::dev::Decompress;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Payload};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::server::respond::ApiError;

/// Of a request for a decision: an object and its old form of 3 MiB each fit.
pub const DECISION: usize = 8 << 20;
/// Of a data PUT or PATCH, as in OPA.
pub const DATA: usize = 256 << 20;
/// Of a whole policy set or a declaration.
pub const POLICIES: usize = 32 << 20;

/// A sender that is silent for longer has gone, or holds a connection for nothing.
pub const SILENCE: Duration = Duration::from_secs(30);

/// Why a body could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// More than the limit, after decompression.
    #[error("request body too large")]
    TooLarge,
    /// Nothing came for a while.
    #[error("the request body stopped: nothing came for {} s", SILENCE.as_secs())]
    Stopped,
    /// The connection or the compression broke.
    #[error("the request body could not be read: {0}")]
    Broken(String),
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        Self::invalid(error.to_string())
    }
}

/// Reads a whole body, decompressed if it says gzip, of at most `limit` bytes.
pub async fn body(payload: Payload, headers: &HeaderMap, limit: usize) -> Result<Bytes, BodyError> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|announced| announced > limit) {
        return Err(BodyError::TooLarge);
    }
    let mut stream = Decompress::from_headers(payload, headers);
    let mut body = BytesMut::new();
    while let Some(chunk) = timeout(SILENCE, stream.next()).await.map_err(|_| BodyError::Stopped)? {
        let chunk = chunk.map_err(|error| BodyError::Broken(error.to_string()))?;
        if body.len().saturating_add(chunk.len()) > limit {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Parses JSON. `what` begins the message of a failure.
pub fn parse<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::invalid(format!("{what}: {}", explain(&error))))
}

/// Says clearly when JSON is too deep: a caller's own parser may well accept it.
pub fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("recursion limit exceeded") {
        Some(place) => format!("JSON is nested too deeply, at most 127 levels are read{place}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn depth_has_a_limit_and_a_clear_message() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse::<Value>(nested(127).as_bytes(), "body").is_ok());
        for levels in [128, 10_000] {
            let error = parse::<Value>(nested(levels).as_bytes(), "body").unwrap_err();
            assert!(error.message.contains("nested too deeply"), "{error}");
            assert_eq!(error.status.as_u16(), 400);
        }
    }

    #[test]
    fn a_syntax_error_says_what_and_where() {
        let error = parse::<Value>(b"{\"a\":", "body contains malformed input document").unwrap_err();
        assert!(error.message.starts_with("body contains malformed input document: EOF"), "{error}");
    }
}
