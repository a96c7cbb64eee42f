//! `plimsoll dev --apiserver-only`, as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::eventually::eventually;
use super::ports;
use super::process::Process;

/// A running embedded API server with nothing in it.
#[derive(Debug)]
pub(crate) struct Embedded {
    _process: Process,
    url: String,
    kubeconfig: PathBuf,
    _directory: TempDir,
}

impl Embedded {
    /// In memory, without a hook.
    pub(crate) fn bare() -> Self {
        Self::start(&[])
    }

    /// With more arguments of `plimsoll dev`; returns when the kubeconfig is there, which is when it serves.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let directory = tempfile::Builder::new().prefix("plimsoll-embedded-").tempdir().unwrap();
        let kubeconfig = directory.path().join("kubeconfig");
        let port = ports::free();
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(["dev", "--apiserver-only", &format!("--port={port}"), "--kubeconfig"]).arg(&kubeconfig).args(arguments);
        let mut process = Process::start("plimsoll dev", &mut command, &directory.path().join("dev.log"));
        eventually("the embedded API server is ready", || {
            assert!(process.alive(), "it ended:\n{}", process.log_tail(30));
            if process.log_tail(1000).contains("ready") { Ok(()) } else { Err(process.log_tail(5)) }
        });
        Self { _process: process, url: format!("https://127.0.0.1:{port}"), kubeconfig, _directory: directory }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The administrator's.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}
