//! What a request may cost before anything is decided: sizes and pace of bodies, memory, depth of JSON.

mod body;

use std::marker::PhantomData;
use std::time::Duration;

use actix_web::http::StatusCode;
use serde::de::{DeserializeOwned, DeserializeSeed};

use crate::budget::BudgetError;
use crate::server::respond::ApiError;
use crate::state::incoming::At;
use crate::state::{Incoming, exact};

pub use body::{Body, Unread, body, read};

/// Of a request for a decision: an object and its old form of 3 MiB each fit.
pub const DECISION: usize = 8 << 20;
/// Of a data PUT or PATCH, as in OPA.
pub const DATA: usize = 256 << 20;
/// Of a whole policy set or a declaration.
pub const POLICIES: usize = 32 << 20;

/// A sender that is silent for longer has gone, or holds a connection for nothing.
pub const SILENCE: Duration = Duration::from_secs(30);

/// Bytes a second that a sender makes at least, on average.
pub const PACE: u32 = 16 << 10;
/// Before the pace counts.
pub const START: Duration = Duration::from_secs(5);

/// The sizes of one kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    sent: usize,
    unpacked: usize,
}

impl From<usize> for Limit {
    fn from(bytes: usize) -> Self {
        Self { sent: bytes, unpacked: bytes }
    }
}

/// Limits of bodies in the configuration (OPA's `server.decoding`); where there is none, each kind of body has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// As sent.
    pub sent: Option<usize>,
    /// Without compression.
    pub unpacked: Option<usize>,
}

impl Sizes {
    /// Of a kind of body.
    pub fn of(self, own: usize) -> Limit {
        Limit { sent: self.sent.unwrap_or(own), unpacked: self.unpacked.unwrap_or(own) }
    }
}

/// Why a body could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// More than the limit, as sent; how much, if it was said.
    #[error("request body too large:{} exceeds limit of {limit} bytes (server.decoding.max_length)", in_words(*size))]
    TooLarge {
        /// What was announced.
        size: Option<usize>,
        /// What is read.
        limit: usize,
    },
    /// More than the limit after decompression.
    #[error("request body too large: decompressed size exceeds limit of {0} bytes (server.decoding.gzip.max_length)")]
    UnpackedTooLarge(usize),
    /// Nothing came for a while.
    #[error("the request body stopped: nothing came for {} s", SILENCE.as_secs())]
    Stopped,
    /// Too little came.
    #[error("the request body came too slowly: less than {} KiB/s after {} s", PACE >> 10, START.as_secs())]
    Slow,
    /// The memory for it.
    #[error("the request body is not read: {0}")]
    Budget(#[from] BudgetError),
    /// The connection or the compression broke.
    #[error("the request body could not be read: {0}")]
    Broken(String),
}

/// In the largest unit that it reaches, as OPA writes it (`v1/util/read_gzip_body.go`).
fn in_words(size: Option<usize>) -> String {
    let Some(size) = size else { return String::new() };
    let unit = [("GiB", 1_usize << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)].into_iter().find(|(_, unit)| size >= *unit);
    let Some((name, unit)) = unit else { return format!(" {size} bytes") };
    // Sizes are far below what a double counts exactly.
    let tenths = format!("{:.1}", size as f64 / unit as f64);
    format!(" {} {name}", tenths.strip_suffix(".0").unwrap_or(&tenths))
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Slow => Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", error.to_string()),
            BodyError::Budget(error) => error.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

impl From<BudgetError> for ApiError {
    fn from(error: BudgetError) -> Self {
        match error {
            BudgetError::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error.to_string()),
            BudgetError::Full => Self::too_many("memory", error.to_string()),
        }
    }
}

/// Parses JSON. `what` begins the message of a failure.
pub fn parse<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::invalid(format!("{what}: {}", explain(&error))))
}

/// Parses a document whose numbers must stay what they are.
pub fn document<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    document_by(body, PhantomData, what)
}

/// Reads a document for a place so many names below `data`, whose numbers must stay what they are. `what` begins the message of a
/// failure.
pub fn incoming(body: &[u8], depth: usize, what: &str) -> Result<Incoming, ApiError> {
    document_by(body, At(depth), what)
}

/// Reads what a seed makes of a document whose numbers must stay what they are. `what` begins the message of a failure.
pub fn document_by<'b, S: DeserializeSeed<'b>>(body: &'b [u8], seed: S, what: &str) -> Result<S::Value, ApiError> {
    let mut text = serde_json::Deserializer::from_slice(body);
    let read = seed.deserialize(&mut text).and_then(|read| text.end().map(|()| read));
    let read = read.map_err(|error| ApiError::invalid(format!("{what}: {}", explain(&error))))?;
    exact::check(body).map_err(|error| ApiError::invalid(format!("{what}: {error}")))?;
    Ok(read)
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
    fn sizes_are_written_as_opa_writes_them() {
        let table = [
            (None, ""),
            (Some(5), " 5 bytes"),
            (Some(12_000_012), " 11.4 MiB"),
            (Some(256 << 20), " 256 MiB"),
            (Some(3 << 30), " 3 GiB"),
        ];
        for (size, expected) in table {
            assert_eq!(in_words(size), expected);
        }
    }

    #[test]
    fn a_syntax_error_says_what_and_where() {
        let error = parse::<Value>(b"{\"a\":", "body contains malformed input document").unwrap_err();
        assert!(error.message.starts_with("body contains malformed input document: EOF"), "{error}");
    }
}
