//! Numbers with a fraction, computed as OPA does: from their decimal digits, with 64 bits of mantissa (Go's `big.Float`, opa
//! `v1/topdown/arithmetic.go`). So `0.1 + 0.2 == 0.3` and `4.35 * 100 == 435`, which they are not with the interpreter's 53 bits.
//!
//! The interpreter can keep 53 bits only. Inside one expression all 64 bits go from operator to operator: see [`keeping`]; what a
//! variable, a rule or a collection holds is a float that stands for all 64 of them: see [`table`].

mod keeping;
mod reading;
mod table;

use std::cmp::Ordering;

pub(super) use keeping::Unkept;
pub(in crate::rego) use table::{Long, held};

/// `mantissa * 2^exponent`; the mantissa has all its bits, or is zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Wide {
    const ZERO: Self = Self { negative: false, mantissa: 0, exponent: 0 };

    fn is(self, other: Self) -> bool {
        self.order(other).is_eq()
    }

    /// How two numbers compare.
    pub(super) fn order(self, other: Self) -> Ordering {
        let rank = |wide: Self| match (wide.mantissa, wide.negative) {
            (0, _) => 0_i8,
            (_, true) => -1,
            _ => 1,
        };
        let size = |wide: Self| (wide.exponent, wide.mantissa);
        match rank(self).cmp(&rank(other)) {
            Ordering::Equal if rank(self) == 0 => Ordering::Equal,
            Ordering::Equal if self.negative => size(other).cmp(&size(self)),
            Ordering::Equal => size(self).cmp(&size(other)),
            unequal => unequal,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub(super) fn is_negative(self) -> bool {
        self.negative
    }

    pub(super) fn abs(self) -> Self {
        Self { negative: false, ..self }
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
        let exponent = exponent.checked_add(i32::try_from(dropped).ok()?)?;
        Self::rounded(self.negative != other.negative, kept, exponent, false)
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
}

#[cfg(test)]
mod tests {
    use regorus::Value;

    use super::*;

    fn compute(a: f64, op: char, b: f64) -> String {
        let (a, b) = (Wide::of_float(a).unwrap(), Wide::of_float(b).unwrap());
        let result = match op {
            '+' => a.add(b),
            '-' => a.sub(b),
            '*' => a.mul(b),
            _ => a.div(b),
        };
        result.unwrap().value().unwrap().to_string()
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
        ] {
            assert_eq!(compute(a, op, b), expected, "{a} {op} {b}");
        }
    }

    /// OPA: 0.20000000000000000002, 0.20000000000000000004, and the same below zero.
    #[test]
    fn what_is_next_to_a_decimal_stays_on_its_side() {
        for (a, b, decimal) in [(0.3, 0.1, 0.2), (1.2, 1.0, 0.2), (1.0, 1.2, -0.2)] {
            let difference = Wide::of_float(a).unwrap().sub(Wide::of_float(b).unwrap()).unwrap().value().unwrap();
            let float = difference.as_f64().unwrap();
            assert!(float.abs() > 0.2 && float.abs() < 0.200_000_000_000_000_5, "{a} - {b}: {float}, {decimal}");
            assert!(float * decimal > 0.0, "{a} - {b}: {float}, {decimal}");
        }
    }

    #[test]
    fn what_was_computed_is_known_by_its_float() {
        let wide = |float| Wide::of_float(float).unwrap();
        for (above, below) in [(1.0, 3.0), (1.0, 49.0), (1.0, 41.0), (2.0, 7.0), (123_456.0, 987_654.0), (-10.0, 3.0)] {
            let quotient = wide(above).div(wide(below)).unwrap();
            let read = Wide::of(&quotient.value().unwrap()).unwrap();
            assert!(read.is(quotient), "{above}/{below}: {read:?}, {quotient:?}");
        }
    }

    /// All stand next to one another in OPA's bits, and come in an order that leaves some between others.
    #[test]
    fn floats_are_in_the_order_of_their_numbers() {
        for text in ["0.1", "-0.1", "1", "9.99", "123456789.123", "0.0625", "3.14159265358979312"] {
            let middle = Wide::of(&Value::from_numeric_string(text).unwrap()).unwrap();
            let near = |units: i64| Wide { mantissa: middle.mantissa.checked_add_signed(units).unwrap(), ..middle };
            let numbers: Vec<Wide> = [2, 1, -1, 0, -2].into_iter().map(near).collect();
            let floats: Vec<Value> = numbers.iter().map(|number| number.value().unwrap()).collect();
            for (a, x) in numbers.iter().zip(&floats) {
                assert!(Wide::of(x).unwrap().is(*a), "{text}: {x}");
                for (b, y) in numbers.iter().zip(&floats) {
                    assert_eq!(a.order(*b), x.cmp(y), "{text}: {a:?} {x}, {b:?} {y}");
                }
            }
        }
    }

    #[test]
    fn a_number_without_a_float_is_not_kept() {
        let middle = Wide::of_float(0.7).unwrap();
        let found: Vec<_> = (1..64).map(|units| Wide { mantissa: middle.mantissa + units * 9, ..middle }.value()).collect();
        assert!(found.contains(&Err(Unkept::Near)), "{found:?}");
        let large = Wide::of_float(9_007_199_254_740_992.0).unwrap().add(Wide::of_float(0.5).unwrap()).unwrap();
        assert_eq!(large.value(), Err(Unkept::Near));
    }

    #[test]
    fn what_no_double_comes_near_is_not_kept() {
        let (large, small) = (Wide::of_float(1.5e300).unwrap(), Wide::of_float(1.5e-300).unwrap());
        assert_eq!(large.mul(large).unwrap().value(), Err(Unkept::Beyond));
        assert_eq!(small.mul(small).unwrap().value(), Err(Unkept::Beyond));
        assert!(small.mul(large).unwrap().value().unwrap().to_string().starts_with("2.25"));
        assert!(Wide::of_float(f64::NAN).is_none());
    }

    #[test]
    fn digits_are_read_as_they_are() {
        let read = |text: &str| Wide::of(&Value::from_numeric_string(text).unwrap()).unwrap();
        assert!(read("18446744073709551616").is(read("4294967296").mul(read("4294967296")).unwrap()));
        assert!(read("1e300").is(Wide::of_decimal(false, 1, 300).unwrap()));
        assert!(read("1e25").mul(Wide::of_float(1.1).unwrap()).unwrap().is(read("11e24")));
        assert!(read("7").div(read("0")).is_none());
    }
}
