//! `plimsoll sync`, as a process of its own, with the rights of its ServiceAccount and no more.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::http;
use super::ports;
use super::process::{Process, signal};

/// One running sidecar.
#[derive(Debug)]
pub(crate) struct Sidecar {
    process: Process,
    log: PathBuf,
    health: u16,
}

/// A process that stands still.
#[derive(Debug)]
pub(crate) struct Suspended(u32);

impl Drop for Suspended {
    fn drop(&mut self) {
        signal(self.0, "CONT");
    }
}

impl Sidecar {
    pub(crate) fn start(name: &str, config: &Path, kubeconfig: &Path) -> Self {
        Self::start_with(name, (config, kubeconfig), &[])
    }

    /// With more arguments.
    pub(crate) fn start_with(name: &str, (config, kubeconfig): (&Path, &Path), arguments: &[&str]) -> Self {
        let health = ports::free();
        let log = config.with_file_name(format!("{name}.log"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            .arg("sync")
            .arg("--config")
            .arg(config)
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg(format!("--health-addr=127.0.0.1:{health}"))
            .args(arguments)
            // Tells replicas apart in the lease, as the pod's name does in a cluster.
            .env("HOSTNAME", name);
        Self { process: Process::start(name, &mut command, &log), log, health }
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill();
    }

    /// SIGSTOP: the mirror stands still until what is returned is dropped.
    pub(crate) fn suspend(&self) -> Suspended {
        self.process.signal("STOP");
        Suspended(self.process.id())
    }

    /// SIGTERM; the exit code of the orderly end.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.process.terminate();
        self.process.wait()
    }

    /// Health and metrics.
    pub(crate) fn diagnostic(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.health)
    }

    /// A Prometheus sample, 0 while it does not answer yet.
    pub(crate) fn sample(&self, metric: &str, labels: &str) -> f64 {
        let text = http::try_get(&self.diagnostic("/metrics")).map(|(_, text)| text);
        http::sample(&text.unwrap_or_default(), metric, labels)
    }

    /// 200 or not, and what it says of itself.
    #[allow(dead_code, reason = "benchmarks do not ask")]
    pub(crate) fn health(&self) -> Result<(u16, String), String> {
        http::try_get(&self.diagnostic("/health/ready"))
    }

    /// Patches that the API server accepted.
    pub(crate) fn patches(&self) -> f64 {
        self.sample("plimsoll_sidecar_writes_total", "result=\"patched\"")
    }

    pub(crate) fn leads(&self) -> bool {
        self.sample("plimsoll_sidecar_leading", "") > 0.0
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }
}
