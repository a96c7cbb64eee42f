//! Starting an engine with a configuration, and asking it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::Value as Json;
use tempfile::TempDir;

/// Longer than anything here takes, even on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// A running server of OPA's API; killed when dropped.
pub(crate) struct Engine {
    child: Child,
    pub(crate) api: String,
    client: Client,
    pub(crate) dir: TempDir,
}

/// Plimsoll with options, in a directory of its own.
pub(crate) fn plimsoll(dir: TempDir, args: &[&str]) -> Engine {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(["serve", "--addr=127.0.0.1:0", "--shutdown-delay=0s"]).args(args).current_dir(dir.path());
    command.stdout(Stdio::piped()).stderr(File::create(dir.path().join("log")).unwrap());
    let mut child = command.spawn().unwrap();
    let line = first_line(&mut child).expect("it says where it listens");
    let listening: Json = serde_json::from_str(&line).unwrap();
    let api = listening["listening"]["api"].as_str().unwrap().to_owned();
    Engine { child, api, client: client(), dir }
}

/// Real OPA, if it is there.
pub(crate) fn opa_binary() -> Option<PathBuf> {
    let found = Path::new(&std::env::var_os("KUBEBUILDER_ASSETS")?).join("opa");
    found.exists().then_some(found)
}

/// Real OPA with options, on a port that was free.
pub(crate) fn opa(dir: TempDir, args: &[&str]) -> Option<Engine> {
    let binary = opa_binary()?;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(binary);
    command.args(["run", "--server", "--disable-telemetry", &format!("--addr=127.0.0.1:{port}")]).args(args);
    command.current_dir(dir.path()).stdout(Stdio::null()).stderr(File::create(dir.path().join("log")).unwrap());
    let child = command.spawn().unwrap();
    Some(Engine { child, api: format!("http://127.0.0.1:{port}"), client: client(), dir })
}

fn client() -> Client {
    // Another test of this process may have installed it before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().timeout(DEADLINE).no_proxy().build().unwrap()
}

fn first_line(child: &mut Child) -> Option<String> {
    let stdout = child.stdout.take().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        if BufReader::new(stdout).read_line(&mut line).is_ok_and(|length| length > 0) {
            let _ = sender.send(line);
        }
    });
    receiver.recv_timeout(DEADLINE).ok()
}

impl Engine {
    /// Status and body; nothing while nobody listens.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, Json)> {
        let method = method.parse::<reqwest::Method>().unwrap();
        let request = self.client.request(method, format!("{}{path}", self.api)).body(body.to_owned());
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let text = answer.text().await.ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or(Json::String(text))))
    }

    pub(crate) async fn document(&self, path: &str) -> Json {
        self.ask("GET", &format!("/v1/data/{path}"), "").await.map_or(Json::Null, |(_, body)| body["result"].clone())
    }

    /// Waits until a document is what it should be.
    pub(crate) async fn becomes(&self, path: &str, expected: &Json) {
        let mut last = Json::Null;
        let deadline = Instant::now() + DEADLINE;
        while Instant::now() < deadline {
            last = self.document(path).await;
            if last == *expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("data.{path} is {last}, not {expected}\n{}", self.log());
    }

    /// Waits until the log holds a text.
    pub(crate) async fn says(&self, part: &str) {
        self.eventually(&format!("{part:?} in the log"), async || self.log().contains(part)).await;
    }

    /// Waits until something is so.
    pub(crate) async fn eventually(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !is_so().await {
            assert!(Instant::now() < deadline, "never {what}:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap()
    }

    /// Asks it to end, waits for that, and hands back its directory.
    pub(crate) fn end(mut self) -> TempDir {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
        self.child.wait().unwrap();
        std::mem::replace(&mut self.dir, tempfile::tempdir().unwrap())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
