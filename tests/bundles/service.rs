//! A service of OPA's management API, on a thread of its own: gives bundles, takes logs and status.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use parking_lot::{Condvar, Mutex};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value as Json;

use super::support::DEADLINE;

/// What it has and what it got.
#[derive(Default)]
pub(crate) struct State {
    /// Path to tarball and ETag.
    pub(crate) bundles: BTreeMap<String, (Vec<u8>, String)>,
    /// Answers 503 to everything.
    pub(crate) away: bool,
    /// Holds a request for a bundle back until there is a newer one, if it is asked to wait.
    pub(crate) long_polling: bool,
    /// Events of the decision log, in order of arrival.
    pub(crate) events: Vec<Json>,
    /// Status reports.
    pub(crate) reports: Vec<Json>,
    /// Method and path, with the headers in lower case.
    pub(crate) requests: Vec<(String, BTreeMap<String, String>)>,
}

/// A running service.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) url: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Service {
    pub(crate) fn start() -> Self {
        Self::listening("http://127.0.0.1", |stream| stream)
    }

    /// Behind TLS, for `localhost`.
    pub(crate) fn secured(config: ServerConfig) -> Self {
        let config = Arc::new(config);
        Self::listening("https://localhost", move |stream| {
            StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream)
        })
    }

    fn listening<S: Read + Write + Send + 'static>(host: &str, wrapped: impl Fn(TcpStream) -> S + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{host}:{}", listener.local_addr().unwrap().port());
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, stream) = (Arc::clone(&shared), wrapped(stream));
                // A client that hangs up is no concern of ours.
                std::thread::spawn(move || answer(stream, &state));
            }
        });
        Self { url, state }
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.0.lock())
    }

    /// Waits until what it has or got is as it should be.
    pub(crate) async fn eventually<T>(&self, what: &str, look: impl Fn(&State) -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(found) = self.with(|state| look(state)) {
                return found;
            }
            assert!(Instant::now() < deadline, "never at the service: {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn offer(&self, path: &str, tarball: Vec<u8>, etag: &str) {
        self.with(|state| state.bundles.insert(path.to_owned(), (tarball, etag.to_owned())));
        self.state.1.notify_all();
    }
}

fn answer(stream: impl Read + Write, (state, news): &(Mutex<State>, Condvar)) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let body = body(&mut reader, &headers)?;
    let mut state = state.lock();
    state.requests.push((format!("{method} {path}"), headers.clone()));
    let waits = state.long_polling && headers.get("prefer").is_some_and(|prefer| prefer.contains("wait="));
    while waits && method == "GET" && respond(&mut state, &method, &path, &headers, Vec::new()).0 == 304 {
        if news.wait_for(&mut state, DEADLINE).timed_out() {
            break;
        }
    }
    let long_polling = state.long_polling;
    let (status, etag, content) =
        if state.away { (503, String::new(), Vec::new()) } else { respond(&mut state, &method, &path, &headers, body) };
    drop(state);
    let stream = reader.get_mut();
    let kind = if long_polling { "application/vnd.openpolicyagent.bundles" } else { "application/gzip" };
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nContent-Type: {kind}\r\nETag: {etag}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&content)).and_then(|()| stream.flush()).ok()
}

fn body(reader: &mut impl BufRead, headers: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            if size == 0 {
                break;
            }
            body.extend_from_slice(&chunk[..size]);
        }
    } else {
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
    }
    if headers.get("content-encoding").is_some_and(|coding| coding == "gzip") {
        let mut plain = Vec::new();
        GzDecoder::new(body.as_slice()).read_to_end(&mut plain).ok()?;
        body = plain;
    }
    Some(body)
}

fn respond(
    state: &mut State,
    method: &str,
    path: &str,
    headers: &BTreeMap<String, String>,
    body: Vec<u8>,
) -> (u16, String, Vec<u8>) {
    match (method, path) {
        ("POST", "/logs") => state.events.extend(serde_json::from_slice::<Vec<Json>>(&body).unwrap()),
        ("POST", path) if path.starts_with("/status") => state.reports.push(serde_json::from_slice(&body).unwrap()),
        ("GET", path) => {
            let Some((tarball, etag)) = state.bundles.get(path) else { return (404, String::new(), Vec::new()) };
            let known = headers.get("if-none-match").is_some_and(|known| known == etag);
            return if known { (304, etag.clone(), Vec::new()) } else { (200, etag.clone(), tarball.clone()) };
        }
        _ => return (404, String::new(), Vec::new()),
    }
    (200, String::new(), Vec::new())
}
