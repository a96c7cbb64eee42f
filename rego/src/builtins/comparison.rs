//! Operators that compare; `eq` and `assign` are the evaluator's own.

use std::cmp::Ordering;

use super::error::Answer;
use super::operand::at;
use super::signature::Type;
use super::table::{Builtin, Comparison, row};
use super::{BuiltinError, Context};
use crate::limits::Halt;
use crate::value::Value;
use crate::value::number::compare_as_opa;

/// How large a value may be that is looked up by hash: shared parts count each time.
const LARGEST: u32 = 10_000_000;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("assign", &[Type::Any, Type::Any], Some(Type::Boolean)).infix(":="),
    row("eq", &[Type::Any, Type::Any], Some(Type::Boolean)).infix("="),
    row("equal", &[Type::Any, Type::Any], Some(Type::Boolean)).by(equal).comparing(same).infix("=="),
    row("gt", &[Type::Any, Type::Any], Some(Type::Boolean)).by(gt).comparing(greater).infix(">"),
    row("gte", &[Type::Any, Type::Any], Some(Type::Boolean)).by(gte).comparing(greater_or_equal).infix(">="),
    row("lt", &[Type::Any, Type::Any], Some(Type::Boolean)).by(lt).comparing(less).infix("<"),
    row("lte", &[Type::Any, Type::Any], Some(Type::Boolean)).by(lte).comparing(less_or_equal).infix("<="),
    row("neq", &[Type::Any, Type::Any], Some(Type::Boolean)).by(neq).comparing(different).infix("!="),
];

fn equal(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, same)
}

fn neq(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, different)
}

fn gt(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, greater)
}

fn gte(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, greater_or_equal)
}

fn lt(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, less)
}

fn lte(context: &mut Context, operands: &[&Value]) -> Answer {
    compared(context, operands, less_or_equal)
}

fn compared(context: &mut Context, operands: &[&Value], comparison: Comparison) -> Answer {
    comparison(context, at(operands, 0)?, at(operands, 1)?).map(|holds| Some(Value::from(holds)))
}

fn different(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    same(context, a, b).map(|same| !same)
}

fn greater(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    order(context, a, b).map(Ordering::is_gt)
}

fn greater_or_equal(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    order(context, a, b).map(Ordering::is_ge)
}

fn less(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    order(context, a, b).map(Ordering::is_lt)
}

fn less_or_equal(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    order(context, a, b).map(Ordering::is_le)
}

fn order(context: &mut Context, a: &Value, b: &Value) -> Result<Ordering, BuiltinError> {
    Ok(if a.is_number() && b.is_number() { compare_as_opa(a, b) } else { a.compare_within(b, &mut context.account)? })
}

/// Pays for looking a value up by hash, where nobody is asked while it is compared with one that is equal.
pub(super) fn looked_up(context: &mut Context, value: &Value) -> Result<(), Halt> {
    context.account.step(u64::from(value.nodes()))?;
    if value.nodes() > LARGEST { Err(Halt::Steps(context.account.limits().steps)) } else { Ok(()) }
}

/// Whether two values are equal, as OPA's operators say it.
pub(super) fn same(context: &mut Context, a: &Value, b: &Value) -> Result<bool, BuiltinError> {
    if a.is_number() && b.is_number() {
        return Ok(compare_as_opa(a, b).is_eq());
    }
    Ok(a.equal_within(b, &mut context.account)?)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers.
    #[test]
    fn values_compare_as_in_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("equal", "[1, 1.0]", "true"),
            ("equal", "[0.10000000000000000010, 0.10000000000000000000]", "true"),
            ("equal", "[0.10000000000000000010, 0.1]", "false"),
            ("neq", "[[1], [1.0]]", "false"),
            ("lt", "[null, false]", "true"),
            ("lt", "[2, \"1\"]", "true"),
            ("lte", "[{\"a\": 2}, {\"b\": 1}]", "true"),
            ("gt", "[[], \"z\"]", "true"),
            ("gte", "[1e2, 100]", "true"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
