//! `plimsoll serve`, as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::api_server::POLICY_NAMESPACE;
use super::certificates::{Authority, CertificateFiles};
use super::eventually::eventually;
use super::http;
use super::ports;
use super::process::Process;

/// The source that the sidecar declares and the engine waits for.
pub(crate) const SOURCE: &str = "kubernetes";

/// The Service of `deploy/`, in the policy namespace: the reviews' certificate is good for it.
#[allow(dead_code, reason = "benchmarks have no Service")]
pub(crate) const SERVICE: &str = "plimsoll";

/// The engine: its places stay the same when it is killed and started again.
#[derive(Debug)]
pub(crate) struct Engine {
    process: Option<Process>,
    directory: PathBuf,
    policies: PathBuf,
    certificates: CertificateFiles,
    arguments: Vec<String>,
    api: u16,
    review: u16,
    diagnostic: u16,
}

impl Engine {
    /// Chooses places; nothing runs yet.
    pub(crate) fn new(directory: &Path, policies: &Path, authority: &Authority, arguments: &[&str]) -> Self {
        Self {
            process: None,
            directory: directory.into(),
            policies: policies.into(),
            certificates: authority
                .serving_as(&["localhost", "127.0.0.1", &format!("{SERVICE}.{POLICY_NAMESPACE}.svc")], &directory.join("review")),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            api: ports::free(),
            review: ports::free(),
            diagnostic: ports::free(),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.api)
    }

    pub(crate) fn review_url(&self) -> String {
        format!("https://127.0.0.1:{}", self.review)
    }

    /// Starts it and returns when it answers, ready or not.
    pub(crate) fn start(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            // As in the image.
            .env("MIMALLOC_PURGE_DELAY", "0")
            .env("MIMALLOC_ALLOW_THP", "0")
            // Unless a scenario says otherwise in its arguments, what policy lets go is let go at once.
            .env("PLIMSOLL_LETTING_GO_AFTER", "0s")
            .arg("serve")
            .arg("--policies")
            .arg(&self.policies)
            .arg(format!("--addr=127.0.0.1:{}", self.api))
            .arg(format!("--review-addr=127.0.0.1:{}", self.review))
            .arg("--review-cert-file")
            .arg(&self.certificates.certificate)
            .arg("--review-key-file")
            .arg(&self.certificates.key)
            .arg(format!("--diagnostic-addr=127.0.0.1:{}", self.diagnostic))
            .arg(format!("--require-source={SOURCE}"))
            .args(&self.arguments);
        self.process = Some(Process::start("plimsoll serve", &mut command, &self.directory.join("engine.log")));
        let live = self.diagnostic("/health/live");
        eventually("the engine is live", || {
            self.alive();
            http::try_get(&live).and_then(|(status, body)| if status == 200 { Ok(()) } else { Err(body) })
        });
    }

    fn alive(&mut self) {
        if let Some(process) = &mut self.process
            && !process.alive()
        {
            panic!("the engine ended:\n{}", process.log_tail(40));
        }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    /// SIGTERM; the exit code of the orderly end.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let mut process = self.process.take().unwrap();
        process.terminate();
        process.wait()
    }

    /// Health and metrics.
    pub(crate) fn diagnostic(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.diagnostic)
    }

    /// Of the running process.
    #[allow(dead_code, reason = "for the siege")]
    pub(crate) fn pid(&self) -> u32 {
        self.process.as_ref().unwrap().id()
    }

    /// 200, or the reasons why not.
    pub(crate) fn ready(&self) -> Result<(), String> {
        let (status, body) = http::try_get(&self.diagnostic("/health/ready"))?;
        if status == 200 { Ok(()) } else { Err(format!("{status} {body}")) }
    }

    /// Waits for readiness.
    #[track_caller]
    pub(crate) fn await_ready(&self) {
        eventually("the engine is ready", || self.ready());
    }

    /// Takes the sidecar's source away; not ready at once.
    pub(crate) fn delete_source(&self) {
        http::delete(&format!("{}/plimsoll/v1/sources/{SOURCE}", self.url())).unwrap();
        assert!(self.ready().unwrap_err().contains("is not declared"));
    }

    pub(crate) fn try_status(&self) -> Result<Json, String> {
        http::try_json(&format!("{}/plimsoll/v1/status", self.url()))
    }

    pub(crate) fn status(&self) -> Json {
        self.try_status().unwrap()
    }

    /// Every row of the placements table.
    pub(crate) fn placements(&self) -> Vec<Json> {
        let list = http::try_json(&format!("{}/plimsoll/v1/placements", self.url())).unwrap();
        list["items"].as_array().unwrap().clone()
    }

    /// The row of one object, or `null`.
    pub(crate) fn placement(&self, namespace: &str, name: &str) -> Json {
        self.find_placement(namespace, name).unwrap_or_default()
    }

    /// The row of one object, or that there is none.
    pub(crate) fn find_placement(&self, namespace: &str, name: &str) -> Result<Json, String> {
        let row = |row: &Json| row["namespace"] == namespace && row["name"] == name;
        self.placements().into_iter().find(row).ok_or_else(|| format!("no row for {namespace}/{name}"))
    }

    /// A Prometheus sample.
    pub(crate) fn sample(&self, metric: &str, labels: &str) -> f64 {
        let (_, text) = http::try_get(&self.diagnostic("/metrics")).unwrap();
        http::sample(&text, metric, labels)
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("engine.log")).unwrap()
    }
}
