//! A scripted policy engine or webhook: what it does with each request is told in advance. One thread per connection, nothing shared.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value as Json;

/// A thread that waits for a client longer than this belongs to a failed test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stands for the uid of an AdmissionReview in the answer to it.
pub(crate) const UID: &str = "(uid)";

/// What is done with one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Answered as it should be, headers included (`name: value\r\n` each).
    Reply(u16, &'static str, String),
    /// These bytes, then the end.
    Bytes(String),
    /// A 200 with this body that says nothing of an end, then the end.
    #[allow(dead_code, reason = "for the matrix of faults, which is elsewhere")]
    Answered(String),
    /// The connection is reset before the request is read.
    Reset,
    /// The connection is closed without an answer.
    Close,
    /// These bytes, and then nothing until the client goes.
    #[allow(dead_code, reason = "for the matrix of faults, which is elsewhere")]
    Stall(String),
    /// Nothing, until the client goes.
    Hang,
    /// A body without end, until the client goes.
    Endless,
}

/// A request that came.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) head: String,
    pub(crate) body: String,
}

#[derive(Default)]
struct Script {
    acts: VecDeque<Act>,
    came: Vec<Came>,
    connections: usize,
    sent: usize,
}

/// The engine; stops when dropped.
pub(crate) struct Engine {
    addr: SocketAddr,
    secure: bool,
    script: Arc<Mutex<Script>>,
    stop: Arc<AtomicBool>,
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A 200 with this body.
pub(crate) fn ok(body: impl ToString) -> Act {
    Act::Reply(200, "", body.to_string())
}

/// An error without a body.
pub(crate) fn status(code: u16) -> Act {
    Act::Reply(code, "", String::new())
}

impl Engine {
    /// The last act is repeated for ever.
    pub(crate) fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        Self::listen(acts, None)
    }

    /// Over TLS.
    pub(crate) fn secured(acts: impl IntoIterator<Item = Act>, tls: ServerConfig) -> Self {
        Self::listen(acts, Some(Arc::new(tls)))
    }

    fn listen(acts: impl IntoIterator<Item = Act>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(Script { acts: acts.into_iter().collect(), ..Script::default() }));
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped, secure) = (Arc::clone(&script), Arc::clone(&stop), tls.is_some());
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                shared.lock().connections += 1;
                let (shared, tls) = (Arc::clone(&shared), tls.clone());
                thread::spawn(move || serve(wrapped(connection, tls), &shared));
            }
        });
        Self { addr, secure, script, stop }
    }

    pub(crate) fn origin(&self) -> String {
        if self.secure { format!("https://localhost:{}", self.addr.port()) } else { format!("http://{}", self.addr) }
    }

    /// Forgets the acts for these.
    pub(crate) fn set(&self, acts: impl IntoIterator<Item = Act>) {
        self.script.lock().acts = acts.into_iter().collect();
    }

    /// All requests so far.
    pub(crate) fn came(&self) -> Vec<Came> {
        self.script.lock().came.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.script.lock().connections
    }

    /// Bytes of endless bodies that were taken.
    pub(crate) fn sent(&self) -> usize {
        self.script.lock().sent
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.addr);
    }
}

/// An address where nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn wrapped(connection: TcpStream, tls: Option<Arc<ServerConfig>>) -> Box<dyn Stream> {
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    match tls {
        None => Box::new(connection),
        Some(config) => Box::new(StreamOwned::new(ServerConnection::new(config).unwrap(), connection)),
    }
}

fn serve(mut stream: Box<dyn Stream>, script: &Mutex<Script>) {
    let mut first = [0];
    while stream.read(&mut first).is_ok_and(|length| length == 1) {
        let act = next(script);
        if matches!(act, Act::Reset) {
            script.lock().came.push(Came { head: String::new(), body: String::new() });
            // What was not read makes the kernel send a reset.
            return;
        }
        let Some(came) = read(&mut stream, first[0]) else { return };
        let act = act.in_answer_to(&came.body);
        script.lock().came.push(came);
        if !perform(&mut stream, act, script) {
            return;
        }
    }
}

fn next(script: &Mutex<Script>) -> Act {
    let mut script = script.lock();
    if script.acts.len() > 1 { script.acts.pop_front().unwrap() } else { script.acts.front().cloned().unwrap_or(Act::Close) }
}

impl Act {
    /// With the uid of the question.
    fn in_answer_to(self, question: &str) -> Self {
        let told = |text: String| {
            let question: Json = serde_json::from_str(question).unwrap_or_default();
            text.replace(UID, question["request"]["uid"].as_str().unwrap_or(UID))
        };
        match self {
            Self::Reply(code, headers, body) => Self::Reply(code, headers, told(body)),
            Self::Answered(body) => Self::Answered(told(body)),
            act => act,
        }
    }
}

/// Whether the connection stays.
fn perform(stream: &mut Box<dyn Stream>, act: Act, script: &Mutex<Script>) -> bool {
    match act {
        Act::Reply(code, headers, body) => {
            let head = format!("HTTP/1.1 {code} X\r\ncontent-type: application/json\r\n{headers}");
            let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            stream.write_all(text.as_bytes()).is_ok() && stream.flush().is_ok()
        }
        Act::Answered(body) => {
            perform(stream, ok(body), script);
            false
        }
        Act::Bytes(text) => {
            let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
            false
        }
        Act::Stall(text) => {
            let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
            let _ = stream.read(&mut [0]);
            false
        }
        Act::Hang => {
            let _ = stream.read(&mut [0]);
            false
        }
        Act::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n");
            let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, " ".repeat(1 << 16));
            while stream.write_all(chunk.as_bytes()).is_ok() {
                script.lock().sent += 1 << 16;
            }
            false
        }
        Act::Reset | Act::Close => false,
    }
}

fn read(stream: &mut Box<dyn Stream>, first: u8) -> Option<Came> {
    let mut bytes = vec![first];
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some(Came { head, body: String::from_utf8(body).unwrap() })
}
