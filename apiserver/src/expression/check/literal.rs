//! Literals that a function must be able to read: upstream refuses them when they are written (cel-go, `cel/validator.go`).

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::super::library::{read_duration, read_pattern, read_timestamp};
use super::{CheckError, Fault, Scope};

/// Checks the literal arguments of a call.
pub(super) fn check(call: &CallExpr, scope: &mut Scope<'_>) -> Result<(), Fault> {
    let (name, argument, is_valid): (&'static str, _, fn(&str) -> bool) = match call.func_name.as_str() {
        "@duration" => ("duration", call.args.first(), |text| read_duration(text).is_some()),
        "@timestamp" => ("timestamp", call.args.first(), |text| read_timestamp(text).is_some()),
        "matches" => ("matches", call.args.last(), |text| read_pattern(text).is_ok()),
        "find" | "findAll" => {
            if let Some(IdedExpr { expr: Expr::Literal(LiteralValue::String(text)), .. }) = call.args.first() {
                scope.pattern = scope.pattern.take().or_else(|| read_pattern(text.inner()).err());
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    let Some(IdedExpr { id, expr: Expr::Literal(LiteralValue::String(text)) }) = argument else { return Ok(()) };
    if is_valid(text.inner()) { Ok(()) } else { Err((CheckError::Literal(name), *id)) }
}
