//! Child processes that end with their owner, each with a log of its own.

use std::fs::{DirEntry, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running process. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

const TIED: &str = r#"trap "" INT; "$@" </dev/null & child=$!; cat; kill -9 "$child"; wait "$child"; rm -rf "$0""#;

impl Process {
    /// Starts `command` with both outputs in `log` (appended, so that a restarted process keeps its history).
    pub(crate) fn start(name: &str, command: &mut Command, log: &Path) -> Self {
        let output = File::options().create(true).append(true).open(log).unwrap();
        let child = command
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("could not start {name}: {error}"));
        Self { name: name.into(), child, log: log.into() }
    }

    /// Like [`Self::start`], for a process that lives in a static, whose drop never runs: a shell holds the other end of
    /// a pipe and, when ours ends, however it ends, kills the process and removes the directory of its log.
    pub(crate) fn start_tied(name: &str, command: &Command, log: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", TIED])
            .arg(log.parent().unwrap())
            .arg(command.get_program())
            .args(command.get_args())
            .stdin(Stdio::piped());
        Self::start(name, &mut shell, log)
    }

    /// Whether it still runs.
    pub(crate) fn alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// SIGTERM: an orderly end. Returns at once.
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Of the child itself.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end and returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let name = self.name.clone();
        super::eventually::eventually(&format!("{name} ends"), || self.child.try_wait().unwrap().ok_or(())).code()
    }

    /// SIGKILL: as a crash.
    pub(crate) fn kill(&mut self) {
        drop(self.child.stdin.take());
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Resident bytes, of a tied process those of the program below the shell.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn resident(&self) -> u64 {
        self.pids().iter().map(|pid| resident(pid)).max().unwrap_or_default()
    }

    /// Time on the processor so far, of a tied process that of the program below the shell.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn processor(&self) -> Duration {
        self.pids().iter().map(|pid| processor(pid)).sum()
    }

    #[allow(dead_code, reason = "for the benchmark")]
    fn pids(&self) -> Vec<String> {
        let shell = self.child.id();
        let below = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap_or_default();
        below.split_whitespace().map(str::to_owned).chain([shell.to_string()]).collect()
    }

    /// What it has logged, newest last, at most `lines`.
    pub(crate) fn log_tail(&self, lines: usize) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let all: Vec<&str> = text.lines().collect();
        all.iter().skip(all.len().saturating_sub(lines)).fold(String::new(), |text, line| text + line + "\n")
    }
}

/// Sends a signal, by its name, to a process that a test started.
pub(crate) fn signal(pid: u32, name: &str) {
    Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap();
}

#[allow(dead_code, reason = "for the benchmark")]
fn resident(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}

/// Of the threads that there are: to the nanosecond, where the sum for the process counts in hundredths of a second.
#[allow(dead_code, reason = "for the benchmark")]
fn processor(pid: &str) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
    };
    threads.map(of).sum()
}

impl Drop for Process {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let tail = self.log_tail(60);
            // Nothing can be done about a failure while failing.
            let _ = writeln!(std::io::stderr(), "--- {} ({}) logged, at the end:\n{tail}", self.name, self.log.display());
        }
        if self.child.stdin.is_some() {
            // A tied process: closing the pipe makes the shell kill it; killing the shell first would orphan it.
            drop(self.child.stdin.take());
            let _ = self.child.wait();
        }
        self.kill();
    }
}
