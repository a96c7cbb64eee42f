//! What number a value is, with 64 bits of mantissa: as Go's `big.Float` reads the digits that OPA would have.

use regorus::Value;

use super::{Wide, keeping, table};

/// Digits that a float keeps whatever they are.
const DIGITS: usize = 15;
/// Digits of a whole number that are looked at one by one.
const FIRST: usize = 36;

impl Wide {
    /// The number; nothing for what is none.
    pub(in super::super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Array(_) => keeping::inner(value),
            Value::Number(number) if number.is_integer() => Self::of_integer(&number.format_decimal()),
            Value::Number(number) => Self::of_float(number.as_f64()?),
            _ => None,
        }
    }

    pub(super) fn of_integer(digits: &str) -> Option<Self> {
        let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits));
        match digits.len() {
            0..=FIRST => Self::rounded(negative, digits.parse().ok()?, 0, false),
            _ => Self::scaled(negative, digits),
        }
    }

    /// A whole number of many digits, from its first.
    fn scaled(negative: bool, digits: &str) -> Option<Self> {
        let (first, rest) = digits.split_at_checked(FIRST)?;
        let power = u32::try_from(rest.len()).ok()?;
        let (mantissa, exponent) = times(normal(first.parse().ok()?)?, power_of_five(power)?)?;
        let more = rest.contains(|digit| digit != '0');
        Self::rounded(negative, mantissa, exponent.checked_add(i32::try_from(power).ok()?)?, more)
    }

    /// A float that stands for a computed number is that, any other one the decimal that it says.
    pub(super) fn of_float(float: f64) -> Option<Self> {
        if float.fract() == 0.0 { decimal(float) } else { table::read(float) }
    }

    pub(super) fn of_decimal(negative: bool, value: u64, power: i32) -> Option<Self> {
        if value == 0 {
            return Some(Self::ZERO);
        }
        let (scale, value) = (power_of_five(power.unsigned_abs())?, normal(u128::from(value))?);
        if power >= 0 {
            let (mantissa, exponent) = times(value, scale)?;
            return Self::rounded(negative, mantissa, exponent.checked_add(power)?, false);
        }
        let (quotient, more) = divided(value.0, scale.0);
        let exponent = value.1.checked_sub(scale.1)?.checked_add(power)?.checked_sub(QUOTIENT)?;
        Self::rounded(negative, quotient, exponent, more)
    }
}

/// The decimal that the shortest digits of a float say.
pub(super) fn decimal(float: f64) -> Option<Wide> {
    let (digits, power) = digits(float)?;
    Wide::of_decimal(float.is_sign_negative(), digits.parse().ok()?, power)
}

/// Whether a float has few digits.
pub(super) fn is_short(float: f64) -> bool {
    digits(float).is_some_and(|(digits, _)| digits.len() <= DIGITS)
}

/// The digits of a float, written shortly, and the power of ten of the last.
pub(super) fn digits(float: f64) -> Option<(String, i32)> {
    if !float.is_finite() {
        return None;
    }
    let written = format!("{:e}", float.abs());
    let (mantissa, power) = written.split_once('e')?;
    let digits = mantissa.replace('.', "");
    let behind = i32::try_from(digits.len()).ok()?.checked_sub(1)?;
    Some((digits, power.parse::<i32>().ok()?.checked_sub(behind)?))
}

/// A number of 128 bits, the first of them set, and the power of two that it is multiplied with.
type Scaled = (u128, i32);

/// Bits of a quotient behind the first.
const QUOTIENT: i32 = 69;

fn normal(value: u128) -> Option<Scaled> {
    let zeros = value.leading_zeros();
    Some((value.checked_shl(zeros)?, i32::try_from(zeros).ok()?.checked_neg()?))
}

/// The product, without the bits behind the first 128.
fn times(a: Scaled, b: Scaled) -> Option<Scaled> {
    let low = |value: u128| value & u128::from(u64::MAX);
    let product = |a: u128, b: u128| a.wrapping_mul(b);
    let (middle, other) = (product(a.0 >> 64, low(b.0)), product(low(a.0), b.0 >> 64));
    let lowest = product(low(a.0), low(b.0));
    let carried = (lowest >> 64).wrapping_add(low(middle)).wrapping_add(low(other));
    let high = product(a.0 >> 64, b.0 >> 64).wrapping_add(middle >> 64).wrapping_add(other >> 64).wrapping_add(carried >> 64);
    let behind = (carried << 64) | low(lowest);
    let exponent = a.1.checked_add(b.1)?.checked_add(128)?;
    Some(if high >> 127 == 1 { (high, exponent) } else { ((high << 1) | (behind >> 127), exponent.checked_sub(1)?) })
}

/// Exact up to the 55th.
fn power_of_five(mut power: u32) -> Option<Scaled> {
    let (mut result, mut factor) = (normal(1)?, normal(5)?);
    while power > 0 {
        if power & 1 == 1 {
            result = times(result, factor)?;
        }
        factor = times(factor, factor)?;
        power >>= 1;
    }
    Some(result)
}

/// The quotient of two numbers whose first bits are set, with 70 bits, and whether something is left.
fn divided(above: u128, below: u128) -> (u128, bool) {
    let (mut quotient, mut rest) = if above >= below { (1, above.wrapping_sub(below)) } else { (0, above) };
    for _ in 0..QUOTIENT {
        let carried = rest >> 127 == 1;
        rest <<= 1;
        let one = carried || rest >= below;
        quotient = (quotient << 1) | u128::from(one);
        if one {
            rest = rest.wrapping_sub(below);
        }
    }
    (quotient, rest != 0)
}
