//! Text that values are written to: it has a limit, and somebody pays for it.

use std::fmt;

use thiserror::Error;

use super::meter::Meter;
use crate::limits::Halt;

/// How much is paid at once.
const PAID: usize = 4_096;

/// Why a value is not written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TextError {
    /// The evaluation ends.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// It is longer than it may be.
    #[error("text is longer than {0} bytes")]
    Limit(usize),
    /// It holds a number that JSON cannot say, such as what `to_number("+5")` makes.
    #[error("json: invalid number literal {0:?}")]
    Number(String),
}

/// Text that grows.
#[derive(Debug)]
pub(super) struct Writer<'m, M> {
    text: String,
    limit: usize,
    paid: usize,
    stopped: Option<TextError>,
    meter: &'m mut M,
}

impl<'m, M: Meter> Writer<'m, M> {
    /// Up to so many bytes.
    pub(super) fn new(limit: usize, meter: &'m mut M) -> Self {
        Self { text: String::new(), limit, paid: 0, stopped: None, meter }
    }

    pub(super) fn push(&mut self, text: &str) -> Result<(), TextError> {
        self.expect(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    /// Makes sure that so many bytes more may be written.
    pub(super) fn expect(&mut self, bytes: usize) -> Result<(), TextError> {
        let length = self.text.len().saturating_add(bytes);
        if length > self.limit {
            return Err(TextError::Limit(self.limit));
        }
        if length > self.paid {
            let due = length.saturating_sub(self.paid).max(PAID);
            self.paid = self.paid.saturating_add(due);
            self.meter.charge(due).map_err(Into::into)?;
        }
        Ok(())
    }

    /// What is appended here must be settled.
    pub(super) fn text(&mut self) -> &mut String {
        &mut self.text
    }

    /// Accounts for what was appended without [`Self::expect`].
    pub(super) fn settle(&mut self) -> Result<(), TextError> {
        self.expect(0)
    }

    /// Text that is made apart, within the same limit.
    pub(super) fn apart(&mut self, make: impl FnOnce(usize, &mut M) -> Result<String, TextError>) -> Result<String, TextError> {
        make(self.limit.saturating_sub(self.text.len()), self.meter).map_err(|error| match error {
            TextError::Limit(_) => TextError::Limit(self.limit),
            other => other,
        })
    }

    /// The text, if all of it could be written.
    pub(super) fn done(self, written: fmt::Result) -> Result<String, TextError> {
        match (self.stopped, written) {
            (Some(stopped), Err(_)) => Err(stopped),
            _ => Ok(self.text),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

impl<M: Meter> fmt::Write for Writer<'_, M> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text).map_err(|stopped| {
            self.stopped = Some(stopped);
            fmt::Error
        })
    }
}

/// The byte that a private character stands for: text that is no UTF-8 keeps its bytes so, beyond U+10FF00.
pub(super) fn byte(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(0x10_ff00)?).ok().filter(|byte| !byte.is_ascii())
}
