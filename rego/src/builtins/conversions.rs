//! From text to numbers.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] =
    &[row("to_number", &[Type::Or(&[Type::Null, Type::Boolean, Type::Number, Type::String])], Some(Type::Number))];
