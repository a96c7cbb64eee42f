//! `plimsoll dev --apiserver-only`, as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::api::Api;
use super::assets::Assets;
use super::eventually::eventually;
use super::kubectl::Kubectl;
use super::ports;
use super::process::Process;

/// A running embedded API server with nothing in it.
#[derive(Debug)]
pub(crate) struct Embedded {
    process: Process,
    port: u16,
    kubectl: PathBuf,
    arguments: Vec<String>,
    directory: TempDir,
}

impl Embedded {
    /// In memory, without a hook.
    pub(crate) fn bare(assets: &Assets) -> Self {
        Self::start_in(directory(), assets, Vec::new())
    }

    /// Keeps its objects, so that it can be restarted.
    pub(crate) fn kept(assets: &Assets) -> Self {
        Self::kept_with(assets, &[])
    }

    /// The same, with more arguments of `plimsoll dev`.
    pub(crate) fn kept_with(assets: &Assets, arguments: &[&str]) -> Self {
        let directory = directory();
        let data = format!("--data-dir={}", directory.path().join("data").display());
        let arguments = arguments.iter().map(ToString::to_string).chain([data]).collect();
        Self::start_in(directory, assets, arguments)
    }

    /// Asks the engine at `url` before it stores what is placed.
    pub(crate) fn hooked(assets: &Assets, url: &str) -> Self {
        let directory = directory();
        // JSON is YAML.
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "default",
            "clusters": [{"name": "engine", "cluster": {"server": format!("{url}/v0/data/kubernetes/placement")}}],
            "users": [{"name": "scheduling-policy", "user": {}}],
            "contexts": [{"name": "default", "context": {"cluster": "engine", "user": "scheduling-policy"}}],
        });
        let resources = ["replicasets.apps", "deployments.apps", "federatedjobs.batch.example.io"];
        let plugin = json!({"kubeconfig": "engine.kubeconfig", "retryBackoff": 20, "resources": resources});
        let configuration = json!({
            "apiVersion": "apiserver.k8s.io/v1alpha1", "kind": "AdmissionConfiguration",
            "plugins": [{"name": "SchedulingPolicy", "path": "scheduling-policy.yml"}],
        });
        for (name, content) in
            [("engine.kubeconfig", kubeconfig), ("scheduling-policy.yml", plugin), ("admission.yml", configuration)]
        {
            std::fs::write(directory.path().join(name), content.to_string()).unwrap();
        }
        let configuration = format!("--admission-control-config-file={}", directory.path().join("admission.yml").display());
        Self::start_in(directory, assets, vec![configuration])
    }

    fn start_in(directory: TempDir, assets: &Assets, arguments: Vec<String>) -> Self {
        let port = ports::free();
        let process = run(directory.path(), port, &arguments);
        let mut server = Self { process, port, kubectl: assets.binary("kubectl"), arguments, directory };
        server.await_ready(1);
        server
    }

    /// Ends it in order and starts it again, at the same place.
    pub(crate) fn restart(&mut self) {
        self.process.terminate();
        assert_eq!(self.process.wait(), Some(0));
        self.process = run(self.directory.path(), self.port, &self.arguments);
        self.await_ready(2);
    }

    fn await_ready(&mut self, starts: usize) {
        let process = &mut self.process;
        eventually("the embedded API server is ready", || {
            assert!(process.alive(), "it ended:\n{}", process.log_tail(30));
            let log = process.log_tail(1000);
            if log.lines().filter(|line| line.starts_with("ready ")).count() >= starts { Ok(()) } else { Err(log) }
        });
    }

    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// The administrator's.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }

    /// Resident bytes.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn resident(&self) -> u64 {
        self.process.resident()
    }

    /// Time on the processor.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn processor(&self) -> Duration {
        self.process.processor()
    }

    /// kubectl as cluster administrator.
    pub(crate) fn admin(&self) -> Kubectl {
        Kubectl::new(self.kubectl.clone(), self.kubeconfig())
    }

    /// The API without kubectl, as cluster administrator, hence as anybody.
    #[allow(dead_code, reason = "benchmarks use kubectl")]
    pub(crate) fn api(&self) -> Api {
        let config = self.read_kubeconfig();
        let decoded = |data: &Json| String::from_utf8(STANDARD.decode(data.as_str().unwrap()).unwrap()).unwrap();
        let (cluster, user) = (&config["clusters"][0]["cluster"], &config["users"][0]["user"]);
        let identity = [&user["client-key-data"], &user["client-certificate-data"]].map(decoded).join("\n");
        Api::certified(&self.url(), &decoded(&cluster["certificate-authority-data"]), &identity)
    }

    fn read_kubeconfig(&self) -> Json {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        yaml_serde::from_str(&text).unwrap()
    }

    /// kubectl, and a kubeconfig file, for the holder of a bearer token.
    pub(crate) fn kubectl_as(&self, name: &str, token: &str) -> Kubectl {
        let mut config = self.read_kubeconfig();
        config["users"][0]["user"] = json!({"token": token});
        let path = self.directory.path().join(format!("{name}.kubeconfig"));
        std::fs::write(&path, config.to_string()).unwrap();
        Kubectl::new(self.kubectl.clone(), path)
    }
}

fn directory() -> TempDir {
    tempfile::Builder::new().prefix("plimsoll-embedded-").tempdir().unwrap()
}

fn run(directory: &Path, port: u16, arguments: &[String]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command
        .args(["dev", "--apiserver-only", &format!("--port={port}"), "--kubeconfig"])
        .arg(directory.join("kubeconfig"))
        .args(arguments);
    Process::start("plimsoll dev", &mut command, &directory.join("dev.log"))
}
