//! `+ - * / %` and rounding (`v1/topdown/arithmetic.go`).

use std::sync::Arc;
use std::time::Duration;

use super::super::operand::{at, wrong};
use super::super::{BuiltinError, Context};
use crate::value::Value;
use crate::value::number::arithmetic::{self, ArithmeticError, Computed};

/// Digits that arithmetic goes through at once.
const DIGITS: u64 = 32;
/// Nanoseconds that so many digits take with as many others, at least: to read them, to compute, to write the answer.
const NANOSECONDS: u64 = 8;

type Answer = Result<Option<Value>, BuiltinError>;

pub(super) fn plus(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, arithmetic::add)
}

pub(super) fn mul(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, arithmetic::mul)
}

pub(super) fn div(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, arithmetic::div)
}

pub(super) fn rem(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, arithmetic::rem)
}

/// Of two sets, too: their difference.
pub(super) fn minus(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (at(operands, 0)?, at(operands, 1)?);
    match (a, b) {
        (Value::Set(a), Value::Set(b)) => Ok(Some(Value::Set(Arc::new(a.difference(b, &mut context.account)?)))),
        (a, b) if a.is_number() && b.is_number() => binary(context, operands, arithmetic::sub),
        (Value::Int(_) | Value::Number(_), b) => Err(wrong(1, b, &["number"])),
        (Value::Set(_), Value::Int(_) | Value::Number(_)) => Err(wrong(1, b, &["set"])),
        (Value::Set(_), b) => Err(wrong(1, b, &["number"])),
        (a, _) => Err(wrong(0, a, &["number", "set"])),
    }
}

pub(super) fn abs(context: &mut Context, operands: &[&Value]) -> Answer {
    unary(context, operands, arithmetic::abs)
}

pub(super) fn ceil(context: &mut Context, operands: &[&Value]) -> Answer {
    unary(context, operands, arithmetic::ceil)
}

pub(super) fn floor(context: &mut Context, operands: &[&Value]) -> Answer {
    unary(context, operands, arithmetic::floor)
}

pub(super) fn round(context: &mut Context, operands: &[&Value]) -> Answer {
    unary(context, operands, arithmetic::round)
}

fn binary(context: &mut Context, operands: &[&Value], compute: fn(&Value, &Value) -> Computed) -> Answer {
    let (a, b) = (at(operands, 0)?, at(operands, 1)?);
    pay(context, [a, b])?;
    match compute(a, b) {
        Some(result) => result.map(Some).map_err(failed),
        None if a.is_number() => Err(wrong(1, b, &["number"])),
        None => Err(wrong(0, a, &["number"])),
    }
}

fn unary(context: &mut Context, operands: &[&Value], compute: fn(&Value) -> Computed) -> Answer {
    let operand = at(operands, 0)?;
    pay(context, [operand])?;
    compute(operand).ok_or_else(|| wrong(0, operand, &["number"]))?.map(Some).map_err(failed)
}

/// Charges for what arithmetic on these numbers takes: memory as they have digits, steps as those of all together squared.
pub(in super::super) fn pay<'v>(context: &mut Context, numbers: impl IntoIterator<Item = &'v Value>) -> Result<(), BuiltinError> {
    let digits = numbers.into_iter().fold(0_u64, |digits, value| match value {
        Value::Number(number) => digits.saturating_add(number.digits()),
        _ => digits.saturating_add(1),
    });
    pay_digits(context, digits)
}

/// The same for a number of digits: nothing ends it midway, so that it is begun only if there is time.
pub(in super::super) fn pay_digits(context: &mut Context, digits: u64) -> Result<(), BuiltinError> {
    if digits <= DIGITS {
        return Ok(context.account.step(1)?);
    }
    context.account.charge(usize::try_from(digits).unwrap_or(usize::MAX))?;
    let rounds = (digits / DIGITS).saturating_mul(digits / DIGITS);
    context.account.step(rounds)?;
    Ok(context.account.has_time_for(Duration::from_nanos(rounds.saturating_mul(NANOSECONDS)))?)
}

/// OPA's error of arithmetic.
pub(in super::super) fn failed(error: ArithmeticError) -> BuiltinError {
    BuiltinError::failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::testing::{answer, context, limited};
    use crate::limits::Limits;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn operators_answer_as_opa_does() {
        let mut context = context();
        for (name, operands, expected) in [
            ("plus", "[1, 2.0]", "3"),
            ("plus", "[0.1, 0.2]", "0.3"),
            ("plus", "[\"a\", 1]", "eval_type_error: plus: operand 1 must be number but got string"),
            ("plus", "[1, null]", "eval_type_error: plus: operand 2 must be number but got null"),
            ("minus", "[{\"set\": [1, 2]}, {\"set\": [1.0]}]", "{2}"),
            ("minus", "[{\"set\": [1, 2]}, 1]", "eval_type_error: minus: operand 2 must be set but got number"),
            ("minus", "[1, {\"set\": []}]", "eval_type_error: minus: operand 2 must be number but got set"),
            ("minus", "[{\"set\": []}, true]", "eval_type_error: minus: operand 2 must be number but got boolean"),
            ("minus", "[true, 1]", "eval_type_error: minus: operand 1 must be one of {number, set} but got boolean"),
            ("mul", "[3, 4]", "12"),
            ("div", "[10, 3]", "3.3333333333333333333"),
            ("div", "[1, 0e5]", "eval_builtin_error: div: divide by zero"),
            ("rem", "[1, 0]", "eval_builtin_error: rem: modulo by zero"),
            ("rem", "[1.5, 1]", "eval_builtin_error: rem: modulo on floating-point number"),
            ("rem", "[1e2, 7]", "2"),
            ("abs", "[-2.50]", "2.5"),
            ("round", "[-2.5]", "-3"),
            ("floor", "[null]", "eval_type_error: floor: operand 1 must be number but got null"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn large_numbers_are_paid_for() {
        let mut context = limited(Limits { steps: 100_000, ..Limits::default() });
        assert_eq!(answer(&mut context, "mul", "[1e30000, 1e30000]"), "halt: evaluation took more than 100000 steps");
    }

    /// Fails when less time is left than computing with such numbers takes at least: it cannot be interrupted.
    #[test]
    fn large_numbers_need_time_that_is_left() {
        let mut context = limited(Limits { time: Duration::ZERO, ..Limits::default() });
        for (name, operands) in [
            ("mul", "[1e30000, 1e30000]"),
            ("sum", "[[1e30000, 1]]"),
            ("product", "[[1e30000, 1e30000]]"),
            ("bits.lsh", "[1, 1e8]"),
            ("bits.rsh", "[1e30000, 1]"),
            ("format_int", "[1e30000, 10]"),
            ("sprintf", "[\"%d\", [1e30000]]"),
            ("numbers.range", "[1e30000, 1e30000]"),
        ] {
            assert_eq!(answer(&mut context, name, operands), "halt: evaluation took longer than 0ns", "{name} {operands}");
        }
    }
}
