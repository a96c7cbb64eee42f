//! Operators that compare; `eq` and `assign` are the evaluator's own.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("assign", &[Type::Any, Type::Any], Some(Type::Boolean)).infix(":="),
    row("eq", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("="),
    row("equal", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("=="),
    row("gt", &[Type::Any, Type::Any], Some(Type::Boolean)).infix(">"),
    row("gte", &[Type::Any, Type::Any], Some(Type::Boolean)).infix(">="),
    row("lt", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("<"),
    row("lte", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("<="),
    row("neq", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("!="),
];
