//! Durations (`time.parse_duration_ns`): Go's `time.ParseDuration`, with OPA's days, weeks and years.

use thiserror::Error;

use super::quote::quoted;
use crate::builtins::BuiltinError;

/// The largest number of nanoseconds, but for its sign.
const MOST: u64 = 1 << 63;
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
/// OPA's own units, in hours.
const LONG: [(&str, f64); 3] = [("d", 24.0), ("w", 168.0), ("y", 8760.0)];
/// Units of more than a letter that OPA reads beside its own.
const PAIRS: [&str; 4] = ["ms", "us", "\u{b5}s", "ns"];

/// Why a text is no duration, in the words of Go's `time`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
enum DurationError {
    /// No number, or too long.
    #[error("invalid duration")]
    Invalid,
    /// A number alone.
    #[error("missing unit in duration")]
    MissingUnit,
    /// A unit that is not known, in quotes.
    #[error("unknown unit {0} in duration")]
    UnknownUnit(String),
}

/// Nanoseconds.
pub(super) fn nanos(text: &str) -> Result<i64, BuiltinError> {
    let failed = |what: DurationError| BuiltinError::failed(format!("time: {what} {}", quoted(text.as_bytes())));
    if !text.contains(['d', 'w', 'y']) {
        return parsed(text).map_err(failed);
    }
    let hours = in_hours(text).ok_or_else(|| failed(DurationError::Invalid))?;
    parsed(&hours).map_err(failed)
}

/// A text without OPA's own units.
fn in_hours(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut written = text.get(..text.len() - unsigned.len())?.to_owned();
    let mut rest = unsigned;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
        let (digits, behind) = rest.split_at_checked(end)?;
        let pair = PAIRS.into_iter().find(|unit| behind.starts_with(unit));
        let letter = behind.get(..1).filter(|letter| letter.bytes().all(|byte| byte.is_ascii_lowercase()));
        let unit = pair.or(letter)?;
        rest = behind.get(unit.len()..)?;
        match LONG.into_iter().find(|(long, _)| *long == unit) {
            Some((_, hours)) => written.push_str(&format!("{}h", digits.parse::<f64>().ok()? * hours)),
            None => written.extend([digits, unit]),
        }
    }
    Some(written)
}

fn parsed(text: &str) -> Result<i64, DurationError> {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(DurationError::Invalid);
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (part, behind) = next(rest)?;
        rest = behind;
        // Go's sum wraps too, for two of the largest.
        sum = sum.wrapping_add(part);
        if sum > MOST {
            return Err(DurationError::Invalid);
        }
    }
    if text.starts_with('-') {
        return Ok(0_i64.wrapping_sub_unsigned(sum));
    }
    i64::try_from(sum).map_err(|_| DurationError::Invalid)
}

/// A number with its unit, in nanoseconds, and the text behind it.
fn next(text: &str) -> Result<(u64, &str), DurationError> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return Err(DurationError::Invalid);
    }
    let value: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| DurationError::Invalid)? };
    let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
    let (unit, rest) = rest.split_at_checked(end).ok_or(DurationError::Invalid)?;
    if value > MOST {
        return Err(DurationError::Invalid);
    }
    if unit.is_empty() {
        return Err(DurationError::MissingUnit);
    }
    let size = UNITS.into_iter().find(|(name, _)| *name == unit).map(|(_, size)| size);
    let size = size.ok_or_else(|| DurationError::UnknownUnit(quoted(unit.as_bytes())))?;
    let nanos = value.checked_mul(size).filter(|nanos| *nanos <= MOST).ok_or(DurationError::Invalid)?;
    let nanos = nanos.checked_add(part(fraction, size)).filter(|nanos| *nanos <= MOST);
    Ok((nanos.ok_or(DurationError::Invalid)?, rest))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// A fraction of a unit; digits beyond those of 63 bits do not count.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as Go computes it")]
fn part(fraction: &str, size: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1.0_f64);
    for digit in fraction.bytes() {
        if value > (MOST - 1) / 10 {
            break;
        }
        let longer = value * 10 + u64::from(digit - b'0');
        if longer > MOST {
            break;
        }
        value = longer;
        scale *= 10.0;
    }
    (value as f64 * (size as f64 / scale)) as u64
}
