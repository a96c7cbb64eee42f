//! The number of a quantity, exact.

use num_bigint::BigUint;

use super::wide::Wide;
use crate::builtins::{BuiltinError, Context};
use crate::value::Value;

/// Digits that are computed with in one step: what is written in decimal costs the square of them.
const STEP: usize = 64;
/// Places behind the point that OPA writes.
const PLACES: usize = 10;

/// `above / below`.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    negative: bool,
    above: BigUint,
    below: BigUint,
}

impl Amount {
    /// Nothing for what is no number.
    pub(super) fn parse(context: &mut Context, text: &str) -> Result<Option<Self>, BuiltinError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if !is_number(&digits) || !is_number(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)) {
            return Ok(None);
        }
        // OPA reads exponents of six digits.
        let exponent: i32 = exponent.parse().unwrap_or_default();
        charge(context, digits.len().saturating_add(usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX)))?;
        let above = BigUint::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        let below = power_of_ten(fraction.len());
        let factor = power_of_ten(usize::try_from(exponent.unsigned_abs()).unwrap_or_default());
        let (above, below) = if exponent < 0 { (above, below * factor) } else { (above * factor, below) };
        Ok(Some(Self { negative: text.starts_with('-'), above, below }))
    }

    pub(super) fn times(mut self, factor: &BigUint) -> Self {
        self.above *= factor;
        self
    }

    /// Times the double that is nearest to a thousandth.
    pub(super) fn thousandths(mut self) -> Self {
        let bits = 0.001_f64.to_bits();
        let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        self.above *= BigUint::from(fraction | 1 << 52);
        self.below <<= usize::try_from(1075_u64.saturating_sub(exponent)).unwrap_or_default();
        self
    }

    /// An integer, or a number with ten places behind the point.
    pub(super) fn decimal(self) -> Result<Value, BuiltinError> {
        if (&self.above % &self.below).bits() == 0 {
            return self.signed((&self.above / &self.below).to_string());
        }
        let doubled = self.above.clone() * power_of_ten(PLACES) * 2_u8 + &self.below;
        let digits = format!("{:0>width$}", (doubled / (self.below.clone() * 2_u8)).to_string(), width = PLACES + 1);
        let (whole, fraction) = digits.split_at_checked(digits.len() - PLACES).unwrap_or((&digits, ""));
        self.signed(format!("{whole}.{fraction}"))
    }

    /// An integer, computed with 64 bits; what is behind the point is left out.
    pub(super) fn bytes(self, factor: u64) -> Result<Value, BuiltinError> {
        let whole = Wide::of(&self.above, &self.below).and_then(|wide| wide.times(factor)).map(Wide::whole);
        self.signed(whole.unwrap_or_default().to_string())
    }

    fn signed(&self, digits: String) -> Result<Value, BuiltinError> {
        let sign = if self.negative && digits != "0" { "-" } else { "" };
        Value::number(&format!("{sign}{digits}")).ok_or_else(|| BuiltinError::failed("illegal value"))
    }
}

fn charge(context: &mut Context, digits: usize) -> Result<(), BuiltinError> {
    context.account.charge(digits)?;
    let steps = (digits / STEP).saturating_mul(digits / STEP);
    Ok(context.account.step(u64::try_from(steps).unwrap_or(u64::MAX))?)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn power_of_ten(power: usize) -> BigUint {
    BigUint::from(10_u8).pow(u32::try_from(power).unwrap_or(u32::MAX))
}
