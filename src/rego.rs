//! What the engine asks of Rego, on `plimsoll-rego`: texts become a [`Program`], with data a [`Prepared`], which answers with documents in JSON,
//! within [`Limits`].
//!
//! ```text
//!  Module ─► Program ─► prepare(data) ─► Prepared ─► document(path, input)
//! ```

pub mod accept;
mod changed;
pub mod coverage;
mod document;
mod entry;
pub mod limits;
pub mod parse;
mod prepared;
mod program;
pub mod query;
#[cfg(feature = "dev")]
pub mod second_opinion;
pub mod testing;
pub mod trace;
mod value;

pub use changed::ChangedMembers;
pub use document::{Document, Inexact};
pub use entry::Entry;
pub use limits::compiling::Cores;
pub use limits::{EvalError, Limits};
pub use plimsoll_rego::depend::Mask;
pub use prepared::{Evaluated, Prepared, integer, now_ns};
pub use program::{Contradiction, Definition, Module, Program, RegoVersion, RuleLocation, Times, VersionError};
pub use testing::{Run, Test, Verdict};
pub use value::{CertificateError, Value, YamlError};
