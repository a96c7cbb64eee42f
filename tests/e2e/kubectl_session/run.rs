//! Runs the steps as a person would type them: one shell each, one directory and one kubeconfig for all.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::normal::Normal;
use super::steps::{Step, directory};

/// A step that hangs ends the comparison of that step, not the session.
const LIMIT_SECONDS: &str = "60";

/// What commands in the background write is gone before a step begins: who waits for it must not see an earlier step's.
/// `eventually COMMAND…` waits for what the API server does by itself, quietly and at most half a minute or so.
const PRELUDE: &str = r#"rm -f seen said waited log
eventually() { n=0; until "$@" >/dev/null 2>&1; do n=$((n + 1)); [ $n -lt 300 ] || return 1; sleep 0.1; done; }"#;

/// What one step left, normalised.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) exit: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

/// The outcomes, in the order of the steps.
pub(super) type Transcript = Vec<Outcome>;

/// A person's shell.
#[derive(Debug)]
pub(super) struct Session {
    directory: TempDir,
    url: String,
    normal: Normal,
}

impl Session {
    pub(super) fn new(kubectl: &Path, url: &str, kubeconfig: &Path) -> Self {
        let directory_of_session = tempfile::Builder::new().prefix("plimsoll-session-").tempdir().unwrap();
        let path = directory_of_session.path();
        for name in ["bin", "work", "home"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(kubectl, path.join("bin/kubectl")).unwrap();
        fs::copy(kubeconfig, path.join("kubeconfig")).unwrap();
        for file in fs::read_dir(directory().join("files")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), path.join("work").join(file.file_name())).unwrap();
        }
        let normal = Normal::new(url, path);
        Self { directory: directory_of_session, url: url.to_owned(), normal }
    }

    pub(super) fn run(&self, steps: &[Step]) -> Transcript {
        steps.iter().map(|step| self.step(&step.run)).collect()
    }

    fn step(&self, script: &str) -> Outcome {
        let start = Instant::now();
        let Output { status, stdout, stderr } = self.command(script).output().unwrap();
        let text = |bytes: Vec<u8>| self.normal.text(&String::from_utf8_lossy(&bytes));
        let (exit, took) = (status.code().unwrap_or(-1), start.elapsed());
        Outcome { exit, stdout: text(stdout), stderr: text(stderr), took }
    }

    fn command(&self, script: &str) -> Command {
        let path = self.directory.path();
        let search = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command
            .args([LIMIT_SECONDS, "sh", "-c", &format!("{PRELUDE}\n{script}")])
            .current_dir(path.join("work"))
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", format!("{}:{search}", path.join("bin").display()))
            .env("HOME", path.join("home"))
            .env("KUBECONFIG", path.join("kubeconfig"))
            .env("SERVER", &self.url)
            .env("LC_ALL", "C")
            // kubectl lives too briefly to collect garbage, and its neighbours want the other processors.
            .env("GOGC", "off")
            .env("GOMAXPROCS", "1");
        command
    }
}
