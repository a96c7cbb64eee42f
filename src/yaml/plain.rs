//! What Go's YAML takes a plain scalar for (`resolve.go`): YAML 1.2, and some of 1.1.

use std::str::FromStr;

/// What a plain scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A date, which OPA leaves as it is written.
    Time,
    /// A number, a boolean, or null.
    Other,
}

const WORDS: [&str; 23] = [
    "", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", ".nan", ".NaN", ".NAN", ".inf", ".Inf",
    ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
];

/// What YAML 1.1 knew as booleans.
const OLD_BOOLEANS: [&str; 16] =
    ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"];

pub(crate) fn kind(text: &str) -> Kind {
    if WORDS.contains(&text) {
        return Kind::Other;
    }
    match text.as_bytes().first() {
        Some(b'.') if is_float(text) => Kind::Other,
        Some(b'+' | b'-' | b'0'..=b'9') if is_time(text) => Kind::Time,
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            if is_integer(&digits) || is_float(&digits) { Kind::Other } else { Kind::Text }
        }
        _ => Kind::Text,
    }
}

/// Whether a text is quoted for the sake of other readers: words of YAML 1.1, and numbers of base 60.
pub(crate) fn is_old(text: &str) -> bool {
    OLD_BOOLEANS.contains(&text) || is_sexagesimal(text)
}

/// Go's `strconv.ParseInt` and `ParseUint` with base 0, and what goes with it.
fn is_integer(text: &str) -> bool {
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
        return false;
    }
    match u64::from_str_radix(digits, base) {
        Ok(value) if negative => value <= 1 << 63,
        // With a sign it has to fit into 63 bits.
        Ok(value) => !text.starts_with('+') || value < 1 << 63,
        Err(_) => false,
    }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`, if a float holds it.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let exponent = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    let is_written = is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| !e.is_empty() && is_digits(e));
    is_written && f64::from_str(unsigned).is_ok_and(f64::is_finite)
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

/// `2006-1-2`, alone, or with a time behind a blank, or behind `T` and with a zone.
fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(text.find(['T', 't', ' ']).unwrap_or(text.len())) else { return false };
    let numbers: Vec<&str> = date.split('-').collect();
    let [year, month, day] = numbers.as_slice() else { return false };
    let lengths = year.len() == 4 && (1..=2).contains(&month.len()) && (1..=2).contains(&day.len());
    let number = |text: &str| text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse::<u8>().ok()).flatten();
    let date = || {
        let month = time::Month::try_from(number(month)?).ok()?;
        let year = year.bytes().all(|c| c.is_ascii_digit()).then(|| year.parse::<i32>().ok())??;
        time::Date::from_calendar_date(year, month, number(day)?).ok()
    };
    lengths
        && date().is_some()
        && match time.as_bytes().first() {
            None => true,
            Some(b' ') => is_clock(time.get(1..).unwrap_or_default()),
            _ => has_zone(time.get(1..).unwrap_or_default()),
        }
}

fn has_zone(time: &str) -> bool {
    if let Some(clock) = time.strip_suffix('Z') {
        return is_clock(clock);
    }
    let Some((clock, zone)) = time.rfind(['+', '-']).and_then(|at| time.split_at_checked(at)) else { return false };
    let is_zone = match zone.as_bytes() {
        [_, a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_zone && is_clock(clock)
}

fn is_clock(text: &str) -> bool {
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = text.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return false };
    let within = |text: &str, most: u8| {
        (1..=2).contains(&text.len())
            && text.bytes().all(|c| c.is_ascii_digit())
            && text.parse::<u8>().is_ok_and(|number| number <= most)
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|c| c.is_ascii_digit());
    is_fraction && within(hour, 23) && within(minute, 59) && within(second, 59)
}
