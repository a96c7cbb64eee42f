//! Versions.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("semver.compare", &[Type::String, Type::String], Some(Type::Number)),
    row("semver.is_valid", &[Type::Any], Some(Type::Boolean)),
];
