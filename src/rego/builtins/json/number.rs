//! Numbers from texts: exactly, or not at all.

use regorus::Value;

use super::super::error::BuiltinError;

/// Digits that a number may have.
const DIGITS: usize = 1_000;

/// A number of the grammar of JSON, as OPA keeps it: whole numbers of any size; an exponent of six digits is too big.
pub(super) fn exact(text: &str) -> Result<Value, BuiltinError> {
    if text.len() <= 15
        && let Ok(small) = text.parse::<i64>()
    {
        return Ok(Value::from(small));
    }
    if is_too_big(text) {
        return Err(BuiltinError::other("invalid number: number too big"));
    }
    if text.len() > DIGITS {
        return Err(BuiltinError::Limit(format!("read a number of more than {DIGITS} digits")));
    }
    let float = text.parse::<f64>().unwrap_or(f64::INFINITY);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let vanished = float == 0.0 && mantissa.contains(|c| ('1'..='9').contains(&c));
    if vanished || float.is_infinite() && !exponent.is_empty() {
        return Err(BuiltinError::Limit("read a number beyond 64-bit floating point".into()));
    }
    Value::from_numeric_string(text).map_err(|error| BuiltinError::other(error.to_string()))
}

/// Whether a number with an exponent is beyond OPA's: 2 to the power of 100,000 (`v1/ast/term.go`).
fn is_too_big(text: &str) -> bool {
    const EXPONENT: i64 = 30_102;
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let digits = mantissa.split('.').next().unwrap_or_default().trim_start_matches(['-', '0']).len();
    let digits = i64::try_from(digits).unwrap_or(i64::MAX);
    // What is no number to `parse` has more digits than any exponent may have.
    exponent.parse::<i64>().map_or(i64::MAX, |e| e.saturating_add(digits)).saturating_abs() > EXPONENT
}

/// What Go's `strconv.ParseFloat` reads: also `+1`, `.5`, `1.`, `007`, and `_` between digits.
pub(super) fn parse(text: &str) -> Result<Value, BuiltinError> {
    let invalid = || BuiltinError::other(format!("strconv.ParseFloat: parsing {text:?}: invalid syntax"));
    let digits = without_underscores(text).ok_or_else(invalid)?;
    let (sign, unsigned) = match digits.strip_prefix(['-', '+']) {
        Some(unsigned) => (if digits.starts_with('-') { "-" } else { "" }, unsigned),
        None => ("", digits.as_str()),
    };
    if unsigned.starts_with(['0']) && unsigned.get(1..2).is_some_and(|x| x.eq_ignore_ascii_case("x")) {
        let is_number = unsigned.contains(['p', 'P']);
        return Err(if is_number { BuiltinError::Limit("reads no hexadecimal number".into()) } else { invalid() });
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let exponent_digits = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    let is_exponent = exponent_digits.is_none_or(|e| !e.is_empty() && is_digits(e));
    if mantissa.trim_start_matches('.').is_empty() || !is_digits(whole) || !is_digits(fraction) || !is_exponent {
        return Err(invalid());
    }
    if unsigned.parse::<f64>().is_ok_and(f64::is_infinite) {
        return Err(BuiltinError::other(format!("strconv.ParseFloat: parsing {text:?}: value out of range")));
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    let exponent = exponent.map(|e| format!("e{e}")).unwrap_or_default();
    exact(&format!("{sign}{whole}{point}{fraction}{exponent}"))
}

/// The text without underscores, if each is between digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let mut places = text.match_indices('_').map(|(at, _)| at);
    places.all(|at| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1))).then(|| text.replace('_', ""))
}
