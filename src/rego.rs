//! Rego as OPA means it, on regorus; the only place that knows regorus.
//!
//! ```text
//!  Module ─► parse (v1, else v0) ─► accept ─► rewrite ─► Program ─► prepare(data) ─► Prepared ─► document(path, input)
//! ```

pub mod accept;
pub mod limits;
pub mod parse;
pub mod program;
pub mod rewrite;
pub mod value;

pub use limits::{EvalError, Limits};
pub use program::{Definition, Module, Prepared, Program, RegoVersion, RuleLocation};
pub use value::Value;
