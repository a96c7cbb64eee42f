//! JSON in and out, without a second tree: numbers stay as they are written, and everything is as Go's `encoding/json` does it.

mod read;
mod scan;
mod shapes;
mod string;
mod write;

use std::fmt;

use thiserror::Error;

pub use read::{Reader, read};
pub use string::shown;
pub use write::{Layout, write, write_within};

pub use super::text::TextError;
use crate::limits::Halt;

/// What is wrong with a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// In which byte.
    pub offset: usize,
    /// What, in the words of Go's `encoding/json` or of OPA.
    pub message: String,
}

/// Why a JSON text is not read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// The text is wrong.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The evaluation ends.
    #[error(transparent)]
    Halt(#[from] Halt),
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for JsonError {}
