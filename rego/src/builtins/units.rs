//! Numbers with units.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] =
    &[row("units.parse", &[Type::String], Some(Type::Number)), row("units.parse_bytes", &[Type::String], Some(Type::Number))];
