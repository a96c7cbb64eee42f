//! What Go's YAML takes a plain scalar for (`resolve.go`): YAML 1.2, and some of 1.1.

use super::time;

/// What a plain scalar is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    /// What it is written as.
    Text,
    /// A date, which OPA leaves as it is written.
    Time,
    Null,
    Bool(bool),
    /// An integer of 64 bits, with a sign or without.
    Int(i128),
    /// Maybe infinite, or no number.
    Float(f64),
}

/// What YAML 1.1 knew as booleans.
const OLD_BOOLEANS: [&str; 16] =
    ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"];

pub(super) fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    match text.as_bytes().first() {
        Some(b'.') => float(text),
        Some(b'+' | b'-' | b'0'..=b'9') if time::is_time(text) => Scalar::Time,
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            integer(&digits).map_or_else(|| float(&digits), Scalar::Int)
        }
        _ => Scalar::Text,
    }
}

/// Whether a text is quoted for the sake of other readers: words of YAML 1.1, and numbers of base 60.
pub(super) fn is_old(text: &str) -> bool {
    OLD_BOOLEANS.contains(&text) || is_sexagesimal(text)
}

/// Go's `strconv.ParseInt` and `ParseUint` with base 0, and what goes with it.
fn integer(text: &str) -> Option<i128> {
    let (negative, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (digits, base) = match unsigned.get(..2) {
        Some("0x" | "0X") => (unsigned.get(2..).unwrap_or_default(), 16),
        Some("0o" | "0O") => (unsigned.get(2..).unwrap_or_default(), 8),
        Some("0b" | "0B") => (unsigned.get(2..).unwrap_or_default(), 2),
        Some(octal) if octal.starts_with('0') => (unsigned, 8),
        _ => (unsigned, 10),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    match u64::from_str_radix(digits, base).ok()? {
        value if negative => (value <= 1 << 63).then(|| -i128::from(value)),
        // With a sign it has to fit into 63 bits.
        value => (!text.starts_with('+') || value < 1 << 63).then(|| value.into()),
    }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`, if a float holds it.
fn float(text: &str) -> Scalar {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let exponent = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    let is_written = is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| !e.is_empty() && is_digits(e));
    match text.parse::<f64>() {
        Ok(float) if is_written && float.is_finite() => Scalar::Float(float),
        _ => Scalar::Text,
    }
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || c == b'_');
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let mut sixtieths = parts.peekable();
    first.starts_with(|c: char| c.is_ascii_digit())
        && is_number(first)
        && is_number(fraction)
        && sixtieths.peek().is_some()
        && sixtieths.all(|part| match part.as_bytes() {
            [digit] => digit.is_ascii_digit(),
            [tens, digit] => (b'0'..=b'5').contains(tens) && digit.is_ascii_digit(),
            _ => false,
        })
}
