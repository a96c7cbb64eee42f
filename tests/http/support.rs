//! Starting an engine, asking it, and waiting for it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use reqwest::{Client, Method, StatusCode};
use serde_json::Value as Json;
use tempfile::TempDir;

/// Longer than anything here takes, even on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A running engine; stopped when dropped, and its log shown if the test failed.
pub(crate) struct Engine {
    child: Child,
    pub(crate) api: String,
    /// Every listener by its name.
    pub(crate) listening: Json,
    pub(crate) review: Option<String>,
    pub(crate) diagnostic: Option<String>,
    pub(crate) client: Client,
    pub(crate) dir: TempDir,
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) async fn of(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, text: response.text().await.unwrap() }
    }
}

/// The binary, not yet started.
pub(crate) fn plimsoll(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(args).env("RUST_BACKTRACE", "0");
    // As in the image.
    command.env("MIMALLOC_PURGE_DELAY", "0").env("MIMALLOC_ALLOW_THP", "0");
    command
}

/// A client that follows nothing.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // Another test of this process may have installed it before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().redirect(Policy::none()).timeout(DEADLINE)
}

/// Starts an engine with these policies (file name, text) and options.
pub(crate) fn engine(policies: &[(&str, &str)], args: &[&str]) -> Engine {
    let dir = tempfile::tempdir().unwrap();
    let policy_dir = dir.path().join("policies");
    fs::create_dir(&policy_dir).unwrap();
    for (name, text) in policies {
        fs::write(policy_dir.join(name), text).unwrap();
    }
    let option = format!("--policies={}", policy_dir.display());
    start(dir, &[&[option.as_str()], args].concat())
}

/// Starts an engine without policy directories.
pub(crate) fn bare(args: &[&str]) -> Engine {
    start(tempfile::tempdir().unwrap(), args)
}

/// Starts an engine whose files are in `dir`.
pub(crate) fn start(dir: TempDir, args: &[&str]) -> Engine {
    let log = File::create(dir.path().join("log")).unwrap();
    let mut command = plimsoll(&["serve", "--log-level=debug,actix_server=warn"]);
    for default in ["--addr=127.0.0.1:0", "--shutdown-delay=0s"] {
        let given = |arg: &&str| arg.split('=').next() == default.split('=').next();
        if !args.iter().any(given) {
            command.arg(default);
        }
    }
    let mut child = command.args(args).current_dir(dir.path()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let line = first_line(&mut child)
        .unwrap_or_else(|| panic!("the engine did not start:\n{}", fs::read_to_string(dir.path().join("log")).unwrap()));
    let listening: Json = serde_json::from_str(&line).unwrap();
    let url = |name: &str| listening["listening"][name].as_str().map(str::to_owned);
    let (review, diagnostic) = (url("review"), url("diagnostic"));
    let api = url("api").unwrap();
    let listening = listening["listening"].clone();
    Engine { child, api, listening, review, diagnostic, client: client().build().unwrap(), dir }
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
    /// One request; `body` is sent as it is.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: impl Into<reqwest::Body>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        Answer::of(self.client.request(method, format!("{}{path}", self.api)).body(body).send().await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "").await
    }

    /// Puts a document that must be taken.
    pub(crate) async fn put_data(&self, path: &str, value: &Json) {
        let answer = self.ask("PUT", &format!("/v1/data/{path}"), value.to_string()).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{answer:?}");
    }

    pub(crate) fn policy_file(&self, name: &str) -> PathBuf {
        self.dir.path().join("policies").join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the process to end by itself.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        eventually("the process ends", async || self.child.try_wait().unwrap()).await
    }

    /// Waits until `/health/ready` is 200.
    pub(crate) async fn ready(&self) {
        eventually("it is ready", async || (self.get("/health/ready").await.status == 200).then_some(())).await;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            // Nobody is left to tell if even that fails.
            let _ = writeln!(std::io::stderr(), "--- log of the engine ---\n{}", self.log());
        }
    }
}

/// Asks again until there is an answer, or the deadline has passed.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(started.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A ReplicaSet.
pub(crate) fn replica_set(name: &str) -> Json {
    serde_json::json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"replicas": 3},
    })
}
