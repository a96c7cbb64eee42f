//! What an author prints; both are the evaluator's own.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[row("print", &[], None).variadic(), row("trace", &[Type::String], Some(Type::Boolean))];
