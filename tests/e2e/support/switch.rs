//! A Service in front of the engines: new connections go to a random endpoint that is ready, or to a pinned one.
#![allow(dead_code, reason = "for tests of two replicas")]

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::engine::Engine;
use super::http;

/// Between two looks at each endpoint, and how long one may take.
const LOOK: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_secs(1);
/// A connection that rests this long after an answer is closed, so that the next one goes somewhere else.
const REST: Duration = Duration::from_millis(300);

/// Where new connections go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// To this endpoint, ready or not.
    Pinned(usize),
    /// To those that are ready; without one, nowhere.
    Ready,
}

/// One of those behind the switch.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    review: SocketAddr,
    ready: String,
}

/// The running switch; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Switch {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    endpoints: Vec<Endpoint>,
    state: Mutex<State>,
    over: AtomicBool,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    ready: Vec<bool>,
    next: u64,
    /// With the endpoint of each.
    open: BTreeMap<u64, (usize, TcpStream)>,
}

impl Endpoint {
    /// An engine's.
    pub(crate) fn of(engine: &Engine) -> Self {
        let review = engine.review_url().trim_start_matches("https://").parse().unwrap();
        Self { review, ready: engine.diagnostic("/health/ready") }
    }
}

impl Switch {
    pub(crate) fn start(endpoints: Vec<Endpoint>, mode: Mode) -> Self {
        let state = State { mode, ready: vec![false; endpoints.len()], next: 1, open: BTreeMap::new() };
        let shared = Arc::new(Shared { endpoints, state: Mutex::new(state), over: AtomicBool::new(false) });
        for number in 0..shared.endpoints.len() {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.look(number));
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if accepting.over.load(Ordering::Acquire) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || shared.connect(stream));
            }
        });
        Self { address, shared }
    }

    /// For webhook configurations; the certificates are the engines' own.
    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Other endpoints from now on; connections to one that is pinned no more are closed.
    pub(crate) fn set(&self, mode: Mode) {
        let mut state = self.shared.state.lock();
        state.mode = mode;
        if let Mode::Pinned(endpoint) = mode {
            close(&mut state, |number| number != endpoint);
        }
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        close(&mut self.shared.state.lock(), |_| true);
        // Wakes the listener up.
        let _ = TcpStream::connect(self.address);
    }
}

fn close(state: &mut State, which: impl Fn(usize) -> bool) {
    for (endpoint, stream) in state.open.values() {
        if which(*endpoint) {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn look(&self, number: usize) {
        while !self.over.load(Ordering::Acquire) {
            let answer = http::try_get_within(&self.endpoints[number].ready, PATIENCE);
            self.state.lock().ready[number] = answer.is_ok_and(|(status, _)| status == 200);
            thread::park_timeout(LOOK);
        }
    }

    fn choose(&self) -> Option<usize> {
        let mut state = self.state.lock();
        let candidates: Vec<usize> = match state.mode {
            Mode::Pinned(endpoint) => vec![endpoint],
            Mode::Ready => (0..self.endpoints.len()).filter(|number| state.ready[*number]).collect(),
        };
        // xorshift64.
        state.next ^= state.next << 13;
        state.next ^= state.next >> 7;
        state.next ^= state.next << 17;
        let count = u64::try_from(candidates.len()).unwrap();
        candidates.get(usize::try_from(state.next.checked_rem(count)?).unwrap()).copied()
    }

    fn connect(&self, near: TcpStream) {
        let Some((endpoint, far)) =
            self.choose().and_then(|number| Some((number, TcpStream::connect(self.endpoints[number].review).ok()?)))
        else {
            return;
        };
        let Ok(handle) = near.try_clone() else { return };
        let number = {
            let mut state = self.state.lock();
            let number = state.open.last_key_value().map_or(0, |(number, _)| number + 1);
            state.open.insert(number, (endpoint, handle));
            number
        };
        couple(&near, &far);
        self.state.lock().open.remove(&number);
    }
}

/// Passes bytes both ways until either side ends, or the connection rests.
fn couple(near: &TcpStream, far: &TcpStream) {
    let answered = AtomicBool::new(false);
    for stream in [near, far] {
        // Without it things are slower.
        let _ = stream.set_nodelay(true);
    }
    let _ = far.set_read_timeout(Some(REST));
    thread::scope(|scope| {
        scope.spawn(|| copy(near, far, || answered.store(false, Ordering::Release), || false));
        copy(far, near, || answered.store(true, Ordering::Release), || answered.load(Ordering::Acquire));
    });
}

fn copy(mut from: &TcpStream, mut to: &TcpStream, passed: impl Fn(), rests: impl Fn() -> bool) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                passed();
                if to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) && !rests() => (),
            Err(_) => break,
        }
    }
    for stream in [from, to] {
        // It may have ended by itself.
        let _ = stream.shutdown(Shutdown::Both);
    }
}
