//! Floats of 64 bits of mantissa, rounded to the nearest, to the even one of two: Go's `big.Float` as OPA uses it.

use num_bigint::{BigInt, BigUint, Sign};

use super::form::Form;

/// Beyond this, Go has an infinity or nothing at all.
const MAX_EXPONENT: i64 = 1 << 31;
/// Powers of five that 64 bits hold.
const EXACT_POWER: u64 = 27;
/// Bits of a power of five that is not exact (`math/big/floatconv.go`, `pow5`).
const POWER_BITS: u64 = 128;
const FACTOR_BITS: u64 = 192;

/// `mantissa * 2^exponent`; the mantissa has its first bit set, or is zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Float {
    pub(super) negative: bool,
    pub(super) mantissa: u64,
    pub(super) exponent: i64,
}

impl Float {
    pub(super) const HALF: Self = Self { negative: false, mantissa: 1 << 63, exponent: -64 };

    /// What the digits say (`big.Float.SetString`); nothing for an exponent without end.
    pub(super) fn of(form: Form) -> Option<Self> {
        let fives = form.exponent.checked_sub(i64::try_from(form.fraction.len()).ok()?)?;
        let power = fives.unsigned_abs();
        if let Some(small) = form.small_mantissa().filter(|_| power <= EXACT_POWER) {
            let mantissa = Self::rounded(form.negative, u128::from(small), fives, false)?;
            let scale = Self::rounded(false, u128::from(5_u64.checked_pow(u32::try_from(power).ok()?)?), 0, false)?;
            return if fives < 0 { mantissa.div(scale) } else { mantissa.mul(scale) };
        }
        Self::scaled(form.negative, form.mantissa()?, fives)
    }

    /// `mantissa * 10^power`, with a power of five of 128 bits.
    fn scaled(negative: bool, mantissa: BigUint, power: i64) -> Option<Self> {
        if mantissa.bits() == 0 || power.saturating_abs() > MAX_EXPONENT {
            return (mantissa.bits() == 0).then_some(Self { negative, mantissa: 0, exponent: 0 });
        }
        let (five, shift) = power_of_five(power.unsigned_abs());
        if power >= 0 {
            return Self::rounded_big(negative, &(mantissa * five), power.checked_add(shift)?, false);
        }
        let more = five.bits().saturating_add(68).saturating_sub(mantissa.bits().min(five.bits().saturating_add(68)));
        let above = mantissa << more;
        let (quotient, rest) = (&above / &five, &above % &five);
        let exponent = power.checked_sub(shift)?.checked_sub(i64::try_from(more).ok()?)?;
        Self::rounded_big(negative, &quotient, exponent, rest.bits() > 0)
    }

    /// The exponent `e` of a number that is at least `2^(e-1)` and below `2^e`; 0 for zero.
    pub(super) fn binary_exponent(form: Form) -> Option<i64> {
        let float = Self::of(form)?;
        if float.mantissa == 0 { Some(0) } else { float.exponent.checked_add(64) }
    }

    /// `value * 2^exponent`; `more` says that there is something behind the last bit.
    fn rounded(negative: bool, value: u128, exponent: i64, more: bool) -> Option<Self> {
        if value == 0 {
            return Some(Self { negative, mantissa: 0, exponent: 0 });
        }
        let dropped = 64_u32.saturating_sub(value.leading_zeros());
        if dropped == 0 {
            let shift = value.leading_zeros().saturating_sub(64);
            let mantissa = u64::try_from(value.checked_shl(shift)?).ok()?;
            return Self { negative, mantissa, exponent: exponent.checked_sub(i64::from(shift))? }.bounded();
        }
        let (kept, half) = (value >> dropped, 1_u128.checked_shl(dropped.saturating_sub(1))?);
        let rest = value & (half | half.saturating_sub(1));
        let up = rest > half || rest == half && (more || kept & 1 == 1);
        let exponent = exponent.checked_add(i64::from(dropped))?;
        match u64::try_from(kept.saturating_add(u128::from(up))) {
            Ok(mantissa) => Self { negative, mantissa, exponent },
            Err(_) => Self { negative, mantissa: 1 << 63, exponent: exponent.checked_add(1)? },
        }
        .bounded()
    }

    fn rounded_big(negative: bool, value: &BigUint, exponent: i64, more: bool) -> Option<Self> {
        let dropped = value.bits().saturating_sub(128);
        let more = more || value.trailing_zeros().is_some_and(|zeros| zeros < dropped);
        let first = u128::try_from(value >> dropped).ok()?;
        Self::rounded(negative, first, exponent.checked_add(i64::try_from(dropped).ok()?)?, more)
    }

    fn bounded(self) -> Option<Self> {
        (self.exponent.saturating_abs() < MAX_EXPONENT).then_some(self)
    }

    pub(super) fn mul(self, other: Self) -> Option<Self> {
        let product = u128::from(self.mantissa).checked_mul(u128::from(other.mantissa))?;
        Self::rounded(self.negative != other.negative, product, self.exponent.checked_add(other.exponent)?, false)
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
        match (self.mantissa, other.mantissa) {
            (0, 0) => return Some(Self { negative: self.negative && other.negative, ..self }),
            (0, _) => return Some(other),
            (_, 0) => return Some(self),
            _ => {}
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

    /// The same with 53 bits of mantissa, of a product that has all its bits in 128.
    pub(super) fn mul_double(self, other: Self) -> Option<Self> {
        let product = u128::from(self.mantissa).checked_mul(u128::from(other.mantissa))?;
        let exponent = self.exponent.checked_add(other.exponent)?;
        let negative = self.negative != other.negative;
        let Some(dropped) = 75_u32.checked_sub(product.leading_zeros()).filter(|dropped| *dropped > 0) else {
            return Self::rounded(negative, product, exponent, false);
        };
        let (kept, half) = (product >> dropped, 1_u128.checked_shl(dropped.saturating_sub(1))?);
        let rest = product & (half | half.saturating_sub(1));
        let kept = kept.saturating_add(u128::from(rest > half || rest == half && kept & 1 == 1));
        Self::rounded(negative, kept, exponent.checked_add(i64::from(dropped))?, false)
    }

    pub(super) fn is_whole(self) -> bool {
        self.mantissa == 0 || self.exponent >= 0 || i64::from(self.mantissa.trailing_zeros()) >= self.exponent.saturating_neg()
    }

    /// What is left without the fraction.
    pub(super) fn truncated(self) -> BigInt {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        let mantissa = BigUint::from(self.mantissa);
        let shift = self.exponent.unsigned_abs();
        BigInt::from_biguint(sign, if self.exponent < 0 { mantissa >> shift } else { mantissa << shift })
    }
}

/// `5^power` as a mantissa of at most 128 bits and a power of two, rounded where Go rounds (`math/big/floatconv.go`, `pow5`).
fn power_of_five(power: u64) -> (BigUint, i64) {
    let exact = u32::try_from(power.min(EXACT_POWER)).unwrap_or(0);
    let (mut result, mut factor) = ((BigUint::from(5_u32).pow(exact), 0_i64), (BigUint::from(5_u32), 0_i64));
    let mut rest = power.saturating_sub(EXACT_POWER);
    while rest > 0 {
        if rest & 1 == 1 {
            result = nearest(&result.0 * &factor.0, result.1.saturating_add(factor.1), POWER_BITS);
        }
        factor = nearest(&factor.0 * &factor.0, factor.1.saturating_mul(2), FACTOR_BITS);
        rest >>= 1;
    }
    result
}

fn nearest(value: BigUint, exponent: i64, bits: u64) -> (BigUint, i64) {
    let dropped = value.bits().saturating_sub(bits);
    if dropped == 0 {
        return (value, exponent);
    }
    let kept = &value >> dropped;
    let half = value.bit(dropped.saturating_sub(1));
    let behind = value.trailing_zeros().is_some_and(|zeros| zeros < dropped.saturating_sub(1));
    let up = half && (behind || kept.bit(0));
    (kept + u32::from(up), exponent.saturating_add(i64::try_from(dropped).unwrap_or(i64::MAX)))
}
