//! HTTP/1.1 by hand: paths and bodies go out exactly as a case says, however odd.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::http::support::DEADLINE;

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// What came back.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// The value of a header, or nothing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Asks on a connection of its own.
pub(super) fn ask(address: &str, request: &Request) -> Result<Reply, String> {
    let mut stream = TcpStream::connect(address).map_err(|error| format!("no connection to {address}: {error}"))?;
    stream.set_read_timeout(Some(DEADLINE)).and_then(|()| stream.set_write_timeout(Some(DEADLINE))).unwrap();
    let mut head = format!("{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !request.body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        head += &format!("content-length: {}\r\n", request.body.len());
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).map_err(|error| format!("the head cannot be sent: {error}"))?;
    // A server that refuses a large body early answers and closes; its answer is what counts.
    let _ = stream.write_all(&request.body);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer)
        && answer.is_empty()
    {
        return Err(format!("no answer within {:?}: {error}", Duration::from_secs(DEADLINE.as_secs())));
    }
    parse(&answer, request.method == "HEAD").ok_or_else(|| format!("no HTTP answer: {}", String::from_utf8_lossy(&answer)))
}

fn parse(answer: &[u8], head_only: bool) -> Option<Reply> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> =
        lines.filter_map(|line| line.split_once(':')).map(|(n, v)| (n.to_ascii_lowercase(), v.trim().to_owned())).collect();
    let rest = &answer[end + 4..];
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if head_only {
        Vec::new()
    } else if chunked {
        chunks(rest)?
    } else {
        rest.to_vec()
    };
    Some(Reply { status, headers, body })
}

fn chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?.split(';').next()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 4 + size..)?;
    }
}
