//! The parts of a number's text, and its exact decimal value.

use std::hash::{Hash, Hasher};

use num_bigint::{BigInt, BigUint, Sign};

use super::NumberError;
use super::float::Float;

/// The binary exponent that numbers from outside may have (`v1/ast/term.go`, `maxNumberExp`).
const MAX_EXPONENT: i64 = 100_000;
/// What Go's `big.Rat` reads no exponent beyond (`math/big/ratconv.go`).
const MAX_RATIONAL_EXPONENT: i64 = 1_000_000;

/// `-`? `whole` `.` `fraction` `e` `exponent`: the digits are ASCII.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form<'t> {
    pub(super) negative: bool,
    pub(super) whole: &'t str,
    pub(super) fraction: &'t str,
    pub(super) exponent: i64,
}

/// The exact value `0.DIGITS * 10^point`: the first digit and the last are not 0. Zero has no digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Significant<'t> {
    form: Form<'t>,
    skip: usize,
    pub(super) count: usize,
    pub(super) point: i64,
}

impl<'t> Form<'t> {
    /// The parts; `None` for what is no number.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let (negative, rest) = signed(text);
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, power(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let valid = is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
        valid.then_some(Self { negative, whole, fraction, exponent })
    }

    fn digits(self) -> impl DoubleEndedIterator<Item = u8> + 't {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    /// Its exact value.
    pub(super) fn significant(self) -> Significant<'t> {
        let all = self.whole.len().saturating_add(self.fraction.len());
        let skip = self.digits().position(|digit| digit != b'0').unwrap_or(all);
        let behind = self.digits().rev().take(all.saturating_sub(skip)).take_while(|digit| *digit == b'0').count();
        let point = length(self.whole.len()).saturating_sub(length(skip)).saturating_add(self.exponent);
        Significant { form: self, skip, count: all.saturating_sub(skip).saturating_sub(behind), point }
    }

    /// The whole number of 64 bits that it is.
    pub(super) fn whole_i64(self) -> Option<i64> {
        let exact = self.significant();
        if exact.count == 0 {
            return Some(0);
        }
        if exact.point > 19 || exact.point < length(exact.count) {
            return None;
        }
        let zeros = u32::try_from(exact.point.checked_sub(length(exact.count))?).ok()?;
        let digits = exact
            .digits()
            .try_fold(0_i128, |value, digit| value.checked_mul(10)?.checked_add(i128::from(digit.checked_sub(b'0')?)))?;
        let value = digits.checked_mul(10_i128.checked_pow(zeros)?)?;
        i64::try_from(if self.negative { value.checked_neg()? } else { value }).ok()
    }

    /// The integer that it is, of any size (`v1/topdown/builtins/builtins.go`, `NumberToInt`).
    pub(super) fn integer(self) -> Option<BigInt> {
        let exact = self.significant();
        let zeros = exact.point.checked_sub(length(exact.count))?;
        if exact.count == 0 || zeros < 0 || self.exponent.saturating_abs() > MAX_RATIONAL_EXPONENT {
            return (exact.count == 0).then(BigInt::default);
        }
        let digits: Vec<u8> = exact.digits().chain(std::iter::repeat_n(b'0', usize::try_from(zeros).ok()?)).collect();
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        Some(BigInt::from_biguint(sign, BigUint::parse_bytes(&digits, 10)?))
    }

    /// All digits as one whole number.
    pub(super) fn mantissa(self) -> Option<BigUint> {
        BigUint::parse_bytes(&self.digits().collect::<Vec<u8>>(), 10)
    }

    /// The same, if it is small.
    pub(super) fn small_mantissa(self) -> Option<u64> {
        self.digits().try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit.checked_sub(b'0')?)))
    }

    /// Refuses exponents that would be expensive (`v1/ast/term.go`, `checkExponent`).
    pub(super) fn check_exponent(self) -> Result<(), NumberError> {
        let before = length(self.whole.len()).saturating_add(length(self.fraction.len())).saturating_add(2);
        if self.exponent.saturating_abs().saturating_add(before) <= MAX_EXPONENT / 4 {
            return Ok(());
        }
        let exponent = Float::binary_exponent(self).ok_or(NumberError::Invalid)?;
        if exponent.saturating_abs() > MAX_EXPONENT { Err(NumberError::TooBig) } else { Ok(()) }
    }
}

impl<'t> Significant<'t> {
    pub(super) fn is_negative(&self) -> bool {
        self.form.negative && self.count > 0
    }

    pub(super) fn digits(&self) -> impl Iterator<Item = u8> + 't {
        self.form.digits().skip(self.skip).take(self.count)
    }
}

/// Equal values hash alike, however they are written.
impl Hash for Form<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let exact = self.significant();
        exact.is_negative().hash(state);
        exact.point.hash(state);
        exact.digits().for_each(|digit| state.write_u8(digit));
    }
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// An exponent; one that has no end in 64 bits is cut off there.
fn power(text: &str) -> Option<i64> {
    let (negative, digits) = signed(text);
    if digits.is_empty() || !is_digits(digits) {
        return None;
    }
    let power = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { power.saturating_neg() } else { power })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Whether a text is a number of JSON.
pub(super) fn is_json(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(a, b)| (a, Some(b)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(a, b)| (a, Some(b)));
    let some_digits = |text: &str| !text.is_empty() && is_digits(text);
    some_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(some_digits)
        && exponent.is_none_or(|exponent| some_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_count() {
        let exact = |text| {
            let exact = Form::of(text).unwrap().significant();
            (String::from_utf8(exact.digits().collect()).unwrap(), exact.point)
        };
        assert_eq!(exact("0012.3400e1"), ("1234".into(), 3));
        assert_eq!(exact("0.00120"), ("12".into(), -2));
        assert_eq!(exact("-100"), ("1".into(), 3));
        assert_eq!(exact("0.000e7").0, "");
    }

    #[test]
    fn json_has_one_form() {
        for text in ["0", "-0", "1.50", "1e+07", "10E5", "-0.1e-2"] {
            assert!(is_json(text), "{text}");
        }
        for text in ["+5", "05", ".5", "5.", "-", "1e", "00", "-01"] {
            assert!(!is_json(text), "{text}");
        }
    }
}
