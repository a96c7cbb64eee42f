//! What a request may cost before anything is decided: sizes of bodies, depth of JSON.

use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::dev::Decompress;
use actix_web::error::PayloadError;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Payload};
use flate2::write::MultiGzDecoder;
use futures::{Stream, StreamExt};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::rego::exact;
use crate::server::respond::ApiError;

/// Of a request for a decision: an object and its old form of 3 MiB each fit.
pub const DECISION: usize = 8 << 20;
/// Of a data PUT or PATCH, as in OPA.
pub const DATA: usize = 256 << 20;
/// Of a whole policy set or a declaration.
pub const POLICIES: usize = 32 << 20;

/// A sender that is silent for longer has gone, or holds a connection for nothing.
pub const SILENCE: Duration = Duration::from_secs(30);

/// What is read of a body that is refused, so that its sender is still listening when the answer comes.
const DRAINED: usize = 1 << 20;
/// Packed bytes between two looks at what they unpack to: at most a thousand times as many.
const PART: usize = 4 << 10;
/// For how long.
const DRAINING: Duration = Duration::from_secs(1);

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

/// What the configuration says of sizes (OPA's `server.decoding`); where it is silent, each kind of body has its own.
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
        Self::invalid(error.to_string())
    }
}

/// Reads a whole body, decompressed if it says gzip, within its limits.
pub async fn body(payload: Payload, headers: &HeaderMap, limit: impl Into<Limit>) -> Result<Bytes, BodyError> {
    let limit = limit.into();
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let mut sent = Sent { payload, left: limit.sent };
    let read = match announced.filter(|announced| *announced > limit.sent) {
        Some(size) => Err(BodyError::TooLarge { size: Some(size), limit: limit.sent }),
        None => unpacked(&mut sent, headers, limit).await,
    };
    if read.is_err() {
        sent.drain().await;
    }
    read
}

async fn unpacked(sent: &mut Sent, headers: &HeaderMap, limit: Limit) -> Result<Bytes, BodyError> {
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if coding.trim().eq_ignore_ascii_case("gzip") {
        return gunzipped(sent, limit).await;
    }
    let mut stream = Decompress::from_headers(sent, headers);
    let most = if headers.contains_key(header::CONTENT_ENCODING) { limit.unpacked } else { limit.sent };
    let mut body = BytesMut::new();
    while let Some(chunk) = next(&mut stream, limit).await? {
        if body.len().saturating_add(chunk.len()) > most {
            return Err(BodyError::UnpackedTooLarge(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

async fn next(
    stream: &mut (impl Stream<Item = Result<Bytes, PayloadError>> + Unpin),
    limit: Limit,
) -> Result<Option<Bytes>, BodyError> {
    let chunk = timeout(SILENCE, stream.next()).await.map_err(|_| BodyError::Stopped)?;
    chunk.transpose().map_err(|error| match error {
        PayloadError::Overflow => BodyError::TooLarge { size: None, limit: limit.sent },
        error => BodyError::Broken(error.to_string()),
    })
}

/// All members of a gzip body: the HTTP library reads the first one alone.
async fn gunzipped(sent: &mut Sent, limit: Limit) -> Result<Bytes, BodyError> {
    let broken = |error: std::io::Error| BodyError::Broken(error.to_string());
    let mut unpacker = MultiGzDecoder::new(Vec::new());
    while let Some(chunk) = next(sent, limit).await? {
        // Little at a time: what it unpacks to is known only afterwards.
        for part in chunk.chunks(PART) {
            unpacker.write_all(part).map_err(broken)?;
            if unpacker.get_ref().len() > limit.unpacked {
                return Err(BodyError::UnpackedTooLarge(limit.unpacked));
            }
        }
    }
    let body = unpacker.finish().map_err(broken)?;
    if body.len() > limit.unpacked { Err(BodyError::UnpackedTooLarge(limit.unpacked)) } else { Ok(body.into()) }
}

/// A body as it is sent, up to its limit.
struct Sent {
    payload: Payload,
    left: usize,
}

impl Stream for Sent {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.payload.poll_next_unpin(context));
        let Some(Ok(chunk)) = next else { return Poll::Ready(next) };
        Poll::Ready(Some(match self.left.checked_sub(chunk.len()) {
            Some(left) => {
                self.left = left;
                Ok(chunk)
            }
            None => Err(PayloadError::Overflow),
        }))
    }
}

impl Sent {
    /// Reads on for a while: whoever still writes when the connection closes may never see the answer.
    async fn drain(&mut self) {
        let drain = async {
            let mut drained = 0_usize;
            while let Some(Ok(chunk)) = self.payload.next().await {
                drained = drained.saturating_add(chunk.len());
                if drained > DRAINED {
                    return;
                }
            }
        };
        // What comes later is the sender's loss.
        let _ = timeout(DRAINING, drain).await;
    }
}

/// Parses JSON. `what` begins the message of a failure.
pub fn parse<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::invalid(format!("{what}: {}", explain(&error))))
}

/// Parses a document whose numbers must stay what they are.
pub fn document<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    let parsed = parse(body, what)?;
    exact::check(body).map_err(|error| ApiError::invalid(format!("{what}: {error}")))?;
    Ok(parsed)
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
