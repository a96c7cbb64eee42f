//! The file that lines go to: written before the request is answered, as upstream's blocking mode, and never longer than it may be.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use parking_lot::Mutex;
use time::OffsetDateTime;

use super::event::{Answered, Event};
use super::policy::{Level, Policy, PolicyError};
use super::trail::Subject;

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
}

/// The log.
#[derive(Debug)]
pub struct Log {
    policy: Option<Policy>,
    output: Mutex<Output>,
}

#[derive(Debug)]
enum Output {
    Standard,
    File(Box<Rotating>),
}

/// A file that becomes another one when it is too long.
#[derive(Debug)]
struct Rotating {
    options: Options,
    file: File,
    length: u64,
    /// The last line may have been cut off.
    is_torn: bool,
}

impl Log {
    /// Opens the log, to append. Fails when the policy is not valid or the file cannot be written.
    pub fn open(options: &Options) -> Result<Self, LogError> {
        let policy = options.policy.as_deref().map(Policy::read).transpose()?;
        let failed = |source| LogError::Open { path: options.path.clone(), source };
        let output = match options.path.as_os_str() == "-" {
            true => Output::Standard,
            false => {
                let file = append(&options.path).map_err(failed)?;
                let length = file.metadata().map_err(failed)?.len();
                Output::File(Box::new(Rotating { options: options.clone(), file, length, is_torn: false }))
            }
        };
        Ok(Self { policy, output: Mutex::new(output) })
    }

    /// Writes a request's line, if the policy says so; returns whether it does. Fails when it cannot be written.
    pub fn write(&self, subject: &Subject, answered: &Answered) -> io::Result<bool> {
        let level = self.policy.as_ref().map_or(Level::Metadata, |policy| policy.level(subject, answered.stage));
        if level == Level::None {
            return Ok(false);
        }
        let mut line = serde_json::to_vec(&Event::new(subject, answered, OffsetDateTime::now_utc()))?;
        line.push(b'\n');
        self.output.lock().write(&line).map(|()| true)
    }
}

impl Output {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Self::Standard => io::stdout().lock().write_all(line),
            Self::File(file) => file.write(line),
        }
    }
}

impl Rotating {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let added = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.length > 0 && self.length.saturating_add(added) > self.options.longest {
            self.rotate()?;
        }
        let end = if std::mem::replace(&mut self.is_torn, true) { b"\n".as_slice() } else { b"" };
        self.file.write_all(end).and_then(|()| self.file.write_all(line))?;
        (self.is_torn, self.length) = (false, self.length + added);
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..self.options.backups).rev() {
            match std::fs::rename(self.backup(number), self.backup(number + 1)) {
                // An older one, or all of it where a rotation before got no further.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                renamed => renamed?,
            }
        }
        if self.options.backups == 0 {
            std::fs::remove_file(&self.options.path)?;
        }
        (self.file, self.length) = (append(&self.options.path)?, 0);
        Ok(())
    }

    /// The file itself is number 0.
    fn backup(&self, number: u16) -> PathBuf {
        let mut name = self.options.path.clone().into_os_string();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        name.into()
    }
}

/// Nobody else may read who asked for what.
fn append(path: &PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
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

    fn read(path: &std::path::Path) -> Vec<serde_json::Value> {
        std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_line_says_who_asked_for_what_and_what_was_answered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let log = Log::open(&Options { path: path.clone(), policy: None, longest: 1 << 20, backups: 1 }).unwrap();
        let object = ObjectRef { resource: "pods".into(), namespace: "shop".into(), ..ObjectRef::default() };
        let subject = Subject { verb: "create".into(), object: Some(object), ..Subject::default() };
        assert!(log.write(&subject, &answered("a")).unwrap());
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

    #[test]
    fn a_log_has_an_end_and_a_second_start_appends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let options = Options { path: path.clone(), policy: None, longest: 1000, backups: 2 };
        for id in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
            Log::open(&options).unwrap().write(&Subject::default(), &answered(id)).unwrap();
        }
        let old = |number: usize| path.with_extension(format!("log.{number}"));
        let ids = |path: &std::path::Path| read(path).iter().map(|line| line["auditID"].clone()).collect::<Vec<_>>();
        assert_eq!(
            (ids(&old(2)), ids(&old(1)), ids(&path)),
            (vec!["e".into(), "f".into()], vec!["g".into(), "h".into()], vec!["i".into()])
        );
        assert!(!old(3).exists());
        assert!(Log::open(&Options { path: folder.path().into(), ..options }).unwrap_err().to_string().contains("audit log"));
    }
}
