//! A number as the interpreter keeps it, with 53 bits; and as one operator hands it to the next one of an expression, with all.

use regorus::Value;

use super::reading::{self, digits};
use super::{Wide, table};

/// Why there is no number of the interpreter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Unkept {
    /// Larger than all doubles, or nearer to zero.
    #[error("comes to a number beyond 64-bit floating point")]
    Beyond,
    /// A whole number that is not exact in OPA either.
    #[error("comes to a whole number of more digits than 64-bit floating point has")]
    Digits,
    /// No float is left to stand for it.
    #[error(
        "comes to a fraction that is too near to be told apart from another one: round it first, as in round(x * 1000) / 1000"
    )]
    Near,
    /// More fractions than are kept.
    #[error("comes to one more fraction than the 100000 that an evaluation may hold")]
    Many,
}

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
            Ok(_) if top <= 64 => Ok(Value::from(table::keep(self, self.nearest())?)),
            _ => self.large(),
        }
    }

    /// What is before the point.
    pub(in super::super) fn whole_part(self) -> Option<Value> {
        let size = match u32::try_from(self.exponent.saturating_neg()) {
            Ok(bits) => self.mantissa.checked_shr(bits).unwrap_or(0),
            Err(_) => return self.expanded(),
        };
        Value::from_numeric_string(&format!("{}{size}", if self.negative && size != 0 { "-" } else { "" })).ok()
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
        if !held {
            return Err(Unkept::Beyond);
        }
        if nearest.fract() != 0.0 {
            return reading::decimal(nearest).ok_or(Unkept::Beyond)?.value();
        }
        Value::from_json_str(&nearest.to_string()).map_err(|_| Unkept::Beyond)
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
        let parts = [Value::from(self.mantissa), Value::from(i64::from(self.exponent)), self.negative.into()];
        Value::from([mark].into_iter().chain(parts).collect::<Vec<_>>())
    }
}

/// What an operator was handed by another one.
pub(super) fn inner(value: &Value) -> Option<Wide> {
    let Value::Array(parts) = value else { return None };
    let mut parts = parts.iter();
    if parts.next()?.as_number().ok()?.format_decimal() != "NaN" {
        return None;
    }
    let (mantissa, exponent) = (parts.next()?.as_u64().ok()?, parts.next()?.as_i64().ok()?);
    let negative = *parts.next()?.as_bool().ok()?;
    Some(Wide { negative, mantissa, exponent: i32::try_from(exponent).ok()? })
}
