//! The server under attack: this very program, started again as a process of its own, so that its memory can be watched.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use plimsoll_apiserver::run::{self, Options};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::wire::{Connection, Peer, Reply};

/// Tells the process to be the server, and where its files are.
const DIRECTORY: &str = "PLIMSOLL_BAD_INPUT_DIRECTORY";
/// Begins the line that says that the server answers.
const READY: &str = "ready ";

/// May do everything.
pub(super) const ADMIN: &str = "admin-token";
/// May do what a test grants.
pub(super) const ALICE: &str = "alice-token";
/// May do what everybody may who is known.
pub(super) const BOB: &str = "bob-token";

/// A server in a process of its own; ends with the test.
pub(super) struct Server {
    child: Child,
    /// Kept open: the test harness of the process writes to it when it takes long.
    _output: BufReader<ChildStdout>,
    peer: Peer,
    _directory: TempDir,
}

impl Server {
    pub(super) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let tokens = format!("{ADMIN},admin,1,system:masters\n{ALICE},alice,2\n{BOB},bob,3\n");
        fs::write(directory.path().join("tokens.csv"), tokens).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "bad_input::server::serve", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let lines = output.by_ref().lines();
        let address = lines.map_while(Result::ok).find_map(|line| Some(line.split_once(READY)?.1.parse().unwrap()));
        let ca = fs::read_to_string(directory.path().join("ca.crt")).unwrap();
        let peer = Peer::new(address.expect("the server ended before it was ready"), &ca);
        Self { child, _output: output, peer, _directory: directory }
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }

    pub(super) fn connect(&self) -> Connection {
        self.peer.connect()
    }

    /// One request on a connection of its own.
    pub(super) fn send(&self, token: &str, request: &str, content_type: &str, body: &[u8]) -> Reply {
        self.connect().send(token, request, content_type, body)
    }

    /// Makes an object, which must succeed.
    pub(super) fn create(&self, path: &str, object: &Json) {
        let reply = self.send(ADMIN, &format!("POST {path}"), "application/json", object.to_string().as_bytes());
        assert_eq!(reply.code, 201, "{path}: {}", reply.text());
    }

    /// Grants rules in one namespace, or everywhere where it is empty.
    pub(super) fn grant(&self, user: &str, namespace: &str, rules: Json) {
        let group = "rbac.authorization.k8s.io";
        let (scope, prefix) = match namespace {
            "" => (String::new(), "Cluster"),
            namespace => (format!("namespaces/{namespace}/"), ""),
        };
        let base = format!("/apis/{group}/v1/{scope}{}", prefix.to_lowercase());
        let version = format!("{group}/v1");
        let metadata = json!({"name": user});
        let kind = |kind: &str| format!("{prefix}{kind}");
        let role = json!({"apiVersion": version, "kind": kind("Role"), "metadata": metadata, "rules": rules});
        self.create(&format!("{base}roles"), &role);
        let binding = json!({
            "apiVersion": version, "kind": kind("RoleBinding"), "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": kind("Role"), "name": user},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
        });
        self.create(&format!("{base}rolebindings"), &binding);
    }

    pub(super) fn namespace(&self, name: &str) {
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        self.create("/api/v1/namespaces", &object);
    }

    pub(super) fn config_map(&self, namespace: &str, name: &str) {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"of": namespace}});
        self.create(&format!("/api/v1/namespaces/{namespace}/configmaps"), &object);
    }

    /// The most memory that the server has held so far, in KiB.
    pub(super) fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// The server still answers, as one that has not been harmed.
    pub(super) fn is_well(&self) {
        let reply = self.send(ADMIN, "GET /api/v1/namespaces/default", "", b"");
        assert_eq!(reply.code, 200, "{}", reply.text());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        assert!(ended.is_ok() || std::thread::panicking(), "{ended:?}");
    }
}

/// The server's process; ends when whoever started it is gone.
#[test]
#[ignore = "the process that the other tests start"]
fn serve() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    actix_web::rt::System::new().block_on(answer(Path::new(&directory)));
}

async fn answer(directory: &Path) {
    let token_file = Some(directory.join("tokens.csv"));
    let running = run::start(Options { fsync: false, token_file, ..Options::default() }).await.unwrap();
    fs::write(directory.join("ca.crt"), running.ca()).unwrap();
    let address = running.url().trim_start_matches("https://").to_owned();
    std::io::stdout().write_all(format!("\n{READY}{address}\n").as_bytes()).unwrap();
    let gone = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
    gone.await.unwrap().unwrap();
    running.stop().await;
}
