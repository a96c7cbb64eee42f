//! Numbers in JSON that a 64-bit integer or a double does not hold: found, never silently another number.
//!
//! OPA keeps numbers as they are written and compares them as such (`v1/util/compare.go`, `v1/ast/compare.go`), and so does
//! [`crate::rego`]. The state is written by way of [`serde_json::Value`], which has 64-bit integers and doubles. A fraction is a
//! double: it is the number that was written if the double, written shortly, gives its digits.

use crate::budget::weight::end_of_string;

/// How serde_json is told of a number by its digits. A document that says so itself would be taken for one.
const DIGITS: &str = "$serde_json::private::Number";
/// So many digits every double holds.
const SAFE: usize = 15;

/// A number or a name that would be read as another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inexact {
    /// More digits than can be kept.
    #[error("the number {0} has more digits than are kept: whole numbers of 64 bits and doubles are, others in inputs only")]
    Number(String),
    /// A reserved name.
    #[error("the name `{DIGITS}` is reserved")]
    Reserved,
}

/// Whether each number of a text is that of [`serde_json::Value`], which has 64-bit integers and doubles.
pub fn check(text: &[u8]) -> Result<(), Inexact> {
    let Ok(text) = str::from_utf8(text) else { return Ok(()) };
    Tokens { text, at: 0 }.try_for_each(|token| match token {
        Token::Number(number) if !is_plain(number) && !is_short(number) => Err(Inexact::Number(abridged(number))),
        Token::Text(text) if is_reserved(text) => Err(Inexact::Reserved),
        _ => Ok(()),
    })
}

/// Whether each number of a text is written as [`serde_json::Value`] writes it, as far as that is easy to see.
pub fn is_canonical(text: &str) -> bool {
    Tokens { text, at: 0 }.all(|token| match token {
        Token::Number(number) => number != "-0" && (number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok()),
        Token::Text(_) => true,
    })
}

/// A token of JSON text, be it well-formed or not.
enum Token<'t> {
    Number(&'t str),
    /// With its quotes.
    Text(&'t str),
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let bytes = self.text.as_bytes();
        let begins = |byte: &u8| matches!(byte, b'"' | b'-' | b'0'..=b'9');
        let start = self.at.checked_add(bytes.get(self.at..)?.iter().position(begins)?)?;
        let rest = bytes.get(start..)?;
        let quoted = rest.first() == Some(&b'"');
        let length = if quoted { quoted_length(rest) } else { rest.iter().take_while(|byte| in_number(**byte)).count() };
        self.at = start.checked_add(length)?;
        let token = self.text.get(start..self.at)?;
        Some(if quoted { Token::Text(token) } else { Token::Number(token) })
    }
}

fn in_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')
}

/// Up to the closing quote and with it.
fn quoted_length(rest: &[u8]) -> usize {
    rest.get(1..).and_then(end_of_string).map_or(rest.len(), |end| end.saturating_add(2))
}

fn is_reserved(quoted: &str) -> bool {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    // An escape has at most six characters for one.
    inner == DIGITS
        || ((DIGITS.len()..=DIGITS.len().saturating_mul(6)).contains(&inner.len())
            && inner.contains('\\')
            && serde_json::from_str::<String>(quoted).is_ok_and(|text| text == DIGITS))
}

/// Whether it needs no second look: few digits and no exponent, or a 64-bit integer.
fn is_plain(number: &str) -> bool {
    let exponent = number.contains(['e', 'E']);
    (number.len() <= SAFE && !exponent) || number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok()
}

/// Whether a double, written shortly, has just these digits.
fn is_short(number: &str) -> bool {
    match number.parse::<f64>() {
        Ok(double) if double.is_finite() => Decimal::of(number) == Decimal::of(&format!("{double:e}")),
        // For the reader to refuse.
        _ => true,
    }
}

/// A number's digits without zeros at either end, and the power of ten of the last.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(number: &str) -> Option<Self> {
        let (negative, number) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let zeros = i64::try_from(all.len().checked_sub(all.trim_end_matches('0').len())?).ok()?;
        let fraction = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(fraction)?.checked_add(zeros)?;
        Some(Self { negative, digits, exponent })
    }
}

/// The beginning of a long number.
fn abridged(number: &str) -> String {
    match number.get(..60) {
        Some(start) if number.len() > 64 => format!("{start}…"),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_they_are_read() {
        let table =
            [("{\"a\": [1, -1, 18446744073709551615], \"b\": \"1.50\"}", true), ("1.5", false), ("[-0]", false), ("1e2", false)];
        for (text, canonical) in table {
            assert_eq!(is_canonical(text), canonical, "{text}");
        }
    }

    #[test]
    fn what_no_double_holds_is_found() {
        let table = [
            ("1", true),
            ("-0", true),
            ("18446744073709551615", true),
            ("-9223372036854775808", true),
            ("18446744073709551616", false),
            ("18446744073709551617", false),
            ("-9223372036854775809", false),
            ("9007199254740993", true),
            ("9007199254740993.0", false),
            ("0.1", true),
            ("0.30000000000000004", true),
            ("0.3000000000000000444", false),
            ("0.10000000000000000", true),
            ("3.14159265358979323846", false),
            ("1e2", true),
            ("1.8446744073709552e19", true),
            ("1.8446744073709552E+19", true),
            ("1e-400", false),
            ("0e-400", true),
            ("1e400", true),
            ("{\"a\": [1.5, \"3.14159265358979323846\", \"\\\"3.14159265358979323846\"]}", true),
            ("{\"a\": [1.5, 3.14159265358979323846]}", false),
            ("{\"$serde_json::private::Number\": \"5\"}", false),
            ("{\"\\u0024serde_json::private::Number\": \"5\"}", false),
            ("\"$serde_json::private::Numbers\"", true),
            ("\"no end", true),
            ("-", true),
        ];
        for (text, exact) in table {
            assert_eq!(check(text.as_bytes()).is_ok(), exact, "{text}");
        }
        assert_eq!(check(&[0xff]), Ok(()), "the reader refuses it");
    }
}
