//! Numbers of 64 bits of mantissa, as Go's `big.Float` rounds them.

use num_bigint::BigUint;

/// `mantissa * 2^exponent`; the mantissa is below 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    mantissa: u128,
    exponent: i64,
}

impl Wide {
    /// The nearest to a quotient; nothing for zero.
    pub(super) fn of(above: &BigUint, below: &BigUint) -> Option<Self> {
        if above.bits() == 0 {
            return None;
        }
        let length = |number: &BigUint| i64::try_from(number.bits()).ok();
        // The quotient gets 66 or 67 bits.
        let shift = 66_i64.checked_sub(length(above)?.checked_sub(length(below)?)?)?;
        let by = usize::try_from(shift.unsigned_abs()).ok()?;
        let (above, below) = if shift < 0 { (above.clone(), below << by) } else { (above << by, below.clone()) };
        let quotient = (&above / &below).to_bytes_be().into_iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(byte));
        let more = (above % below).bits() != 0;
        Self::rounded(quotient, shift.checked_neg()?, more)
    }

    /// To the nearest of 64 bits, to the even one of two; `more` says that there is something behind the last bit.
    fn rounded(value: u128, exponent: i64, more: bool) -> Option<Self> {
        let dropped = 64_u32.saturating_sub(value.leading_zeros());
        if dropped == 0 {
            return Some(Self { mantissa: value, exponent });
        }
        let (kept, half) = (value >> dropped, 1_u128 << (dropped - 1));
        let rest = value & (half | (half - 1));
        let up = rest > half || rest == half && (more || kept & 1 == 1);
        Some(Self { mantissa: kept + u128::from(up), exponent: exponent.checked_add(i64::from(dropped))? })
    }

    pub(super) fn times(self, factor: u64) -> Option<Self> {
        Self::rounded(self.mantissa.checked_mul(u128::from(factor))?, self.exponent, false)
    }

    /// Without what is behind the point.
    pub(super) fn whole(self) -> BigUint {
        let mantissa = self.mantissa.to_be_bytes();
        let bits = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(usize::MAX);
        let mantissa = BigUint::from_bytes_be(&mantissa);
        // Amounts are bounded, so is what they are shifted by.
        if self.exponent >= 0 { mantissa << bits } else { mantissa >> bits }
    }
}
