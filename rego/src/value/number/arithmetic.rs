//! Arithmetic as OPA does it (`v1/topdown/arithmetic.go`): exact on integers of any size, in floats of 64 bits of mantissa
//! otherwise, and `/` always so unless it comes out even.
//!
//! The functions answer `None` for operands that are no numbers.

use num_bigint::BigInt;
use thiserror::Error;

use super::super::Value;
use super::compare::Numeral;
use super::float::Float;
use super::form::Form;
use super::shortest;

/// Bits of a mantissa, of all but products of more than two.
const BITS: u32 = 64;

/// Why there is no result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ArithmeticError {
    /// `/` by a zero of any form.
    #[error("divide by zero")]
    DivideByZero,
    /// `%` by zero.
    #[error("modulo by zero")]
    ModuloByZero,
    /// `%` of what is no integer.
    #[error("modulo on floating-point number")]
    ModuloOnFloat,
    /// The exponent has more than 32 bits, where Go has an infinity.
    #[error("number too big")]
    TooBig,
}

/// A number, or why there is none; `None` if an operand is no number.
pub type Computed = Option<Result<Value, ArithmeticError>>;

/// `a + b`.
pub fn add(a: &Value, b: &Value) -> Computed {
    exactly(a, b, i64::checked_add, |a, b| a + b, Float::add)
}

/// `a - b`.
pub fn sub(a: &Value, b: &Value) -> Computed {
    exactly(a, b, i64::checked_sub, |a, b| a - b, Float::sub)
}

/// `a * b`.
pub fn mul(a: &Value, b: &Value) -> Computed {
    exactly(a, b, i64::checked_mul, |a, b| a * b, Float::mul)
}

/// `a / b`.
pub fn div(a: &Value, b: &Value) -> Computed {
    let (x, y) = (Numeral::of(a)?, Numeral::of(b)?);
    if y.whole() == Some(0) {
        return Some(Err(ArithmeticError::DivideByZero));
    }
    // Of zero, the sign of the quotient counts.
    if let (Some(x), Some(y)) = (x.whole().filter(|x| *x != 0), y.whole())
        && x.checked_rem(y) == Some(0)
        && let Some(quotient) = x.checked_div(y)
    {
        return Some(Ok(Value::Int(quotient)));
    }
    Some(floating(x, y, Float::div))
}

/// `a % b`, with the sign of `a`.
pub fn rem(a: &Value, b: &Value) -> Computed {
    let (x, y) = (Numeral::of(a)?, Numeral::of(b)?);
    Some(match (x.whole(), y.whole()) {
        (Some(_), Some(0)) => Err(ArithmeticError::ModuloByZero),
        (Some(x), Some(y)) => Ok(Value::Int(x.checked_rem(y).unwrap_or(0))),
        _ => match (x.integer(), y.integer()) {
            (Some(_), Some(y)) if y == BigInt::default() => Err(ArithmeticError::ModuloByZero),
            (Some(x), Some(y)) => Ok(Value::from(x % y)),
            _ => Err(ArithmeticError::ModuloOnFloat),
        },
    })
}

/// `abs(a)`.
pub fn abs(a: &Value) -> Computed {
    let number = Numeral::of(a)?;
    if let Some(positive) = number.opas_integer().and_then(i64::checked_abs) {
        return Some(Ok(Value::Int(positive)));
    }
    Some(number.float().map(|float| value(Float { negative: false, ..float }, BITS)))
}

/// `round(a)`: half away from zero.
pub fn round(a: &Value) -> Computed {
    step(a, |float| {
        let moved = if float.negative { float.sub(Float::HALF) } else { float.add(Float::HALF) };
        moved.map(Float::truncated)
    })
}

/// `ceil(a)`. OPA cuts the fraction off first and looks at the sign of what is left, which zero has not.
pub fn ceil(a: &Value) -> Computed {
    step(a, |float| {
        let whole = float.truncated();
        Some(if float.is_whole() || whole < BigInt::default() { whole } else { whole + 1 })
    })
}

/// What stands before the point.
pub fn truncate(a: &Value) -> Computed {
    step(a, |float| Some(float.truncated()))
}

/// `floor(a)`.
pub fn floor(a: &Value) -> Computed {
    step(a, |float| {
        let whole = float.truncated();
        Some(if float.is_whole() || whole >= BigInt::default() { whole } else { whole - 1 })
    })
}

/// The sum of numbers (`v1/topdown/aggregates.go`).
pub fn sum<'v>(numbers: impl Iterator<Item = &'v Value> + Clone) -> Computed {
    let integers = numbers.clone().try_fold(0_i64, |sum, value| sum.checked_add(value.as_i64()?));
    if let Some(sum) = integers {
        return Some(Ok(Value::Int(sum)));
    }
    accumulate(numbers, BigInt::from(0), |sum, value| sum + value, Float::add, BITS)
}

/// The product of numbers, with 53 bits of mantissa unless all are integers (`v1/topdown/aggregates.go`).
pub fn product<'v>(numbers: impl Iterator<Item = &'v Value> + Clone) -> Computed {
    accumulate(numbers, BigInt::from(1), |product, value| product * value, Float::mul_double, 53)
}

fn accumulate<'v>(
    numbers: impl Iterator<Item = &'v Value> + Clone,
    first: BigInt,
    exact: fn(BigInt, BigInt) -> BigInt,
    float: fn(Float, Float) -> Option<Float>,
    bits: u32,
) -> Computed {
    let start = Value::from(first.clone());
    if let Some(result) = numbers.clone().try_fold(first, |so_far, value| Some(exact(so_far, Numeral::of(value)?.integer()?))) {
        return Some(Ok(Value::from(result)));
    }
    let floats: Vec<_> = numbers.map(|value| Some(Numeral::of(value)?.float())).collect::<Option<_>>()?;
    let result = Numeral::of(&start)?
        .float()
        .and_then(|start| floats.into_iter().try_fold(start, |so_far, next| float(so_far, next?).ok_or(ArithmeticError::TooBig)));
    Some(result.map(|result| value(result, bits)))
}

fn exactly(
    a: &Value,
    b: &Value,
    small: fn(i64, i64) -> Option<i64>,
    exact: fn(BigInt, BigInt) -> BigInt,
    float: fn(Float, Float) -> Option<Float>,
) -> Computed {
    let (x, y) = (Numeral::of(a)?, Numeral::of(b)?);
    if let (Some(x), Some(y)) = (x.whole(), y.whole())
        && let Some(result) = small(x, y)
    {
        return Some(Ok(Value::Int(result)));
    }
    Some(match (x.integer(), y.integer()) {
        (Some(x), Some(y)) => Ok(Value::from(exact(x, y))),
        _ => floating(x, y, float),
    })
}

fn floating(x: Numeral, y: Numeral, op: fn(Float, Float) -> Option<Float>) -> Result<Value, ArithmeticError> {
    op(x.float()?, y.float()?).map(|result| value(result, BITS)).ok_or(ArithmeticError::TooBig)
}

fn step(a: &Value, to_whole: impl Fn(Float) -> Option<BigInt>) -> Computed {
    let number = Numeral::of(a)?;
    if let Some(whole) = number.whole() {
        return Some(Ok(Value::Int(whole)));
    }
    Some(number.float().and_then(|float| to_whole(float).map(Value::from).ok_or(ArithmeticError::TooBig)))
}

fn value(float: Float, bits: u32) -> Value {
    let text = shortest::text(float, bits);
    Value::number(&text).unwrap_or(Value::Int(0))
}

impl Numeral<'_> {
    fn float(self) -> Result<Float, ArithmeticError> {
        let text;
        let form = match self {
            Self::Small(value) => {
                text = value.to_string();
                Form::of(&text)
            }
            Self::Other(number) => Some(number.form()),
        };
        form.and_then(Float::of).ok_or(ArithmeticError::TooBig)
    }

    /// The integer that it is, of any size.
    pub(super) fn integer(self) -> Option<BigInt> {
        match self {
            Self::Small(value) => Some(BigInt::from(value)),
            Self::Other(number) => number.form().integer(),
        }
    }

    fn opas_integer(self) -> Option<i64> {
        match self {
            Self::Small(value) => Some(value),
            Self::Other(number) => number.to_i64(),
        }
    }
}

impl From<BigInt> for Value {
    fn from(value: BigInt) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::number(&value.to_string()).unwrap_or(Self::Int(0)),
        }
    }
}

impl Value {
    /// The integer of any size that a number is, however it is written (`v1/topdown/builtins/builtins.go`, `NumberToInt`).
    pub fn as_integer(&self) -> Option<BigInt> {
        Numeral::of(self)?.integer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(name: &str) -> fn(&Value, &Value) -> Computed {
        match name {
            "+" => add,
            "-" => sub,
            "*" => mul,
            "/" => div,
            _ => rem,
        }
    }

    fn answer(words: &[&str]) -> Computed {
        let number = |text: &&str| Value::number(text).unwrap();
        match words {
            ["abs", a] => abs(&number(a)),
            ["ceil", a] => ceil(&number(a)),
            ["floor", a] => floor(&number(a)),
            ["round", a] => round(&number(a)),
            ["sum", rest @ ..] => sum(rest.iter().map(number).collect::<Vec<_>>().iter()),
            ["product", rest @ ..] => product(rest.iter().map(number).collect::<Vec<_>>().iter()),
            [a, op, b] => operator(op)(&number(a), &number(b)),
            _ => None,
        }
    }

    /// Each line is what `opa eval` of OPA 1.22 says.
    #[test]
    fn numbers_are_computed_as_opa_does() {
        let mut count = 0;
        for line in include_str!("recorded.txt").lines() {
            let (question, expected) = line.split_once(" = ").unwrap();
            let words: Vec<_> = question.split_whitespace().collect();
            let found = answer(&words).unwrap().map_or_else(|_| "undefined".to_owned(), |value| value.to_string());
            assert_eq!(found, expected, "{question}");
            count += 1;
        }
        assert!(count > 2_000, "{count}");
    }

    #[test]
    fn what_is_no_number_has_no_answer() {
        let (text, one) = (Value::from("1"), Value::Int(1));
        assert_eq!((add(&text, &one), div(&one, &text), abs(&text), sum([&one, &text].into_iter())), (None, None, None, None));
    }
}
