//! A process for many cases; the one at hand is in a file, and when it has no end the process is ended and the next one goes on.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

/// In the process that does the work: where it says which case is at hand.
pub(super) const ALONE: &str = "LIMITS_ALONE";
/// The first case that it does.
pub(super) const FROM: &str = "LIMITS_FROM";

/// What became of a process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All cases are done.
    Done,
    /// The case of this number took too long, or ended the process.
    At(usize, &'static str),
}

/// Does the cases from `from` on in a process; gives each so much time.
pub(super) fn run(test: &str, at_hand: &Path, from: usize, patience: Duration) -> End {
    std::fs::write(at_hand, from.to_string()).unwrap();
    let mut child = start(test, at_hand, from);
    let (mut number, mut since) = (from, Instant::now());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return if status.success() { End::Done } else { End::At(now(at_hand, number), "ended the process") };
        }
        let at = now(at_hand, number);
        if at != number {
            (number, since) = (at, Instant::now());
        } else if since.elapsed() > patience {
            child.kill().unwrap();
            child.wait().unwrap();
            return End::At(number, "had no end");
        }
        park_timeout(Duration::from_millis(20));
    }
}

fn start(test: &str, at_hand: &Path, from: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(ALONE, at_hand).env(FROM, from.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The number in the file; while it is being written, what it was.
fn now(at_hand: &Path, before: usize) -> usize {
    std::fs::read_to_string(at_hand).ok().and_then(|text| text.parse().ok()).unwrap_or(before)
}
