//! What the engine says of itself, and what it takes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use super::client::Client;
use super::figures::Figures;

const PAUSE: Duration = Duration::from_millis(200);

/// Asks for readiness all the time.
pub(super) fn watch(diagnostic: &str, over: &AtomicBool) -> Figures {
    let (client, mut figures) = (Client::new(Duration::from_secs(10)), Figures::default());
    while !over.load(Ordering::Relaxed) {
        let started = Instant::now();
        let ready = is_ready(&client, diagnostic);
        figures.add(
            format!("readiness: {}", ready.map_or_else(|_| "no answer".into(), |ready| ready.to_string())),
            started.elapsed(),
        );
        park_timeout(PAUSE);
    }
    figures
}

/// Whether it says that it can decide.
pub(super) fn is_ready(client: &Client, diagnostic: &str) -> Result<bool, String> {
    client.ask("GET", &format!("{diagnostic}/health/ready"), "text/plain", Vec::new()).map(|(status, _)| status == 200)
}

/// The most memory that a process has had, in bytes.
pub(super) fn most_resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}
