//! The engine's view of Rego, on `plimsoll-rego`: the same names as `rego`, behind the feature `next-rego` while both exist.

pub mod accept;
pub mod coverage;
pub mod exact;
pub mod limits;
mod notes;
pub mod outline;
pub mod parse;
mod prepared;
mod program;
pub mod query;
pub mod second_opinion;
pub mod testing;
mod value;

pub use limits::{CompileLimits, EvalError, Limits, compiling};
pub use notes::Notes;
pub use prepared::{Prepared, integer};
pub use program::{Definition, Module, Program, RegoVersion, RuleLocation};
pub use testing::{Run, Test, Verdict};
pub use value::Value;
