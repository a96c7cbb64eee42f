//! Globs.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("glob.match", &[Type::String, Type::Or(&[Type::Null, Type::Array(&Type::String)]), Type::String], Some(Type::Boolean)),
    row("glob.quote_meta", &[Type::String], Some(Type::String)),
];
