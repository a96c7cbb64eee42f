//! What number a value is, with 64 bits of mantissa: as Go's `big.Float` reads the digits that OPA would have.

use std::cmp::Ordering;

use regorus::Value;

use super::{Wide, keeping};

/// Digits that a float keeps whatever they are.
const DIGITS: usize = 15;
/// The most that the two numbers of a fraction are together: so few have a float of their own.
const FRACTION: u64 = 1 << 42;
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

    /// A float of few digits is the decimal that it says, one of many the quotient that gives it, if there is one of small
    /// numbers; otherwise the decimal again, but that is not sure.
    pub(super) fn of_float(float: f64) -> Option<Self> {
        let (digits, power) = digits(float)?;
        let decimal = || Self::of_decimal(float.is_sign_negative(), digits.parse().ok()?, power);
        if digits.len() <= DIGITS {
            return decimal();
        }
        match quotient(float).or_else(|| beside(float)) {
            Some(quotient) => Some(quotient),
            None => Some(Self { sure: false, ..decimal()? }),
        }
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

fn quotient(float: f64) -> Option<Wide> {
    let (above, below) = fraction(float.abs())?;
    let above = Wide::rounded(float.is_sign_negative(), u128::from(above), 0, false)?;
    above.div(Wide::rounded(false, u128::from(below), 0, false)?)
}

/// The quotient whose float is a decimal by chance, and which is kept beside it for that: see [`Wide::value`].
fn beside(float: f64) -> Option<Wide> {
    let kept = |next: f64| {
        let (read, decimal) = (quotient(next).filter(|_| is_short(next))?, Wide::of_float(next)?);
        let side = if float > next { Ordering::Greater } else { Ordering::Less };
        (read.order(decimal) == side).then_some(read)
    };
    kept(float.next_up()).or_else(|| kept(float.next_down()))
}

/// Whether a float has few digits.
pub(in super::super) fn is_short(float: f64) -> bool {
    digits(float).is_some_and(|(digits, _)| digits.len() <= DIGITS)
}

/// Whether a float says exactly which number OPA has: a decimal of few digits, or the quotient of small numbers.
pub(in super::super) fn is_landmark(float: f64) -> bool {
    is_short(float) || fraction(float.abs()).is_some() || beside(float).is_some()
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

/// The fraction of small numbers that comes to a float.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::as_conversions,
    reason = "what is converted is below 2^42"
)]
fn fraction(float: f64) -> Option<(u64, u64)> {
    let (mut rest, mut before, mut last) = (float, (0_u64, 1_u64), (1_u64, 0_u64));
    // The denominators grow as Fibonacci's numbers at least.
    for _ in 0..64 {
        let whole = rest.floor();
        if whole.is_nan() || whole >= FRACTION as f64 {
            return None;
        }
        let count = whole as u64;
        let next = (count.checked_mul(last.0)?.checked_add(before.0)?, count.checked_mul(last.1)?.checked_add(before.1)?);
        if next.0.max(1).checked_mul(next.1)? > FRACTION {
            return None;
        }
        #[allow(clippy::float_cmp, reason = "just this float")]
        if next.0 as f64 / next.1 as f64 == float {
            return Some(next);
        }
        (before, last, rest) = (last, next, 1.0 / (rest - whole));
    }
    None
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
