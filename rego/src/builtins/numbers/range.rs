//! `numbers.range` and `numbers.range_step` (`v1/topdown/numbers.go`).

use num_bigint::BigInt;

use super::super::operand::big_integer;
use super::super::{BuiltinError, Context};
use super::pay;
use crate::limits::Halt;
use crate::value::Value;

type Answer = Result<Option<Value>, BuiltinError>;

pub(super) fn range(context: &mut Context, operands: &[&Value]) -> Answer {
    pay(context, operands.iter().copied())?;
    let (from, to) = (big_integer(operands, 0)?, big_integer(operands, 1)?);
    between(context, from, &to, BigInt::from(1)).map(Some)
}

pub(super) fn range_step(context: &mut Context, operands: &[&Value]) -> Answer {
    pay(context, operands.iter().copied())?;
    let (from, to, step) = (big_integer(operands, 0)?, big_integer(operands, 1)?, big_integer(operands, 2)?);
    if step <= BigInt::default() {
        return Err(BuiltinError::failed("numbers.range_step: step must be a positive integer"));
    }
    between(context, from, &to, step).map(Some)
}

/// From one to the other, both included, up or down.
fn between(context: &mut Context, from: BigInt, to: &BigInt, step: BigInt) -> Result<Value, BuiltinError> {
    let down = from > *to;
    let distance = if down { &from - to } else { to - &from };
    let count = usize::try_from(distance / &step).unwrap_or(usize::MAX).saturating_add(1);
    let bytes = count.saturating_mul(size_of::<Value>());
    context.account.charge(bytes)?;
    let mut items = Vec::new();
    let too_many = Halt::Memory(context.account.limits().memory);
    items.try_reserve_exact(count).map_err(|_| too_many)?;
    let step = if down { -step } else { step };
    let mut next = from;
    for _ in 0..count {
        context.account.step(1)?;
        let item = Value::from(next.clone());
        if let Value::Number(number) = &item {
            context.account.charge(number.text().len().saturating_add(64))?;
        }
        items.push(item);
        next += &step;
    }
    Ok(Value::array(items))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, context, limited};
    use crate::limits::Limits;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn ranges_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("numbers.range", "[1, 3]", "[1, 2, 3]"),
            ("numbers.range", "[1, -1.0]", "[1, 0, -1]"),
            ("numbers.range", "[1e1, 11]", "[10, 11]"),
            ("numbers.range", "[9223372036854775807, 9223372036854775808]", "[9223372036854775807, 9223372036854775808]"),
            ("numbers.range", "[\"1\", 3]", "eval_type_error: numbers.range: operand 1 must be integer but got string"),
            (
                "numbers.range",
                "[1, 1.5]",
                "eval_type_error: numbers.range: operand 2 must be integer number but got floating-point number",
            ),
            ("numbers.range_step", "[0, 10, 4]", "[0, 4, 8]"),
            ("numbers.range_step", "[10, 1, 4]", "[10, 6, 2]"),
            (
                "numbers.range_step",
                "[0, 10, 0]",
                "eval_builtin_error: numbers.range_step: numbers.range_step: step must be a positive integer",
            ),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn long_ranges_are_refused_before_they_are_made() {
        let mut context = limited(Limits { memory: 1_000_000, ..Limits::default() });
        let expected = "halt: evaluation needed more than 1000000 bytes";
        assert_eq!(answer(&mut context, "numbers.range", "[1, 1000000000000]"), expected);
        let mut context = super::super::super::testing::context();
        let all = "halt: evaluation took longer than 60s";
        assert_eq!(answer(&mut context, "numbers.range", "[1, 1e30]"), all);
    }
}
