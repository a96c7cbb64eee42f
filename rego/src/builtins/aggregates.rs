//! Counting, sums, the smallest and the largest.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("all", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Boolean)).deprecated(),
    row("any", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Boolean)).deprecated(),
    row(
        "count",
        &[Type::Or(&[Type::String, Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)])],
        Some(Type::Number),
    ),
    row("max", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Any)),
    row("min", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Any)),
    row("product", &[Type::Or(&[Type::Array(&Type::Number), Type::Set(&Type::Number)])], Some(Type::Number)),
    row("sort", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Array(&Type::Any))),
    row("sum", &[Type::Or(&[Type::Array(&Type::Number), Type::Set(&Type::Number)])], Some(Type::Number)),
];
