//! Literals that a function must be able to read: upstream refuses them when they are written (cel-go, `cel/validator.go`).

use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::super::library::{read_duration, read_pattern, read_seconds, read_timestamp};
use super::{CheckError, Fault, Scope};

/// Checks the literal arguments of a call.
pub(super) fn check(call: &CallExpr, scope: &mut Scope<'_>) -> Result<(), Fault> {
    let (first, last) = (call.args.first(), call.args.last());
    let (name, argument) = match call.func_name.as_str() {
        "@duration" => ("duration", first),
        "@timestamp" => ("timestamp", first),
        "@matches" => ("matches", last),
        "find" | "findAll" => ("find", first),
        _ => return Ok(()),
    };
    let Some((id, Expr::Literal(literal))) = argument.map(|argument| (argument.id, &argument.expr)) else { return Ok(()) };
    let is_valid = match (name, literal) {
        ("duration", LiteralValue::String(text)) => read_duration(text.inner()).is_some(),
        ("timestamp", LiteralValue::String(text)) => read_timestamp(text.inner()).is_some(),
        ("timestamp", LiteralValue::Int(seconds)) => read_seconds(*seconds.inner()).is_some(),
        ("matches", LiteralValue::String(text)) => read_pattern(text.inner()).is_ok(),
        ("find", LiteralValue::String(text)) => {
            scope.pattern = scope.pattern.take().or_else(|| read_pattern(text.inner()).err());
            true
        }
        _ => true,
    };
    if is_valid { Ok(()) } else { Err((CheckError::Literal(name), id)) }
}
