//! Cutting a sync body into lines as it comes: the header first, nothing longer than it may be, errors by number.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use plimsoll_contract::source::Synced;

use super::SyncWriter;
use crate::snapshot::store::{Store, SyncError};

/// Longest line of a sync body.
pub const MAX_LINE: usize = 8 << 20;

/// Says whether a line may be read; what it gives is held while that is done.
pub type Admit<'a> = &'a dyn Fn(&[u8]) -> Result<Box<dyn Any>, SyncError>;

/// A sync body that arrives in pieces. Dropped before [`Self::finish`], it has changed nothing.
pub struct SyncBody<'a> {
    store: &'a Store,
    source: String,
    began: Duration,
    line: Vec<u8>,
    lines: usize,
    writer: Option<SyncWriter<'a>>,
    admit: Option<Admit<'a>>,
}

impl Store {
    /// Applies an NDJSON sync body (header line first) in one revision.
    pub fn sync(&self, name: &str, body: &[u8]) -> Result<Synced, SyncError> {
        let mut sync = self.sync_body(name);
        sync.feed(body)?;
        sync.finish()
    }

    /// Starts an NDJSON sync body (header line first) that arrives in pieces.
    pub fn sync_body(&self, name: &str) -> SyncBody<'_> {
        let began = self.now();
        SyncBody { store: self, source: name.into(), began, line: Vec::new(), lines: 0, writer: None, admit: None }
    }
}

impl<'a> SyncBody<'a> {
    /// Sets when the request began, as time since the engine started: it may have waited since.
    #[must_use]
    pub fn begun(self, at: Duration) -> Self {
        Self { began: at, ..self }
    }

    /// Sets what admits each line before it is read.
    #[must_use]
    pub fn admitting(self, admit: Admit<'a>) -> Self {
        Self { admit: Some(admit), ..self }
    }

    /// Bytes of the line that is not whole yet.
    pub fn held(&self) -> usize {
        self.line.capacity()
    }

    /// The next piece of the body.
    pub fn feed(&mut self, mut piece: &[u8]) -> Result<(), SyncError> {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = piece.split_at(end);
            piece = rest.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.bounded(line.len())?;
                self.take(line)?;
            } else {
                self.hold(line)?;
                let mut held = std::mem::take(&mut self.line);
                self.take(&held)?;
                held.clear();
                self.line = held;
            }
        }
        self.hold(piece)
    }

    /// The end of the body: applies all of it in one revision, or says why nothing was applied.
    pub fn finish(mut self) -> Result<Synced, SyncError> {
        let last = std::mem::take(&mut self.line);
        if !last.is_empty() {
            self.take(&last)?;
        }
        let missing = || SyncError::Invalid("line 1: the header is missing".into());
        self.writer.ok_or_else(missing)?.finish()
    }

    fn hold(&mut self, piece: &[u8]) -> Result<(), SyncError> {
        self.bounded(self.line.len() + piece.len())?;
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn bounded(&self, len: usize) -> Result<(), SyncError> {
        if len <= MAX_LINE {
            return Ok(());
        }
        let mib = MAX_LINE >> 20;
        Err(SyncError::Invalid(format!("line {}: longer than {mib} MiB; nothing was applied", self.lines + 1)))
    }

    fn take(&mut self, line: &[u8]) -> Result<(), SyncError> {
        self.lines += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let _held = self.admit.map(|admit| admit(line)).transpose()?;
        let number = self.lines;
        let numbered = |e: &dyn fmt::Display| SyncError::Invalid(format!("line {number}: {e}; nothing was applied"));
        if let Some(writer) = &mut self.writer {
            return writer.line(line).map_err(|error| numbered(&error));
        }
        let header = serde_json::from_slice(line).map_err(|e| numbered(&format_args!("the header cannot be read: {e}")))?;
        self.writer = Some(self.store.begin_sync(&self.source, header, self.began)?);
        Ok(())
    }
}

impl fmt::Debug for SyncBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, lines, writer, .. } = self;
        f.debug_struct("SyncBody").field("source", source).field("lines", lines).field("writer", writer).finish_non_exhaustive()
    }
}
