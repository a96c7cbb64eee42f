//! Arithmetic and ranges.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("abs", &[Type::Number], Some(Type::Number)),
    row("ceil", &[Type::Number], Some(Type::Number)),
    row("div", &[Type::Number, Type::Number], Some(Type::Number)).infix("/"),
    row("floor", &[Type::Number], Some(Type::Number)),
    row(
        "minus",
        &[Type::Or(&[Type::Number, Type::Set(&Type::Any)]), Type::Or(&[Type::Number, Type::Set(&Type::Any)])],
        Some(Type::Or(&[Type::Number, Type::Set(&Type::Any)])),
    )
    .infix("-"),
    row("mul", &[Type::Number, Type::Number], Some(Type::Number)).infix("*"),
    row("numbers.range", &[Type::Number, Type::Number], Some(Type::Array(&Type::Number))),
    row("numbers.range_step", &[Type::Number, Type::Number, Type::Number], Some(Type::Array(&Type::Number))),
    row("plus", &[Type::Number, Type::Number], Some(Type::Number)).infix("+"),
    row("rand.intn", &[Type::String, Type::Number], Some(Type::Number)).depends(Dependence::Random).nondeterministic(),
    row("rem", &[Type::Number, Type::Number], Some(Type::Number)).infix("%"),
    row("round", &[Type::Number], Some(Type::Number)),
];
