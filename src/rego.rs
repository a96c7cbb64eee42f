//! Rego as OPA means it, on regorus; the only place that knows regorus.
//!
//! ```text
//!  Module ─► parse (v1, else v0) ─► accept ─► rewrite ─► Program ─► prepare(data) ─► Prepared ─► document(path, input)
//! ```

pub mod accept;
mod answer;
mod builtins;
mod compile;
pub mod coverage;
mod definitions;
pub mod exact;
mod fault;
mod fresh;
mod interpreter;
pub mod limits;
mod order;
pub mod outline;
pub mod parse;
mod plain;
pub mod prepared;
pub mod program;
pub mod query;
mod reach;
mod reads;
pub mod rewrite;
mod sources;
mod splice;
mod stack;
mod syntax;
pub mod testing;
pub mod value;
mod walk;

pub use builtins::Notes;
pub use limits::{CompileLimits, EvalError, Limits, compiling};
pub use prepared::{Prepared, integer};
pub use program::{Definition, Module, Program, RegoVersion, RuleLocation};
pub use testing::{Run, Test, Verdict};
pub use value::Value;
