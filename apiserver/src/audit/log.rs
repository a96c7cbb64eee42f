//! The log: lines are made when a request is completed, and written by a thread of its own, so that nobody who answers waits for the
//! disk, or for who reads standard output.
//!
//! ```text
//!   event ─► line ─► queue ─► the thread `audit-log` ─► output
//!     └── mode `blocking`: a receipt; the request is answered once its line is written
//! ```

mod output;
mod queue;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::{oneshot, watch};

use super::event::{Answered, Event};
use super::metrics::{Metrics, Plugin};
use super::policy::{Level, Policy, PolicyError};
use super::trail::Subject;
use output::Output;
use queue::{Line, Most, Queue, Refused};

/// So many bytes of lines wait at most, in each mode.
const MOST: usize = 64 << 20;

/// Where lines go, and which are written.
#[derive(Clone, Debug)]
pub struct Options {
    /// `--audit-log-path`: the file; `-` is standard output.
    pub path: PathBuf,
    /// `--audit-policy-file`; without it every request is written.
    pub policy: Option<PathBuf>,
    /// `--audit-log-maxsize`, in bytes: a file that would be longer becomes `<path>.1`, and the older ones `<path>.2` and so on.
    pub longest: u64,
    /// `--audit-log-maxbackup`: so many older files are kept.
    pub backups: u16,
    /// `--audit-log-mode`.
    pub mode: Mode,
}

/// Whether a request waits for its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It does.
    #[default]
    Blocking,
    /// It does not, and its line is lost where too many wait.
    Batch {
        /// `--audit-log-batch-buffer-size`: so many lines wait at most.
        lines: usize,
    },
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The file.
    #[error("cannot write the audit log `{path}`")]
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The thread.
    #[error("cannot start the thread that writes the audit log")]
    Thread(#[source] io::Error),
}

/// The log. Its thread ends when it is closed or dropped, with the last line that it was given.
#[derive(Debug)]
pub struct Log {
    policy: Option<Policy>,
    mode: Mode,
    queue: Arc<Queue>,
    metrics: Metrics,
    /// Closed by the thread when it ends.
    ended: watch::Receiver<()>,
}

/// Tells when a line has been written.
#[derive(Debug)]
#[must_use]
pub struct Receipt(Option<oneshot::Receiver<()>>);

impl Receipt {
    /// Returns when the line has been written or is lost; at once where nobody needs to wait.
    pub async fn settled(self) {
        if let Some(written) = self.0 {
            // An error: the line is lost, which was counted; the request is answered all the same, as upstream.
            let _lost = written.await;
        }
    }
}

impl Log {
    /// Opens the log, to append, and starts its thread. Fails when the policy is not valid or the file cannot be written.
    pub fn open(options: &Options, metrics: Metrics) -> Result<Self, LogError> {
        let policy = options.policy.as_deref().map(Policy::read).transpose()?;
        let output = Output::open(options).map_err(|source| LogError::Open { path: options.path.clone(), source })?;
        let lines = match options.mode {
            Mode::Blocking => usize::MAX,
            Mode::Batch { lines } => lines,
        };
        let queue = Arc::new(Queue::new(Most { lines, bytes: MOST }));
        let (ends, ended) = watch::channel(());
        let (waiting, counted) = (Arc::clone(&queue), metrics.clone());
        let writes = move || {
            write(&waiting, output, &counted);
            drop(ends);
        };
        std::thread::Builder::new().name("audit-log".into()).spawn(writes).map_err(LogError::Thread)?;
        Ok(Self { policy, mode: options.mode, queue, metrics, ended })
    }

    /// Takes the line of a completed request, if the policy says so, and returns what the request waits for before it is answered. A
    /// line that cannot be written is counted and said.
    pub fn record(&self, subject: &Subject, answered: &Answered) -> Receipt {
        let level = self.policy.as_ref().map_or(Level::Metadata, |policy| policy.level(subject, answered.stage));
        if level == Level::None {
            return Receipt(None);
        }
        self.metrics.given();
        let mut text = match serde_json::to_vec(&Event::new(subject, answered, OffsetDateTime::now_utc())) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(%error, "a line of the audit log cannot be made");
                self.metrics.lost(Plugin::Log, 1);
                return Receipt(None);
            }
        };
        text.push(b'\n');
        self.push(text)
    }

    fn push(&self, text: Vec<u8>) -> Receipt {
        let (plugin, written, receipt) = match self.mode {
            Mode::Batch { .. } => (Plugin::Buffered, None, Receipt(None)),
            Mode::Blocking => {
                let (written, receipt) = oneshot::channel();
                (Plugin::Log, Some(written), Receipt(Some(receipt)))
            }
        };
        match self.queue.push(Line { text, written }) {
            Ok(()) => receipt,
            Err(why) => {
                tracing::error!(%why, "a line of the audit log is lost");
                self.metrics.lost(if why == Refused::Closed { Plugin::Log } else { plugin }, 1);
                Receipt(None)
            }
        }
    }

    /// Takes no more lines, and returns when those that wait have been written. What has not been by then is counted as lost.
    pub async fn close(&self, within: Duration) {
        self.queue.close();
        let mut ended = self.ended.clone();
        // Nothing is ever sent: it changes when the thread drops its end.
        if tokio::time::timeout(within, ended.changed()).await.is_err() {
            let lines = self.queue.len();
            tracing::error!(lines, ?within, "the audit log stands still: its last lines, and the one at work, may be lost");
            self.metrics.lost(Plugin::Log, lines.saturating_add(1));
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// Writes one line after the other, until the queue is closed and empty.
fn write(queue: &Queue, mut output: Output, metrics: &Metrics) {
    while let Some(line) = queue.next() {
        if let Err(error) = output.write(&line.text) {
            tracing::error!(%error, "the audit log cannot be written");
            metrics.lost(Plugin::Log, 1);
        }
        if let Some(written) = line.written {
            // Whoever waited may have gone.
            let _gone = written.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{ObjectRef, Stage};

    fn answered(id: &str) -> Answered {
        Answered {
            id: id.into(),
            stage: Stage::ResponseComplete,
            uri: "/api/v1/namespaces/shop/pods".into(),
            source: Some("127.0.0.1".into()),
            user_agent: String::new(),
            code: 403,
            reason: "Forbidden".into(),
            message: "no".into(),
            received: OffsetDateTime::UNIX_EPOCH,
        }
    }

    fn metrics() -> Metrics {
        Metrics::register(&prometheus::Registry::new()).unwrap()
    }

    fn read(path: &std::path::Path) -> Vec<serde_json::Value> {
        std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[tokio::test]
    async fn a_line_says_who_asked_for_what_and_what_was_answered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let options = Options { path: path.clone(), policy: None, longest: 1 << 20, backups: 1, mode: Mode::Blocking };
        let log = Log::open(&options, metrics()).unwrap();
        let object = ObjectRef { resource: "pods".into(), namespace: "shop".into(), ..ObjectRef::default() };
        let subject = Subject { verb: "create".into(), object: Some(object), ..Subject::default() };
        log.record(&subject, &answered("a")).settled().await;
        let line = &read(&path)[0];
        assert_eq!(line["objectRef"], serde_json::json!({"resource": "pods", "namespace": "shop"}));
        let status =
            serde_json::json!({"metadata": {}, "status": "Failure", "message": "no", "reason": "Forbidden", "code": 403});
        assert_eq!(
            (&line["responseStatus"], &line["auditID"], &line["stage"]),
            (&status, &"a".into(), &"ResponseComplete".into())
        );
        assert_eq!(line["requestReceivedTimestamp"], "1970-01-01T00:00:00.000000Z");
    }

    #[tokio::test]
    async fn a_log_has_an_end_and_a_second_start_appends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let options = Options { path: path.clone(), policy: None, longest: 1000, backups: 2, mode: Mode::Blocking };
        for id in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
            Log::open(&options, metrics()).unwrap().record(&Subject::default(), &answered(id)).settled().await;
        }
        let old = |number: usize| path.with_extension(format!("log.{number}"));
        let ids = |path: &std::path::Path| read(path).iter().map(|line| line["auditID"].clone()).collect::<Vec<_>>();
        assert_eq!(
            (ids(&old(2)), ids(&old(1)), ids(&path)),
            (vec!["e".into(), "f".into()], vec!["g".into(), "h".into()], vec!["i".into()])
        );
        assert!(!old(3).exists());
        let no_file = Options { path: folder.path().into(), ..options };
        assert!(Log::open(&no_file, metrics()).unwrap_err().to_string().contains("audit log"));
    }

    #[tokio::test]
    async fn a_pipe_that_nobody_reads_is_refused_and_is_taken_with_a_reader() {
        use rustix::fs::{CWD, FileType, Mode as Permissions, mknodat};
        use std::io::Read;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Permissions::RUSR | Permissions::WUSR, 0).unwrap();
        let options = Options { path: path.clone(), policy: None, longest: 1, backups: 1, mode: Mode::Blocking };
        let error = Log::open(&options, metrics()).unwrap_err();
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(error.to_string().contains("pipe") && why.contains("a pipe that nobody reads"), "{error}: {why}");
        // Opened for both, a pipe has a reader, and nobody waits for one.
        let mut reader = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let log = Log::open(&options, metrics()).unwrap();
        log.record(&Subject::default(), &answered("a")).settled().await;
        let mut start = [0; 8];
        reader.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"{\"kind\":");
    }

    /// A full disk, as far as this file is concerned.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_cannot_be_written_is_counted_and_nobody_waits_for_it() {
        let options = Options { path: "/dev/full".into(), policy: None, longest: 1, backups: 0, mode: Mode::Blocking };
        let metrics = metrics();
        let log = Log::open(&options, metrics.clone()).unwrap();
        for id in ["a", "b"] {
            log.record(&Subject::default(), &answered(id)).settled().await;
        }
        assert_eq!(metrics.seen(), [2, 2, 0]);
        log.close(Duration::from_secs(60)).await;
        log.record(&Subject::default(), &answered("late")).settled().await;
        assert_eq!(metrics.seen(), [3, 3, 0]);
        assert!(std::path::Path::new("/dev/full").exists(), "what is no file is neither renamed nor removed");
    }

    /// A line that no pipe holds keeps its thread at work until somebody reads.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_reader_that_stands_still_costs_a_batch_what_the_queue_does_not_hold() {
        use std::io::Read;
        use std::os::fd::AsRawFd;

        let (mut reader, writer) = std::io::pipe().unwrap();
        let path = PathBuf::from(format!("/proc/self/fd/{}", writer.as_raw_fd()));
        let options = Options { path, policy: None, longest: 1 << 20, backups: 1, mode: Mode::Batch { lines: 3 } };
        let metrics = metrics();
        let log = Log::open(&options, metrics.clone()).unwrap();
        let long = Answered { message: "x".repeat(2 << 20), ..answered("0") };
        log.record(&Subject::default(), &long).settled().await;
        let taken = async {
            while log.queue.len() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), taken).await.unwrap();
        for id in ["1", "2", "3", "4", "5"] {
            log.record(&Subject::default(), &answered(id)).settled().await;
        }
        assert_eq!(metrics.seen(), [6, 0, 2]);
        log.close(Duration::ZERO).await;
        assert_eq!(metrics.seen(), [6, 4, 2], "three wait, one is at work");
        drop((log, writer));
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let ids = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["auditID"].clone());
        assert_eq!(ids.collect::<Vec<_>>(), ["0", "1", "2", "3"], "all that waited was written once somebody read");
    }
}
