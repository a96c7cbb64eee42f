//! A server for tests that expects calls in order: a call that is not next is a failure, one that never comes a timeout.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

const DEADLINE: Duration = Duration::from_secs(20);

/// How a streamed answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// In good order.
    Close,
    /// In good order, after this time.
    CloseAfter(Duration),
    /// The connection breaks.
    Break,
    /// It stays open.
    Hang,
}

/// One expected call and its answer.
pub(crate) struct Call {
    line: Vec<String>,
    status: u16,
    headers: String,
    body: String,
    end: Option<End>,
}

/// A call that came.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: String,
    /// False: the caller broke off.
    pub(crate) complete: bool,
}

#[derive(Default)]
struct Script {
    expected: VecDeque<Call>,
    came: Vec<Came>,
    wrong: Vec<String>,
}

/// The server; it stops when it is dropped.
pub(crate) struct Scripted {
    addr: SocketAddr,
    script: Arc<Mutex<Script>>,
    progress: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Expects a call whose request line contains each part, answered by JSON.
pub(crate) fn call(parts: &[&str], status: u16, body: impl ToString) -> Call {
    let line = parts.iter().map(|part| (*part).to_owned()).collect();
    Call { line, status, headers: String::new(), body: body.to_string(), end: None }
}

/// Expects a call that is answered by a stream.
pub(crate) fn stream(parts: &[&str], body: impl ToString, end: End) -> Call {
    Call { end: Some(end), ..call(parts, 200, body) }
}

impl Call {
    /// With a header in the answer.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }
}

impl Scripted {
    pub(crate) async fn start(calls: Vec<Call>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(Script { expected: calls.into(), ..Script::default() }));
        let progress = Arc::new(Notify::new());
        let (shared, told) = (script.clone(), progress.clone());
        let task = tokio::spawn(async move {
            // Connections end with the server.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                connections.spawn(serve(connection, shared.clone(), told.clone()));
            }
        });
        Self { addr, script, progress, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    pub(crate) fn client(&self) -> kube::Client {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = kube::Config::new(self.url().parse().unwrap());
        config.default_retry = false;
        kube::Client::try_from(config).unwrap()
    }

    pub(crate) fn engine(&self) -> Arc<crate::engine::Engine> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = crate::config::EngineConfig { url: self.url(), token_file: None, ca_file: None };
        Arc::new(crate::engine::Engine::new(&config).unwrap())
    }

    /// How many calls have come.
    pub(crate) fn came(&self) -> usize {
        self.script.lock().came.len()
    }

    /// Waits for the next call.
    pub(crate) async fn next(&self) {
        let _ = timeout(Duration::from_millis(50), self.progress.notified()).await;
    }

    /// Waits until every expected call has come; all that came.
    #[track_caller]
    pub(crate) fn done(&self) -> impl Future<Output = Vec<Came>> {
        let all = async {
            loop {
                let progress = self.progress.notified();
                {
                    let script = self.script.lock();
                    assert!(script.wrong.is_empty(), "unexpected: {:#?}", script.wrong);
                    if script.expected.is_empty() {
                        return script.came.clone();
                    }
                }
                progress.await;
            }
        };
        async {
            match timeout(DEADLINE, all).await {
                Ok(came) => came,
                Err(_) => panic!("never came: {:#?}", self.script.lock().expected.front().map(|call| call.line.clone())),
            }
        }
    }
}

async fn serve(mut connection: TcpStream, script: Arc<Mutex<Script>>, progress: Arc<Notify>) {
    let mut buffer = Vec::new();
    while let Some(came) = read(&mut connection, &mut buffer).await {
        let call = judge(&script, came.clone());
        progress.notify_waiters();
        let is_over = match call {
            Some(call) => answer(&mut connection, &call).await,
            None => answer(&mut connection, &self::call(&[], 500, r#"{"message":"unexpected"}"#)).await,
        };
        if is_over || !came.complete {
            return;
        }
    }
}

fn judge(script: &Mutex<Script>, came: Came) -> Option<Call> {
    let mut script = script.lock();
    let fits = script.expected.front().is_some_and(|call| call.line.iter().all(|part| came.line.contains(part)));
    if !fits {
        script.wrong.push(came.line.clone());
        return None;
    }
    script.came.push(came);
    script.expected.pop_front()
}

/// True: this connection is over.
async fn answer(connection: &mut TcpStream, call: &Call) -> bool {
    let Call { status, headers, body, end, .. } = call;
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}");
    let Some(end) = end else {
        let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        return connection.write_all(text.as_bytes()).await.is_err();
    };
    let last = if *end == End::Close { "0\r\n\r\n" } else { "" };
    let chunk = if body.is_empty() { String::new() } else { format!("{:x}\r\n{body}\r\n", body.len()) };
    let text = format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}{last}");
    if connection.write_all(text.as_bytes()).await.is_err() {
        return true;
    }
    match end {
        End::Hang => std::future::pending::<()>().await,
        End::CloseAfter(time) => {
            tokio::time::sleep(*time).await;
            return connection.write_all(b"0\r\n\r\n").await.is_err();
        }
        End::Close | End::Break => {}
    }
    *end == End::Break
}

async fn read(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Came> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        more(connection, buffer).await?;
    };
    let head = String::from_utf8(buffer.drain(..head_end).collect()).unwrap();
    let field =
        |name: &str| head.lines().find_map(|line| line.to_lowercase().strip_prefix(&format!("{name}: ")).map(str::to_owned));
    let (body, complete) = if field("transfer-encoding").is_some() {
        chunks(connection, buffer).await
    } else {
        let length = field("content-length").map_or(0, |length| length.parse().unwrap());
        while buffer.len() < length {
            more(connection, buffer).await?;
        }
        (buffer.drain(..length).collect(), true)
    };
    let line = head.lines().next().unwrap_or_default().to_owned();
    Some(Came { line, head, body: String::from_utf8(body).unwrap(), complete })
}

async fn chunks(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(at) = buffer.windows(2).position(|window| window == b"\r\n") else {
            match more(connection, buffer).await {
                Some(()) => continue,
                None => return (body, false),
            }
        };
        let size = usize::from_str_radix(std::str::from_utf8(&buffer[..at]).unwrap(), 16).unwrap();
        while buffer.len() < at + 2 + size + 2 {
            if more(connection, buffer).await.is_none() {
                return (body, false);
            }
        }
        body.extend_from_slice(&buffer[at + 2..at + 2 + size]);
        buffer.drain(..at + 2 + size + 2);
        if size == 0 {
            return (body, true);
        }
    }
}

async fn more(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let mut part = [0; 4096];
    match connection.read(&mut part).await {
        Ok(0) | Err(_) => None,
        Ok(length) => {
            buffer.extend_from_slice(&part[..length]);
            Some(())
        }
    }
}
