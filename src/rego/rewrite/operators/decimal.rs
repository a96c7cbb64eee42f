//! Numbers with a fraction, computed as OPA does: from their decimal digits, with 64 bits of mantissa (Go's `big.Float`, opa
//! `v1/topdown/arithmetic.go`). So `0.1 + 0.2 == 0.3` and `4.35 * 100 == 435`, which they are not with the interpreter's 53 bits.
//!
//! The interpreter can keep 53 bits only. What is between two decimals of up to fifteen digits stays between them.

use regorus::Value;

/// `mantissa * 2^exponent`; the mantissa has all its bits, or is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

/// Digits that a float keeps whatever they are.
const DIGITS: usize = 15;

impl Wide {
    const ZERO: Self = Self { negative: false, mantissa: 0, exponent: 0 };

    /// An integer of 64 bits, or a number of few digits; nothing for one whose digits the interpreter may have lost.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let number = value.as_number().ok()?;
        let whole = if number.is_integer() { Self::of_integer(&number.format_decimal()) } else { None };
        whole.or_else(|| Self::of_float(value.as_f64().ok()?))
    }

    fn of_integer(digits: &str) -> Option<Self> {
        let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits));
        Self::rounded(negative, u128::from(digits.parse::<u64>().ok()?), 0, false)
    }

    fn of_float(float: f64) -> Option<Self> {
        let written = format!("{:e}", float.abs());
        let (mantissa, power) = written.split_once('e')?;
        let digits = mantissa.replace('.', "");
        if digits.len() > DIGITS || !float.is_finite() {
            return None;
        }
        let power = power.parse::<i32>().ok()?.checked_sub(i32::try_from(digits.len()).ok()?.checked_sub(1)?)?;
        let value: u128 = digits.parse().ok()?;
        let scale = 10_u128.checked_pow(power.unsigned_abs())?;
        let negative = float.is_sign_negative();
        if value == 0 {
            return Some(Self::ZERO);
        }
        if power >= 0 {
            return Self::rounded(negative, value.checked_mul(scale)?, 0, false);
        }
        let shift = value.leading_zeros().saturating_sub(1);
        let wide = value.checked_shl(shift)?;
        // Two bits more than are kept must be left.
        let quotient = wide.checked_div(scale).filter(|quotient| *quotient >> 66 > 0)?;
        Self::rounded(negative, quotient, i32::try_from(shift).ok()?.checked_neg()?, wide.checked_rem(scale)? != 0)
    }

    /// To the nearest of 64 bits, to the even one of two; `more` says that there is something behind the last bit.
    fn rounded(negative: bool, value: u128, exponent: i32, more: bool) -> Option<Self> {
        if value == 0 {
            return Some(Self::ZERO);
        }
        let bits = 128_u32.checked_sub(value.leading_zeros())?;
        let Some(dropped) = bits.checked_sub(64).filter(|dropped| *dropped > 0) else {
            let shift = 64_u32.checked_sub(bits)?;
            let mantissa = u64::try_from(value.checked_shl(shift)?).ok()?;
            return Some(Self { negative, mantissa, exponent: exponent.checked_sub(i32::try_from(shift).ok()?)? });
        };
        let (kept, half) = (value >> dropped, 1_u128.checked_shl(dropped.checked_sub(1)?)?);
        let rest = value & (half | half.saturating_sub(1));
        let up = rest > half || rest == half && (more || kept & 1 == 1);
        let exponent = exponent.checked_add(i32::try_from(dropped).ok()?)?;
        let kept = kept.checked_add(u128::from(up))?;
        match u64::try_from(kept) {
            Ok(mantissa) => Some(Self { negative, mantissa, exponent }),
            Err(_) => Some(Self { negative, mantissa: 1 << 63, exponent: exponent.checked_add(1)? }),
        }
    }

    pub(super) fn mul(self, other: Self) -> Option<Self> {
        let product = u128::from(self.mantissa).checked_mul(u128::from(other.mantissa))?;
        Self::rounded(self.negative != other.negative, product, self.exponent.checked_add(other.exponent)?, false)
    }

    /// The product with 53 bits of mantissa.
    pub(super) fn mul_double(self, other: Self) -> Option<Self> {
        let product = u128::from(self.mantissa).checked_mul(u128::from(other.mantissa))?;
        let exponent = self.exponent.checked_add(other.exponent)?;
        let bits = 128_u32.checked_sub(product.leading_zeros())?;
        let Some(dropped) = bits.checked_sub(53).filter(|dropped| *dropped > 0) else {
            return Self::rounded(self.negative != other.negative, product, exponent, false);
        };
        let (kept, half) = (product >> dropped, 1_u128.checked_shl(dropped.checked_sub(1)?)?);
        let rest = product & (half | half.saturating_sub(1));
        let kept = kept.checked_add(u128::from(rest > half || rest == half && kept & 1 == 1))?;
        Self::rounded(self.negative != other.negative, kept, exponent.checked_add(i32::try_from(dropped).ok()?)?, false)
    }

    /// Of 53 bits, the number that its shortest digits say.
    pub(super) fn double(self) -> Option<Value> {
        let nearest = if self.mantissa == 0 { 0.0 } else { self.nearest() };
        nearest.is_finite().then(|| Value::from_json_str(&nearest.to_string()).ok())?
    }

    /// Nothing for a division by zero.
    pub(super) fn div(self, other: Self) -> Option<Self> {
        let (above, below) = (u128::from(self.mantissa).checked_shl(64)?, u128::from(other.mantissa));
        let (quotient, rest) = (above.checked_div(below)?, above.checked_rem(below)?.checked_mul(2)?);
        let next = u128::from(rest >= below);
        let quotient = quotient.checked_mul(2)?.checked_add(next)?;
        let exponent = self.exponent.checked_sub(other.exponent)?.checked_sub(65)?;
        Self::rounded(self.negative != other.negative, quotient, exponent, rest != next.checked_mul(below)?)
    }

    pub(super) fn sub(self, other: Self) -> Option<Self> {
        self.add(Self { negative: !other.negative, ..other })
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        if self.mantissa == 0 || other.mantissa == 0 {
            return Some(if self.mantissa == 0 { other } else { self });
        }
        let (large, small) =
            if (self.exponent, self.mantissa) >= (other.exponent, other.mantissa) { (self, other) } else { (other, self) };
        let distance = u32::try_from(large.exponent.checked_sub(small.exponent)?).ok()?;
        let (a, b) = (u128::from(large.mantissa) << 62, u128::from(small.mantissa) << 62);
        let aligned = b.checked_shr(distance).unwrap_or(0);
        let lost = aligned.checked_shl(distance).unwrap_or(0) != b;
        let value = if large.negative == small.negative {
            a.checked_add(aligned)?
        } else {
            a.checked_sub(aligned)?.checked_sub(u128::from(lost))?
        };
        Self::rounded(large.negative && value != 0, value, large.exponent.checked_sub(62)?, lost)
    }

    /// The interpreter's number for it; nothing for what is beyond its integers.
    pub(super) fn value(self) -> Option<Value> {
        if self.mantissa == 0 {
            return Some(Value::from(0_u64));
        }
        let fraction = self.exponent.checked_neg().and_then(|bits| u32::try_from(bits).ok())?;
        if fraction < 64 && self.mantissa.trailing_zeros() >= fraction {
            let whole = self.mantissa >> fraction;
            return if self.negative { Some(Value::from(0_i64.checked_sub_unsigned(whole)?)) } else { Some(Value::from(whole)) };
        }
        let nearest = self.nearest();
        let float = match Self::of_float(nearest) {
            Some(read) if read != self => {
                // A decimal that it is not: what is next to it on the right side.
                let above = self.sub(read)?.negative == nearest.is_sign_negative();
                let away = if nearest.is_sign_negative() { f64::next_down } else { f64::next_up };
                let towards = if nearest.is_sign_negative() { f64::next_up } else { f64::next_down };
                if above { away(nearest) } else { towards(nearest) }
            }
            _ => nearest,
        };
        Some(Value::from(float))
    }

    #[allow(clippy::cast_precision_loss, clippy::as_conversions, reason = "to the nearest float is what is meant")]
    fn nearest(self) -> f64 {
        let float = self.mantissa as f64 * 2_f64.powi(self.exponent);
        if self.negative { -float } else { float }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(a: f64, op: char, b: f64) -> String {
        let (a, b) = (Wide::of_float(a).unwrap(), Wide::of_float(b).unwrap());
        let result = match op {
            '+' => a.add(b),
            '-' => a.sub(b),
            '*' => a.mul(b),
            _ => a.div(b),
        };
        result.and_then(Wide::value).unwrap().to_string()
    }

    /// The values are those of OPA 1.22, to the interpreter's digits.
    #[test]
    fn decimals_are_computed_as_opa_does() {
        for (a, op, b, expected) in [
            (0.1, '+', 0.2, "0.3"),
            (0.7, '*', 100.0, "70"),
            (4.35, '*', 100.0, "435"),
            (1.005, '*', 1000.0, "1005"),
            (3.3, '*', 1.1, "3.63"),
            (16.0, '/', 5.0, "3.2"),
            (1.0, '/', 3.0, "0.3333333333333333"),
            (2.0, '/', 3.0, "0.6666666666666666"),
            (10.0, '/', 4.0, "2.5"),
            (-1.5, '+', 1.5, "0"),
            (-0.1, '-', 0.2, "-0.3"),
            (1.5, '-', 3.0, "-1.5"),
            (-4.35, '*', 100.0, "-435"),
            // OPA: 0.20000000000000000002 and 0.20000000000000000004, which are not 0.2, but more.
            (0.3, '-', 0.1, "0.20000000000000004"),
            (1.2, '-', 1.0, "0.20000000000000004"),
            (1.0, '-', 1.2, "-0.20000000000000004"),
        ] {
            assert_eq!(compute(a, op, b), expected, "{a} {op} {b}");
        }
    }

    #[test]
    fn what_has_too_many_digits_is_left_to_the_interpreter() {
        assert!(Wide::of_float(1.0 / 3.0).is_none());
        assert!(Wide::of_float(f64::NAN).is_none());
        assert!(Wide::of_float(1e300).is_none());
        assert_eq!(Wide::of_float(1.0).unwrap().div(Wide::of_float(0.0).unwrap()), None);
    }
}
