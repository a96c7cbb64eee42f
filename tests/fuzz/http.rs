//! HTTP: the bytes of a connection, as they come, to a server in this process; then somebody else asks it something.
//!
//! `@@` stands for the length of what follows the headers, so that mutations of a body stay whole requests.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use parking_lot::Mutex;
use plimsoll::budget::Budget;
use plimsoll::decision::Config;
use plimsoll::placements::Reconciler;
use plimsoll::rego::{Limits, Module};
use plimsoll::server::address::Address;
use plimsoll::server::auth::Authentication;
use plimsoll::server::limits::Sizes;
use plimsoll::server::listen::{Admission, Listener, Role};
use plimsoll::server::{Engine, Settings};
use plimsoll::snapshot::Store;
use plimsoll::snapshot::store::StoreOptions;
use plimsoll::state::WriteError;
use plimsoll_contract::policy::{Diagnostic, PoliciesAccepted};
use serde_json::json;
use tempfile::TempDir;

use super::findings::watched;

const POLICY: &str = include_str!("http.rego");
/// Nothing comes for so long: the engine waits for the rest of a request.
const CUT_OFF: Duration = Duration::from_millis(10);
/// Nobody waits as long for the end of an answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// The header of an answer without an end of its own.
const STREAM: &[u8] = b"transfer-encoding: chunked";
/// A source stays declared; where there are many, a new engine is started.
const SOURCES: usize = 16;

struct Server {
    engine: Data<Engine>,
    socket: PathBuf,
    /// Who is asked whether others are still served.
    other: UnixStream,
    handle: ServerHandle,
    _home: TempDir,
}

static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::start()));

/// One input.
pub(super) fn run(input: &[u8]) {
    let input = with_length(input);
    watched(|| SERVER.lock().ask(&input));
}

fn with_length(input: &[u8]) -> Vec<u8> {
    let end = input.windows(4).position(|at| at == b"\r\n\r\n");
    let place = input.windows(2).position(|at| at == b"@@");
    match (end, place) {
        (Some(end), Some(place)) if place < end => {
            let length = (input.len() - end - 4).to_string();
            [&input[..place], length.as_bytes(), &input[place + 2..]].concat()
        }
        _ => input.to_vec(),
    }
}

impl Server {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let socket = home.path().join("s");
        let store = Arc::new(Store::new(StoreOptions::default()).unwrap());
        let reconciler = Reconciler::new(store.load().epoch.clone(), Arc::new(config()));
        let table = Arc::clone(reconciler.table());
        let sizes = Sizes { sent: Some(1 << 20), unpacked: Some(1 << 20) };
        let settings = Settings { sizes, ..Settings::default() };
        let engine = Engine::start((store, table), config(), Authentication::Off, settings, Arc::new(Budget::new(None))).unwrap();
        let engine = Data::new(engine);
        let (serving, served) = (engine.clone(), mpsc::channel());
        let address = Address::Unix(socket.clone());
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let listener = Listener::bind(Role::Api, &address, None, 0o600).unwrap();
                let server = listener.serve(serving, &Admission::default()).unwrap();
                served.0.send(server.handle()).unwrap();
                server.await
            })
        });
        let handle = served.1.recv().unwrap();
        let server = Self { other: connect(&socket), engine, socket, handle, _home: home };
        server.begin();
        server
    }

    fn ask(&mut self, input: &[u8]) {
        let before = self.engine.store.load().revision;
        let mut connection = connect(&self.socket);
        // Whoever does not like a request may stop reading it.
        let _sent = connection.write_all(input);
        // Whoever closes its side has left, and is not answered: only what waits for more is cut off.
        let mut answer_begins = [0; 1];
        connection.set_read_timeout(Some(CUT_OFF)).unwrap();
        let begun = connection.read(&mut answer_begins).unwrap_or_default();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        let _cut = connection.shutdown(Shutdown::Write);
        let answer = [&answer_begins[..begun], &answer(&mut connection)].concat();
        let status = answer.strip_prefix(b"HTTP/1.1 ").or(answer.strip_prefix(b"HTTP/1.0 "));
        assert!(answer.is_empty() || status.is_some(), "no HTTP: {:?}", String::from_utf8_lossy(&answer));
        self.others_are_served();
        if self.engine.store.load().state.sources.len() > SOURCES {
            // The command is sent at once; nobody waits for it.
            drop(self.handle.stop(false));
            *self = Self::start();
        } else if self.engine.store.load().revision != before {
            self.begin();
        }
    }

    fn others_are_served(&mut self) {
        self.other.write_all(b"GET /health HTTP/1.1\r\nhost: h\r\n\r\n").unwrap();
        let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
        while !answer.ends_with(b"\r\n\r\n{}\n") {
            let length = read(&mut self.other, &mut piece).expect("others are served");
            assert_ne!(length, 0, "another connection was closed");
            answer.extend_from_slice(&piece[..length]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 200 "), "{:?}", String::from_utf8_lossy(&answer));
    }

    /// The policies and data that every input meets.
    fn begin(&self) {
        let store = &self.engine.store;
        let sets: Vec<_> = store.load().policies.sets.keys().filter(|name| *name != "app").cloned().collect();
        sets.iter().for_each(|name| assert!(store.remove_policies(name).is_ok(), "{name} stays"));
        let sources: Vec<_> = store.load().state.sources.keys().cloned().collect();
        for name in sources {
            store.declare(&name, serde_json::from_value(json!({"kinds": []})).unwrap()).unwrap();
        }
        if self.policies().is_err() || self.data().is_err() {
            assert!(store.remove_policies("app").is_ok(), "the policies stay");
            self.data().unwrap();
            self.policies().unwrap();
        }
    }

    /// Costs nothing if they are still in force.
    fn policies(&self) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        self.engine.store.put_policies("app", vec![Module { key: "app.rego".into(), text: POLICY.into() }])
    }

    fn data(&self) -> Result<(), WriteError> {
        self.engine.store.put_data(&[], json!({"n": 1, "list": ["a", "b"], "o": {"k": {"l": [1, 2]}}}))
    }
}

/// libFuzzer's alarm clock interrupts whoever waits.
fn read(connection: &mut UnixStream, piece: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match connection.read(piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// What comes until the end, or until it is clear that it is a stream, which ends when its reader goes.
fn answer(connection: &mut UnixStream) -> Vec<u8> {
    let (mut answer, mut piece) = (Vec::new(), [0; 16 << 10]);
    loop {
        match read(connection, &mut piece) {
            Ok(0) => return answer,
            Ok(length) => answer.extend_from_slice(&piece[..length]),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset, "the answer does not end: {error}");
                return answer;
            }
        }
        if answer.windows(STREAM.len()).any(|at| at == STREAM) {
            return answer;
        }
    }
}

fn connect(socket: &PathBuf) -> UnixStream {
    let connection = UnixStream::connect(socket).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    connection.set_write_timeout(Some(PATIENCE)).unwrap();
    connection
}

fn config() -> Config {
    Config { limits: Limits { time: Duration::from_millis(100), output: 64 << 10, ..Limits::default() }, ..Config::default() }
}
