//! HTTP/1.1 messages, as far as a proxy must understand them.

use std::io::{self, BufRead};

/// Longest head, and longest body of a request.
const LONGEST: usize = 16 << 20;

/// What is answered in the API server's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Unauthorized,
    TooMany,
}

/// One request, whole.
pub(super) struct Request {
    /// Head and body, as they came.
    pub(super) bytes: Vec<u8>,
    pub(super) is_watch: bool,
}

/// An answer's head, and what follows it.
pub(super) struct Answer {
    pub(super) head: Vec<u8>,
    pub(super) body: Body,
    /// The connection cannot be used again.
    pub(super) closes: bool,
}

/// How a body ends.
pub(super) enum Body {
    Length(usize),
    Chunks,
}

impl Refusal {
    /// As an API server says it.
    pub(super) fn text(self) -> String {
        let (code, reason, header) = match self {
            Self::Unauthorized => (401, "Unauthorized", ""),
            Self::TooMany => (429, "TooManyRequests", "Retry-After: 1\r\n"),
        };
        let status = serde_json::json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": reason, "reason": reason,
            "details": {"retryAfterSeconds": 1}, "code": code,
        });
        let (body, kind) = (status.to_string(), "Content-Type: application/json");
        format!("HTTP/1.1 {code} {reason}\r\n{header}{kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    }
}

struct Head {
    first: String,
    bytes: Vec<u8>,
    length: Option<usize>,
    is_chunked: bool,
    closes: bool,
}

/// The next request; `None` when the client has hung up.
pub(super) fn request(from: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(head) = head(from)? else { return Ok(None) };
    let query = head.first.split(' ').nth(1).and_then(|target| target.split_once('?')).map_or("", |(_, query)| query);
    let is_watch = query.split('&').any(|part| matches!(part, "watch=true" | "watch=1"));
    let mut bytes = head.bytes;
    if head.is_chunked {
        loop {
            let (chunk, is_last) = chunk(from)?;
            bytes.extend(chunk);
            if is_last {
                break;
            }
        }
    }
    let start = bytes.len();
    bytes.resize(start + bounded(head.length.unwrap_or_default())?, 0);
    from.read_exact(&mut bytes[start..])?;
    Ok(Some(Request { bytes, is_watch }))
}

/// The head of the answer to it.
pub(super) fn answer(from: &mut impl BufRead) -> io::Result<Answer> {
    let head = head(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let has_none = [" 204 ", " 304 "].iter().any(|status| head.first.contains(status));
    let (body, is_open) = match (head.is_chunked, head.length) {
        _ if has_none => (Body::Length(0), false),
        (true, _) => (Body::Chunks, false),
        (false, Some(length)) => (Body::Length(length), false),
        // Until the other side hangs up.
        (false, None) => (Body::Length(usize::MAX), true),
    };
    Ok(Answer { head: head.bytes, body, closes: head.closes || is_open })
}

/// A chunk with its frame, and whether it is the last.
pub(super) fn chunk(from: &mut impl BufRead) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    let line = String::from_utf8_lossy(&bytes).trim().to_owned();
    let size = line.split(';').next().and_then(|size| usize::from_str_radix(size, 16).ok());
    let size = bounded(size.ok_or(io::ErrorKind::InvalidData)?)?;
    let start = bytes.len();
    bytes.resize(start + size + 2, 0);
    from.read_exact(&mut bytes[start..])?;
    Ok((bytes, size == 0))
}

fn head(from: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut head = Head { first: String::new(), bytes: Vec::new(), length: None, is_chunked: false, closes: false };
    loop {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line)?;
        head.bytes.extend(&line);
        bounded(head.bytes.len())?;
        let text = String::from_utf8_lossy(&line).trim_end().to_ascii_lowercase();
        match text.split_once(':') {
            _ if line.is_empty() => return Ok(None),
            _ if head.first.is_empty() => head.first = text,
            _ if text.is_empty() => return Ok(Some(head)),
            Some(("content-length", value)) => head.length = value.trim().parse().ok(),
            Some(("transfer-encoding", value)) => head.is_chunked = value.contains("chunked"),
            Some(("connection", value)) => head.closes = value.contains("close"),
            _ => (),
        }
    }
}

fn bounded(length: usize) -> io::Result<usize> {
    if length <= LONGEST { Ok(length) } else { Err(io::ErrorKind::InvalidData.into()) }
}

#[cfg(test)]
mod tests {
    // Without imports: benchmarks have no tests that could use them.
    #[test]
    fn a_watch_is_known_by_its_query() {
        let is_watch =
            |target: &str| super::request(&mut format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes()).unwrap().unwrap().is_watch;
        assert!(is_watch("/api/v1/pods?allowWatchBookmarks=true&watch=true"));
        assert!(!is_watch("/api/v1/pods?limit=1") && !is_watch("/api/v1/watch"));
    }
}
