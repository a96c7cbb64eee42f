//! Standard error and files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value as Json;

use super::{Counts, Event};
use crate::config::FileLogger;

/// OPA's line on the console: its logger's fields around the event's.
#[derive(Serialize)]
struct Console<'a> {
    #[serde(flatten)]
    event: &'a Event,
    level: &'static str,
    msg: &'static str,
    time: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// An error as OPA's console has it, in one text.
fn in_words(error: &Json) -> String {
    if let Json::Array(errors) = error {
        let errors: Vec<_> = errors.iter().map(one).collect();
        return format!("{} errors occurred:\n{}", errors.len(), errors.join("\n"));
    }
    // Errors of policies and queries are lists, also of one.
    let is_rego = error.get("code").and_then(Json::as_str).is_some_and(|code| code.starts_with("rego_"));
    format!("{}{}", if is_rego { "1 error occurred: " } else { "" }, one(error))
}

fn one(error: &Json) -> String {
    let text = |pointer: &str| error.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
    let number = |pointer: &str| error.pointer(pointer).and_then(Json::as_u64).unwrap_or_default();
    let place = match (error.get("location"), text("/location/file")) {
        (None, _) => String::new(),
        (_, "") => format!("{}:{}: ", number("/location/row"), number("/location/col")),
        (_, file) => format!("{file}:{}: ", number("/location/row")),
    };
    format!("{place}{}: {}", text("/code"), text("/message"))
}

/// One line on standard error, where OPA writes it.
pub(super) fn console(event: &Event, counts: &Counts) {
    let kind = "openpolicyagent.org/decision_logs";
    let error = event.error.as_ref().map(in_words);
    let bare = error.as_ref().map(|_| Event { error: None, ..event.clone() });
    let event = bare.as_ref().unwrap_or(event);
    let line = Console { event, level: "info", msg: "Decision Log", time: &event.timestamp, kind, error };
    let written = serde_json::to_vec(&line).map_err(io::Error::other).and_then(|mut line| {
        line.push(b'\n');
        io::stderr().lock().write_all(&line)
    });
    if written.is_err() {
        counts.dropped("console");
    }
}

/// A file that is put aside when it is large (OPA: `file_logger`).
#[derive(Debug)]
pub struct FileSink {
    config: FileLogger,
    file: File,
    size: u64,
}

impl FileSink {
    /// Opens the file at its end.
    pub fn open(config: FileLogger) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&config.path)?;
        let size = file.metadata()?.len();
        Ok(Self { config, file, size })
    }

    pub(super) fn write(&mut self, line: &[u8], counts: &Counts) {
        let mut whole = line.to_vec();
        whole.push(b'\n');
        let written = self.turn(whole.len() as u64).and_then(|()| self.file.write_all(&whole));
        match written {
            Ok(()) => self.size += whole.len() as u64,
            Err(error) => {
                tracing::error!(%error, path = %self.config.path.display(), "the decision log cannot be written");
                counts.dropped("file");
            }
        }
    }

    /// Puts a full file aside: `log` becomes `log.1`, that `log.2`, and the last one goes.
    fn turn(&mut self, more: u64) -> io::Result<()> {
        let limit = self.config.max_size_mb.saturating_mul(1 << 20);
        if self.size == 0 || self.size.saturating_add(more) <= limit {
            return Ok(());
        }
        for number in (1..self.config.max_backups).rev() {
            rename(self.aside(number), self.aside(number + 1))?;
        }
        if self.config.max_backups > 0 {
            rename(self.config.path.clone(), self.aside(1))?;
        } else {
            fs::remove_file(&self.config.path)?;
        }
        *self = Self::open(self.config.clone())?;
        Ok(())
    }

    fn aside(&self, number: usize) -> PathBuf {
        let mut path = self.config.path.clone().into_os_string();
        path.push(format!(".{number}"));
        path.into()
    }
}

fn rename(from: PathBuf, to: PathBuf) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_console_has_errors_in_words() {
        let place =
            |file: &str| json!({"code": "eval_builtin_error", "message": "why", "location": {"file": file, "row": 5, "col": 2}});
        assert_eq!(in_words(&place("policies/app.rego")), "policies/app.rego:5: eval_builtin_error: why");
        assert_eq!(in_words(&place("")), "5:2: eval_builtin_error: why");
        assert_eq!(
            in_words(&json!([{"code": "a", "message": "b"}, {"code": "c", "message": "d"}])),
            "2 errors occurred:\na: b\nc: d"
        );
    }

    #[test]
    fn a_full_file_is_put_aside_and_old_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut sink = FileSink::open(FileLogger { path: path.clone(), max_size_mb: 1, max_backups: 2 }).unwrap();
        let counts = Counts::new().unwrap();
        for letter in ["a", "b", "c", "d"] {
            sink.write(letter.repeat(700 << 10).as_bytes(), &counts);
        }
        let first = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap().chars().next().unwrap();
        assert_eq!((first("log"), first("log.1"), first("log.2")), ('d', 'c', 'b'));
        assert!(!dir.path().join("log.3").exists());
        // After a restart it goes on where it was.
        drop(sink);
        let mut sink = FileSink::open(FileLogger { path, max_size_mb: 1, max_backups: 0 }).unwrap();
        sink.write(b"{}", &counts);
        assert_eq!(first("log"), 'd');
    }
}
