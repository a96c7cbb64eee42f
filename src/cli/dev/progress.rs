//! The output of `plimsoll dev`: a line for each part that is up, then the commands to go on with.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::places::Places;
use super::{Args, examples};

/// Standard output, and the time at which the start began.
pub(super) struct Progress<'a> {
    out: &'a mut dyn Write,
    started: Instant,
    /// The environment variables by which `plimsoll why` finds the engine, as a shell takes them; `None` while there is no engine.
    engine: Option<String>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, started: Instant::now(), engine: None }
    }

    /// Prints one line. Fails when standard output cannot be written.
    pub(super) fn line(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{text}").and_then(|()| self.out.flush()).context("could not write to standard output")
    }

    /// Prints the last line, unless standard output would block: a reader that stands still (the audit log may go there too) must not
    /// keep the program from ending.
    pub(super) fn last(&mut self, text: &str) -> anyhow::Result<()> {
        if has_room(io::stdout()) { self.line(text) } else { Ok(()) }
    }

    /// Prints that a part is up.
    pub(super) fn part(&mut self, name: &str, what: &str) -> anyhow::Result<()> {
        self.line(&format!("{name:<12}{what}"))
    }

    /// Prints that the engine is up, and remembers how `plimsoll why` finds it.
    pub(super) fn engine(&mut self, url: &str, token: &Path) -> anyhow::Result<()> {
        let token = token.display().to_string();
        self.engine = Some(format!("PLIMSOLL_SERVER={url} PLIMSOLL_TOKEN_FILE={}", quoted(&token)));
        self.part("engine", &format!("{url}, which the token in {token} opens"))
    }

    /// Prints that the sidecar is up, with the address of its metrics.
    pub(super) fn sidecar(&mut self, metrics: Option<SocketAddr>) -> anyhow::Result<()> {
        let metrics = metrics.map(|at| format!("; metrics: http://{at}/metrics")).unwrap_or_default();
        self.part("sidecar", &format!("mirrors the fleet into the engine, and repairs ReplicaSets and Deployments{metrics}"))
    }

    /// Prints that everything is up, how long that took, and the commands to go on with.
    pub(super) fn ready(&mut self, places: &Places, args: &Args) -> anyhow::Result<()> {
        let seconds = self.started.elapsed().as_secs_f64();
        self.line(&format!("ready       after {seconds:.2} s; Ctrl-C ends it"))?;
        self.line("\nIn another terminal:\n")?;
        self.line(&format!("  export KUBECONFIG={}", quoted(&places.kubeconfig().display().to_string())))?;
        if let Some(engine) = self.engine.clone() {
            self.line(&format!("  export {engine}"))?;
        }
        if args.apiserver_only || args.without_examples {
            return self.line("  kubectl api-resources\n");
        }
        let payments = places.write("payments.yaml", examples::PAYMENTS)?;
        let payments = quoted(&payments.display().to_string());
        self.line("  kubectl get clusters --show-labels")?;
        self.line(&format!("  kubectl create -f {payments}"))?;
        self.line("  kubectl get replicaset payments -o yaml          # placed on certified clusters in the EU")?;
        self.line("  kubectl annotate cluster eu-paris pci-certified- # … which this one no longer is")?;
        self.line("  kubectl describe replicaset payments             # moved, and why")?;
        self.line("  plimsoll why replicaset payments                 # for each cluster, what keeps it out\n")
    }
}

/// Returns whether something can be written to `output` without waiting.
fn has_room(output: impl AsFd) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    // An error, too, is told by writing.
    poll(&mut [PollFd::new(&output, PollFlags::OUT)], Some(&at_once)) != Ok(0)
}

/// Returns the text quoted for a POSIX shell, where that is needed.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_that_is_full_has_no_room() {
        let (reader, mut writer) = io::pipe().unwrap();
        assert!(has_room(&writer));
        let (other, begun) = (writer.try_clone().unwrap(), Instant::now());
        let full = std::thread::spawn(move || writer.write_all(&[0; 4 << 20]));
        while has_room(&other) {
            assert!(begun.elapsed().as_secs() < 60);
            std::thread::yield_now();
        }
        drop((other, reader));
        assert!(full.join().unwrap().is_err(), "nobody reads any more");
    }

    #[test]
    fn a_path_can_be_pasted_whatever_it_contains() {
        for (text, expected) in [("/tmp/a-b.c", "/tmp/a-b.c"), ("/my dir/x", "'/my dir/x'"), ("/it's", r"'/it'\''s'")] {
            assert_eq!(quoted(text), expected);
        }
    }
}
