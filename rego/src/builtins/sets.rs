//! Sets.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("and", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).infix("&"),
    row("intersection", &[Type::Set(&Type::Set(&Type::Any))], Some(Type::Set(&Type::Any))),
    row("or", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).infix("|"),
    row("set_diff", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).deprecated(),
    row("union", &[Type::Set(&Type::Set(&Type::Any))], Some(Type::Set(&Type::Any))),
];
