//! How upstream keeps an amount that is small enough: a whole number and a power of ten. Whether a quantity counts as an integer
//! depends on it, not on its value. Source: `apimachinery` `pkg/api/resource/amount.go` and `quantity.go`, `ParseQuantity`.

use super::{Suffix, split};

/// Digits that always fit.
const DIGITS: usize = 18;

/// `value` times ten to the power of `scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int64Amount {
    /// The digits.
    pub value: i64,
    /// At least -9.
    pub scale: i32,
}

impl Int64Amount {
    /// Reads a text that is a quantity. `None` when upstream keeps it as a decimal of any size.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = split(text)?;
        // Upstream counts the zero of `.5`, too.
        let digits = parts.whole.len().max(1) + parts.fraction.len();
        let (scale, factor) = match parts.suffix {
            Suffix::Decimal(exponent) | Suffix::Exponent(exponent) if digits <= DIGITS => (exponent, 1),
            Suffix::Binary(power) if parts.fraction.is_empty() && digits + binary_digits(power) <= 14 => {
                (0, 1024i64.checked_pow(power)?)
            }
            _ => return None,
        };
        let scale = scale.checked_sub(i32::try_from(parts.fraction.len()).ok()?).filter(|scale| *scale >= -9)?;
        let value = format!("0{}{}", parts.whole, parts.fraction).parse::<i64>().ok()?.checked_mul(factor)?;
        Some(Self { value: if parts.negative { -value } else { value }, scale })
    }

    /// The whole number that it is; `None` if it has a fraction by its form, or does not fit.
    pub fn as_int64(self) -> Option<i64> {
        self.scaled_to(0)
    }

    /// The sum; `None` when it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        if other.value == 0 {
            return Some(self);
        }
        if self.value == 0 {
            return Some(other);
        }
        let scale = self.scale.min(other.scale);
        let value = self.scaled_to(scale)?.checked_add(other.scaled_to(scale)?)?;
        Some(Self { value, scale })
    }

    /// The same below zero.
    pub fn checked_neg(self) -> Option<Self> {
        Some(Self { value: self.value.checked_neg()?, scale: self.scale })
    }

    fn scaled_to(self, scale: i32) -> Option<i64> {
        let places = u32::try_from(self.scale.checked_sub(scale)?).ok()?;
        self.value.checked_mul(10i64.checked_pow(places)?)
    }
}

/// Decimal digits that a power of 1024 takes at least.
fn binary_digits(power: u32) -> usize {
    usize::try_from(power * 3).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_integer_depends_on_the_form() {
        let table = [
            ("50k", Some(50_000)),
            ("0", Some(0)),
            ("1e3", Some(1_000)),
            ("-3M", Some(-3_000_000)),
            ("5Gi", Some(5 << 30)),
            ("1000m", None),
            ("0.5", None),
            ("9999999999999999999999999999999999999G", None),
            ("10E", None),
            ("1Ei", None),
        ];
        for (text, expected) in table {
            assert_eq!(Int64Amount::parse(text).and_then(Int64Amount::as_int64), expected, "{text}");
        }
    }
}
