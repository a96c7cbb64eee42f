//! A real OPA beside ours, if there is one.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::support::DEADLINE;

/// A running OPA; stopped when dropped.
pub(super) struct Opa {
    child: Child,
    pub(super) address: String,
}

/// Where `tests/tools/build` put it; without it nothing is compared.
pub(super) fn binary() -> Option<PathBuf> {
    let found = std::env::var_os("KUBEBUILDER_ASSETS").map(|assets| PathBuf::from(assets).join("opa")).filter(|opa| opa.exists());
    let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
    assert!(found.is_some() || !required, "PLIMSOLL_E2E=required, and no `opa` in KUBEBUILDER_ASSETS");
    found
}

/// Starts it in a directory.
pub(super) fn start(binary: &Path, dir: &Path, args: &[String]) -> Opa {
    // It does not say which port it took for port 0, and a port that was just free may be taken by another test.
    for _ in 0..5 {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let log = dir.join("opa.log");
        let mut child = Command::new(binary)
            .args(["run", "--server", "--skip-version-check", "--addr", &address])
            .args(args)
            .current_dir(dir)
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        if listens(&mut child, &address) {
            return Opa { child, address };
        }
        let _ = (child.kill(), child.wait());
        let said = fs::read_to_string(&log).unwrap_or_default();
        assert!(said.contains("address already in use"), "OPA did not start: {said}");
    }
    panic!("no free port for OPA");
}

fn listens(child: &mut Child, address: &str) -> bool {
    let started = Instant::now();
    while started.elapsed() < DEADLINE {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if TcpStream::connect(address).is_ok() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

impl Drop for Opa {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
