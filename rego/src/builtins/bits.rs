//! Bits of whole numbers.

use num_bigint::{BigInt, Sign};

use super::numbers::{pay, pay_digits};
use super::operand::{big_integer, invalid};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::limits::Halt;
use crate::value::Value;

/// Bytes that a shifted number may have, whatever the account says.
const LARGEST: u64 = 1 << 30;
/// Decimal digits of five bytes.
const DIGITS: u64 = 12;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("bits.and", &[Type::Number, Type::Number], Some(Type::Number)).by(and),
    row("bits.lsh", &[Type::Number, Type::Number], Some(Type::Number)).by(lsh),
    row("bits.negate", &[Type::Number], Some(Type::Number)).by(negate),
    row("bits.or", &[Type::Number, Type::Number], Some(Type::Number)).by(or),
    row("bits.rsh", &[Type::Number, Type::Number], Some(Type::Number)).by(rsh),
    row("bits.xor", &[Type::Number, Type::Number], Some(Type::Number)).by(xor),
];

type Answer = Result<Option<Value>, BuiltinError>;

fn and(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, |a, b| a & b)
}

fn or(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, |a, b| a | b)
}

fn xor(context: &mut Context, operands: &[&Value]) -> Answer {
    binary(context, operands, |a, b| a ^ b)
}

fn binary(context: &mut Context, operands: &[&Value], compute: fn(BigInt, BigInt) -> BigInt) -> Answer {
    pay(context, operands.iter().copied())?;
    Ok(Some(Value::from(compute(big_integer(operands, 0)?, big_integer(operands, 1)?))))
}

fn negate(context: &mut Context, operands: &[&Value]) -> Answer {
    pay(context, operands.iter().copied())?;
    Ok(Some(Value::from(-big_integer(operands, 0)? - 1)))
}

fn lsh(context: &mut Context, operands: &[&Value]) -> Answer {
    pay(context, operands.iter().copied())?;
    let (value, shift) = shifted(operands)?;
    if value.sign() == Sign::NoSign {
        return Ok(Some(Value::Int(0)));
    }
    let bytes = value.bits().saturating_add(shift) / 8;
    context.account.charge(usize::try_from(bytes).unwrap_or(usize::MAX))?;
    if bytes > LARGEST {
        return Err(Halt::Memory(context.account.limits().memory).into());
    }
    // Its digits are computed, too.
    pay_digits(context, bytes.saturating_mul(DIGITS) / 5)?;
    Ok(Some(Value::from(value << shift)))
}

fn rsh(context: &mut Context, operands: &[&Value]) -> Answer {
    pay(context, operands.iter().copied())?;
    let (value, shift) = shifted(operands)?;
    Ok(Some(Value::from(value >> shift)))
}

/// A number, and by how many bits it is shifted: what 64 bits hold of it, as in OPA.
fn shifted(operands: &[&Value]) -> Result<(BigInt, u64), BuiltinError> {
    let (value, shift) = (big_integer(operands, 0)?, big_integer(operands, 1)?);
    if shift.sign() == Sign::Minus {
        return Err(invalid(1, "must be an unsigned integer number but got a negative integer"));
    }
    Ok((value, shift.iter_u64_digits().next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn bits_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("bits.and", "[12, 10]", "8"),
            ("bits.or", "[12, -10]", "-2"),
            ("bits.xor", "[18446744073709551616, 1e0]", "18446744073709551617"),
            ("bits.negate", "[0]", "-1"),
            ("bits.negate", "[-18446744073709551617]", "18446744073709551616"),
            ("bits.lsh", "[1, 70]", "1180591620717411303424"),
            ("bits.lsh", "[0, 1e18]", "0"),
            ("bits.rsh", "[-5, 1]", "-3"),
            ("bits.rsh", "[-5, 100]", "-1"),
            ("bits.rsh", "[5.0, 1]", "2"),
            (
                "bits.rsh",
                "[1, -1]",
                "eval_type_error: bits.rsh: operand 2 must be an unsigned integer number but got a negative integer",
            ),
            ("bits.and", "[1, 1.5]", "eval_type_error: bits.and: operand 2 must be integer number but got floating-point number"),
            ("bits.and", "[true, 1]", "eval_type_error: bits.and: operand 1 must be integer but got boolean"),
            ("bits.lsh", "[1, 1e12]", "halt: evaluation took longer than 60s"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
