//! What the compiler writes itself.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("internal.member_2", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("in"),
    row("internal.member_3", &[Type::Any, Type::Any, Type::Any], Some(Type::Boolean)).infix("in"),
    row("internal.print", &[Type::Array(&Type::Set(&Type::Any))], None),
    row("internal.template_string", &[Type::Array(&Type::Any)], Some(Type::String)),
    row("internal.test_case", &[Type::Array(&Type::Any)], None),
];
