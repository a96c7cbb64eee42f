//! Arrays.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("array.concat", &[Type::Array(&Type::Any), Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))),
    row("array.flatten", &[Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))),
    row("array.reverse", &[Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))),
    row("array.slice", &[Type::Array(&Type::Any), Type::Number, Type::Number], Some(Type::Array(&Type::Any))),
];
