//! A reverse proxy between one client and an API server, TLS on both sides, whose faults are switched while it runs.
//!
//! Answers pass chunk by chunk, as they come: an event of a watch is not kept back unless a fault says so.
#![allow(dead_code, reason = "for tests of what is out of sight")]

use std::collections::BTreeMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustls::{ClientConfig, ServerConfig};
use serde_json::Value as Json;
use tempfile::TempDir;

mod connection;
mod message;
mod tls;

/// What is wrong with the way to the API server; nothing by default, and each by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Before each answer, and before each chunk of one.
    pub(crate) slow: Duration,
    /// Every connection is closed, new ones at once.
    pub(crate) cut: bool,
    /// Connections are accepted and nothing is answered; what streams goes silent; nothing is closed.
    pub(crate) half_open: bool,
    /// Watches, old and new, go silent; all else passes.
    pub(crate) stall_watches: bool,
    /// Requests of a hundred that are answered 429, with `Retry-After: 1`.
    pub(crate) too_many: u8,
    /// Every request is answered 401.
    pub(crate) unauthorized: bool,
}

/// The running proxy; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    directory: TempDir,
    shared: Arc<Shared>,
}

/// What the connections' threads share.
#[derive(Debug)]
struct Shared {
    far: SocketAddr,
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    faults: Faults,
    over: bool,
    next: u64,
    open: BTreeMap<u64, TcpStream>,
}

/// The connection is to end.
#[derive(Clone, Copy, Debug)]
struct Over;

impl Proxy {
    /// In front of the API server that a kubeconfig (JSON, with the authority in a file) names.
    pub(crate) fn start(kubeconfig: &Path) -> Self {
        let config = read(kubeconfig);
        let cluster = &config["clusters"][0]["cluster"];
        let far = cluster["server"].as_str().unwrap().trim_start_matches("https://").parse().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let client = tls::client(Path::new(cluster["certificate-authority"].as_str().unwrap()));
        let shared =
            Shared { far, server: tls::server(directory.path()), client, state: Mutex::default(), changed: Condvar::new() };
        let shared = Arc::new(shared);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(number) = accepting.enter(&stream) else { continue };
                if accepting.state.lock().over {
                    return;
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || {
                    connection::serve(stream, &shared);
                    shared.state.lock().open.remove(&number);
                });
            }
        });
        Self { address, directory, shared }
    }

    /// Writes the kubeconfig `from` to `to`, with this proxy in the place of the API server.
    pub(crate) fn kubeconfig(&self, from: &Path, to: &Path) {
        let mut config = read(from);
        let cluster = &mut config["clusters"][0]["cluster"];
        cluster["server"] = format!("https://{}", self.address).into();
        cluster["certificate-authority"] = self.directory.path().join("ca.crt").to_str().unwrap().into();
        std::fs::write(to, config.to_string()).unwrap();
    }

    /// Switches faults on and off.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Faults)) {
        let mut state = self.shared.state.lock();
        change(&mut state.faults);
        if state.faults.cut {
            state.close();
        }
        self.shared.changed.notify_all();
    }

    /// What is wrong now.
    pub(crate) fn faults(&self) -> Faults {
        self.shared.state.lock().faults
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.over = true;
        state.close();
        drop(state);
        self.shared.changed.notify_all();
        // Wakes the listener up.
        let _ = TcpStream::connect(self.address);
    }
}

impl State {
    fn close(&mut self) {
        for (_, stream) in std::mem::take(&mut self.open) {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    /// `None`: closed at once.
    fn enter(&self, stream: &TcpStream) -> Option<u64> {
        let mut state = self.state.lock();
        if state.faults.cut && !state.over {
            return None;
        }
        state.next += 1;
        let number = state.next;
        state.open.insert(number, stream.try_clone().ok()?);
        Some(number)
    }

    fn faults(&self) -> Result<Faults, Over> {
        let state = self.state.lock();
        if state.over || state.faults.cut { Err(Over) } else { Ok(state.faults) }
    }

    /// Waits until nothing holds a request (or what is left of its answer) back.
    fn pass(&self, is_watch: bool) -> Result<Faults, Over> {
        let mut state = self.state.lock();
        loop {
            if state.over || state.faults.cut {
                return Err(Over);
            }
            if !(state.faults.half_open || is_watch && state.faults.stall_watches) {
                return Ok(state.faults);
            }
            self.changed.wait(&mut state);
        }
    }

    /// Waits that long, or until the connection is to end.
    fn rest(&self, time: Duration) -> Result<(), Over> {
        let end = Instant::now() + time;
        let mut state = self.state.lock();
        while Instant::now() < end {
            if state.over || state.faults.cut {
                return Err(Over);
            }
            self.changed.wait_until(&mut state, end);
        }
        Ok(())
    }

    /// Whether this request is one of those that are too many.
    fn is_one_too_many(&self, faults: Faults) -> bool {
        let mut state = self.state.lock();
        state.next += 1;
        // 61 and 100 have no common divisor: a share of any hundred in a row.
        state.next * 61 % 100 < u64::from(faults.too_many)
    }
}

fn read(kubeconfig: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(kubeconfig).unwrap()).unwrap()
}
