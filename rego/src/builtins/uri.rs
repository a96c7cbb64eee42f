//! URIs.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("uri.is_valid", &[Type::String], Some(Type::Boolean)),
    row("uri.parse", &[Type::String], Some(Type::Object(&Type::String, &Type::String))),
];
