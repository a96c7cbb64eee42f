//! Numbers as OPA keeps them: exact, in the form they were written (`v1/ast/term.go`, `Number`).

pub mod arithmetic;
mod compare;
mod float;
mod form;
pub(crate) mod shortest;

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use thiserror::Error;

pub use compare::compare_as_opa;
pub(super) use compare::{Numeral, compare};
use form::Form;

use super::Value;

/// A number that is no plain 64-bit integer: big, fractional, or written in another form (`1.0`, `1e2`, `-0`).
#[derive(Debug)]
pub struct Number {
    text: Box<str>,
    /// The nearest double; infinite beyond the largest.
    near: f64,
    /// What it is, if that is a whole number of 64 bits.
    whole: Option<i64>,
}

/// A number with more digits than a double needs may be written in another way.
const DIGITS: usize = 24;

/// What is left of a text that is to be written: to write anything else fails.
struct Same<'t>(&'t str);

impl Write for Same<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Why a text is no number that can be computed with (`v1/ast/term.go`, `NumberChecked`).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NumberError {
    /// It has not the form of one, or its exponent has no end.
    #[error("invalid number: invalid float")]
    Invalid,
    /// Its binary exponent is beyond 100,000.
    #[error("invalid number: number too big")]
    TooBig,
}

impl Number {
    /// A number of this text and form.
    fn new(text: &str, form: &Form) -> Self {
        Self { text: text.into(), near: text.parse().unwrap_or(f64::NAN), whole: form.whole_i64() }
    }

    /// As it was written, or computed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The integer that OPA takes it for where it wants one (`Number.Int64`): `2.0` is 2, but `1e2` is none.
    pub fn to_i64(&self) -> Option<i64> {
        self.whole.filter(|_| self.text.len() <= 20 && !self.text.contains(['e', 'E']))
    }

    /// The whole number of 64 bits that it is, however it is written.
    pub fn whole(&self) -> Option<i64> {
        self.whole
    }

    /// Whether it is written with as few digits as the nearest double needs, without an exponent, and is no whole one: then no number that
    /// is written otherwise is equal to it and written so, too.
    pub(super) fn is_shortest(&self) -> bool {
        if self.text.len() > DIGITS || self.whole.is_some() || !self.near.is_finite() {
            return false;
        }
        let mut left = Same(&self.text);
        write!(left, "{}", self.near).is_ok() && left.0.is_empty()
    }

    /// How many digits it has when it is written without an exponent: what computing with it costs.
    pub fn digits(&self) -> u64 {
        if self.whole.is_some() {
            return 1;
        }
        let exact = self.form().significant();
        let count = i64::try_from(exact.count).unwrap_or(i64::MAX);
        count.max(exact.point).max(count.saturating_sub(exact.point)).unsigned_abs()
    }

    /// Whether the text is a number of JSON: `+5`, `05`, `.5` and `5.` are not, which `to_number` can make.
    pub fn is_json(&self) -> bool {
        form::is_json(&self.text)
    }

    fn form(&self) -> Form<'_> {
        Form::of(&self.text).unwrap_or_default()
    }

    pub(super) fn hash<H: Hasher>(&self, state: &mut H) {
        match self.whole {
            Some(whole) => whole.hash(state),
            None => self.form().hash(state),
        }
    }
}

impl Value {
    /// A number as it is written in JSON or Rego (and Go: `+5`, `.5`), whatever its size; `None` for what is no number.
    pub fn number(text: &str) -> Option<Self> {
        if let Some(small) = canonical(text) {
            return Some(Self::Int(small));
        }
        let form = Form::of(text)?;
        Some(Self::Number(Arc::new(Number::new(text, &form))))
    }

    /// The same, unless it is too big to compute with: what comes in as JSON or through `to_number`
    /// (`v1/ast/term.go`, `NumberChecked`).
    pub fn number_checked(text: &str) -> Result<Self, NumberError> {
        if text.contains(['e', 'E']) {
            let form = Form::of(text).ok_or(NumberError::Invalid)?;
            form.check_exponent()?;
        }
        Self::number(text).ok_or(NumberError::Invalid)
    }

    /// The nearest double of a number.
    pub fn as_f64(&self) -> Option<f64> {
        Numeral::of(self).map(Numeral::near)
    }

    /// A double as Go writes it (`strconv.FormatFloat(f, 'g', -1, 64)`); `None` for what is no number.
    pub fn from_f64(value: f64) -> Option<Self> {
        shortest::double(value).and_then(|text| Self::number(&text))
    }
}

/// A whole number that is written as Rust writes it.
fn canonical(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let plain = matches!(digits, [b'1'..=b'9', ..]) && digits.len() <= 19 || text == "0";
    if plain { text.parse().ok() } else { None }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        compare::numbers(Numeral::Other(self), Numeral::Other(other)) == Ordering::Equal
    }
}

impl Eq for Number {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_integers_are_small_and_other_forms_are_kept() {
        for text in ["0", "1", "-1", "9223372036854775807", "-9223372036854775808"] {
            assert!(matches!(Value::number(text), Some(Value::Int(value)) if value.to_string() == text), "{text}");
        }
        for text in ["-0", "1.0", "1e2", "9223372036854775808", "0.1", "-1.50", "1E+3", "00", "+5", ".5", "5.", "1e400"] {
            let Some(Value::Number(number)) = Value::number(text) else { panic!("{text}") };
            assert_eq!(number.text(), text);
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "inf", "NaN", "1_000", "0x10", " 1", "1 ", "--1", "1.2.3"] {
            assert_eq!(Value::number(text).map(|value| value.to_string()), None, "{text}");
        }
    }

    /// OPA: `[1,2][1.0]` is 2, `[1,2][1e0]` is undefined.
    #[test]
    fn integers_are_those_of_opa() {
        for (text, integer, whole) in [
            ("2.0", Some(2), Some(2)),
            ("-0", Some(0), Some(0)),
            ("1e2", None, Some(100)),
            ("0.5", None, None),
            ("9223372036854775808", None, None),
            ("1.00000000000000000000", None, Some(1)),
            ("12e-1", None, None),
            ("120e-1", None, Some(12)),
        ] {
            let Some(Value::Number(number)) = Value::number(text) else { panic!("{text}") };
            assert_eq!((number.to_i64(), number.whole()), (integer, whole), "{text}");
        }
    }

    /// As `json.unmarshal` of OPA 1.22 says.
    #[test]
    fn exponents_have_a_bound() {
        let checked = |text| Value::number_checked(text).map(|value| value.to_string());
        for text in ["1e400", "1e30102", "-1e-30103", "0e99999", "1E5", "12"] {
            assert_eq!(checked(text), Ok(text.to_owned()));
        }
        for text in ["1e99999", "1e30103", "1e-99999", "1e400000000"] {
            assert_eq!(checked(text), Err(NumberError::TooBig), "{text}");
        }
        assert_eq!(checked("1e99999999999"), Err(NumberError::Invalid));
    }
}
