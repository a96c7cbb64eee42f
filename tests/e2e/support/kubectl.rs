//! kubectl as a user drives it: arguments in, text or JSON out.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// kubectl with one kubeconfig.
#[derive(Clone, Debug)]
pub(crate) struct Kubectl {
    binary: PathBuf,
    kubeconfig: PathBuf,
}

/// What kubectl said when it failed.
pub(crate) type Failure = String;

impl Kubectl {
    pub(crate) fn new(binary: PathBuf, kubeconfig: PathBuf) -> Self {
        Self { binary, kubeconfig }
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Runs and returns what it printed (warnings of the API server last), or what went wrong.
    pub(crate) fn try_run(&self, arguments: &[&str]) -> Result<String, Failure> {
        self.try_run_with(arguments, "")
    }

    /// Runs with `input` on standard input.
    pub(crate) fn try_run_with(&self, arguments: &[&str], input: &str) -> Result<String, Failure> {
        let mut child = Command::new(&self.binary)
            .args(arguments)
            // No discovery or HTTP cache is shared between the API servers of parallel tests.
            .arg("--cache-dir")
            .arg(self.kubeconfig.with_extension("cache"))
            .env("KUBECONFIG", &self.kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if output.status.success() {
            Ok(stdout + &stderr)
        } else {
            Err(format!("kubectl {}: {stdout}{stderr}", arguments.join(" ")))
        }
    }

    /// Runs; a failure fails the test.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.try_run(arguments).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// `kubectl create -f -`.
    pub(crate) fn try_create(&self, object: &Json) -> Result<String, Failure> {
        self.try_run_with(&["create", "-f", "-"], &object.to_string())
    }

    /// `kubectl create -f -`; a failure fails the test.
    #[track_caller]
    pub(crate) fn create(&self, object: &Json) -> String {
        self.try_create(object).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// `kubectl apply -f -`; a failure fails the test.
    #[track_caller]
    pub(crate) fn apply(&self, manifest: &str) -> String {
        self.try_run_with(&["apply", "-f", "-"], manifest).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// One object as JSON, or why not.
    pub(crate) fn try_get(&self, namespace: &str, object: &str) -> Result<Json, Failure> {
        let mut arguments = vec!["get", object, "-o", "json"];
        if !namespace.is_empty() {
            arguments.extend(["-n", namespace]);
        }
        let text = self.try_run(&arguments)?;
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
    }

    /// One object or list as JSON; a failure fails the test.
    #[track_caller]
    pub(crate) fn get(&self, namespace: &str, object: &str) -> Json {
        self.try_get(namespace, object).unwrap_or_else(|failure| panic!("{failure}"))
    }
}
