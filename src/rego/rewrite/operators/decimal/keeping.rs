//! A number as the interpreter keeps it, with 53 bits; and as one operator hands it to the next one of an expression, with all.

use regorus::Value;

use super::Wide;
use super::reading::{digits, is_landmark};

/// Why there is no number of the interpreter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Unkept {
    /// Larger than all doubles, or nearer to zero.
    #[error("comes to a number beyond 64-bit floating point")]
    Beyond,
    /// A whole number that is not exact in OPA either.
    #[error("comes to a whole number of more digits than 64-bit floating point has")]
    Digits,
}

/// How far what is not sure is moved away from what is.
const AWAY: usize = 4;

impl Wide {
    /// The interpreter's number for it.
    pub(in super::super) fn value(self) -> Result<Value, Unkept> {
        if self.mantissa == 0 {
            return Ok(Value::from(0_u64));
        }
        let top = self.exponent.checked_add(64).filter(|top| (-1021..=1024).contains(top)).ok_or(Unkept::Beyond)?;
        let fraction = u32::try_from(self.exponent.saturating_neg());
        match fraction {
            Ok(bits) if bits < 64 && self.mantissa.trailing_zeros() >= bits => {
                let sign = if self.negative { "-" } else { "" };
                Value::from_numeric_string(&format!("{sign}{}", self.mantissa >> bits)).map_err(|_| Unkept::Digits)
            }
            Ok(_) if top <= 64 => Ok(Value::from(self.kept())),
            _ => self.large(),
        }
    }

    /// Whether it is a whole number.
    pub(in super::super) fn is_whole(self) -> bool {
        let fraction = u32::try_from(self.exponent.saturating_neg()).unwrap_or(0);
        self.mantissa == 0 || self.mantissa.trailing_zeros() >= fraction
    }

    /// A whole number of more than 64 bits: that of the nearest double's digits, if OPA has no more of them.
    fn large(self) -> Result<Value, Unkept> {
        let found = digits(self.nearest()).and_then(|(digits, power)| {
            let read = Self::of_decimal(self.negative, digits.parse().ok()?, power).filter(|read| read.is(self))?;
            let sign = if read.negative { "-" } else { "" };
            Value::from_numeric_string(&format!("{sign}{digits}e{power}")).ok()
        });
        found.ok_or(Unkept::Digits)
    }

    /// A whole number of more than 64 bits, with all the digits that its bits say.
    pub(in super::super) fn expanded(self) -> Option<Value> {
        let (whole, bits) = (Value::from(self.mantissa), Value::from(i64::from(self.exponent)));
        let number = whole.as_number().ok()?.lsh(bits.as_number().ok()?)?;
        if self.negative {
            Value::from(0).as_number().ok()?.sub(&number).ok().map(Value::Number)
        } else {
            Some(Value::Number(number))
        }
    }

    /// Of 53 bits, the number that its shortest digits say.
    pub(in super::super) fn double(self) -> Result<Value, Unkept> {
        let top = self.exponent.saturating_add(64);
        let nearest = if self.mantissa == 0 { 0.0 } else { self.nearest() };
        let held = self.mantissa == 0 || nearest.is_finite() && top >= -1021;
        let number = held.then(|| Value::from_json_str(&nearest.to_string()).ok());
        number.flatten().ok_or(Unkept::Beyond)
    }

    /// The nearest double, but on the side where the number is of a decimal, or a quotient, that it is not. What is not sure is
    /// not next to any of them.
    fn kept(self) -> f64 {
        let nearest = self.nearest();
        match Self::of_float(nearest).filter(|_| is_landmark(nearest)) {
            Some(read) if self.sure && self.order(read).is_gt() => nearest.next_up(),
            Some(read) if self.sure && self.order(read).is_lt() => nearest.next_down(),
            None if !self.sure => apart(nearest),
            _ => nearest,
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::as_conversions, reason = "to the nearest float is what is meant")]
    fn nearest(self) -> f64 {
        let half = self.exponent >> 1;
        let float = self.mantissa as f64 * 2_f64.powi(half) * 2_f64.powi(self.exponent.wrapping_sub(half));
        if self.negative { -float } else { float }
    }

    /// For the next operator of an expression: an array that no policy, and no document, has.
    pub(in super::super) fn within(self) -> Value {
        let mut mark = Value::from(0);
        if let Ok(number) = mark.as_number_mut() {
            *number = f64::NAN.into();
        }
        let parts = [Value::from(self.mantissa), Value::from(i64::from(self.exponent)), self.negative.into(), self.sure.into()];
        Value::from([mark].into_iter().chain(parts).collect::<Vec<_>>())
    }
}

/// A double that none of those next to it is a decimal of few digits or a quotient.
fn apart(float: f64) -> f64 {
    let is_apart = |float: &f64| ![float.next_down(), *float, float.next_up()].into_iter().any(is_landmark);
    let up = std::iter::successors(Some(float), |float| Some(float.next_up()));
    let down = std::iter::successors(Some(float), |float| Some(float.next_down()));
    up.zip(down).take(AWAY).flat_map(|(up, down)| [up, down]).find(is_apart).unwrap_or(float)
}

/// What an operator was handed by another one.
pub(super) fn inner(value: &Value) -> Option<Wide> {
    let Value::Array(parts) = value else { return None };
    let mut parts = parts.iter();
    if parts.next()?.as_number().ok()?.format_decimal() != "NaN" {
        return None;
    }
    let (mantissa, exponent) = (parts.next()?.as_u64().ok()?, parts.next()?.as_i64().ok()?);
    let (negative, sure) = (*parts.next()?.as_bool().ok()?, *parts.next()?.as_bool().ok()?);
    Some(Wide { negative, mantissa, exponent: i32::try_from(exponent).ok()?, sure })
}
