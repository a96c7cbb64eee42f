//! Kubernetes quantities such as `500m` and `1Gi`, in the one form in which they are stored. Source:
//! `apimachinery/pkg/api/resource`.

mod int64_amount;

use serde_json::Value as Json;

pub use int64_amount::Int64Amount;

/// The decoder's complaint.
pub const MALFORMED: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const NANO: i128 = 1_000_000_000;

/// An exact amount, in billionths; finer parts are rounded up, as upstream does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity {
    /// Billionths.
    pub nanos: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suffix {
    /// Power of ten, written as a letter.
    Decimal(i32),
    /// Power of ten, written as an exponent.
    Exponent(i32),
    /// Power of 1024.
    Binary(u32),
}

/// A quantity, taken apart.
struct Parts {
    negative: bool,
    whole: String,
    fraction: String,
    suffix: Suffix,
}

/// The form that is stored, if `value` is a quantity at all. Text that is canonical already stays as it is.
pub fn canonical(value: &Json) -> Option<String> {
    let text = match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Number(number) => number.to_string(),
        _ => return None,
    };
    let parts = split(&text)?;
    if keeps_its_text(&parts) {
        return Some(text);
    }
    let nanos = amount(&parts)?;
    Some(match parts.suffix {
        _ if nanos == 0 => "0".to_owned(),
        Suffix::Decimal(_) => decimal(nanos, letter),
        Suffix::Exponent(_) => decimal(nanos, exponential),
        Suffix::Binary(_) if nanos.abs() < 1024 * NANO => decimal(nanos, letter),
        Suffix::Binary(_) => binary(nanos),
    })
}

/// The amount that a stored quantity says.
pub fn parse(value: &Json) -> Option<Quantity> {
    let text = match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Number(number) => number.to_string(),
        _ => return None,
    };
    parse_text(&text)
}

/// The amount that a text says, which has nothing around it.
pub fn parse_text(text: &str) -> Option<Quantity> {
    Some(Quantity { nanos: amount(&split(text)?)? })
}

fn split(text: &str) -> Option<Parts> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at_checked(end)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // A number without digits is 0, as upstream reads it; nothing at all is not.
    if text.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    Some(Parts { negative, whole: whole.to_owned(), fraction: fraction.to_owned(), suffix: suffix_of(suffix)? })
}

fn suffix_of(text: &str) -> Option<Suffix> {
    Some(match text {
        "n" => Suffix::Decimal(-9),
        "u" => Suffix::Decimal(-6),
        "m" => Suffix::Decimal(-3),
        "" => Suffix::Decimal(0),
        "k" => Suffix::Decimal(3),
        "M" => Suffix::Decimal(6),
        "G" => Suffix::Decimal(9),
        "T" => Suffix::Decimal(12),
        "P" => Suffix::Decimal(15),
        "E" => Suffix::Decimal(18),
        "Ki" => Suffix::Binary(1),
        "Mi" => Suffix::Binary(2),
        "Gi" => Suffix::Binary(3),
        "Ti" => Suffix::Binary(4),
        "Pi" => Suffix::Binary(5),
        "Ei" => Suffix::Binary(6),
        other => Suffix::Exponent(other.strip_prefix(['e', 'E'])?.parse().ok()?),
    })
}

/// Upstream's short cut: what is canonical at first sight is not written anew.
fn keeps_its_text(parts: &Parts) -> bool {
    let digits = format!("{}{}", parts.whole, parts.fraction);
    if digits.len() > 18 || digits.is_empty() {
        return false;
    }
    match parts.suffix {
        Suffix::Binary(_) => parts.fraction.is_empty() && digits.parse::<i64>().is_ok_and(|value| value & 7 != 0),
        Suffix::Decimal(exponent) | Suffix::Exponent(exponent) => {
            let places = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
            let scale = exponent.saturating_sub(places);
            scale >= -9 && scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
        }
    }
}

fn amount(parts: &Parts) -> Option<i128> {
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let digits = if digits.is_empty() { "0" } else { &digits };
    let value: i128 = digits.parse().ok()?;
    let places = i32::try_from(parts.fraction.len()).ok()?;
    let nanos = match parts.suffix {
        Suffix::Decimal(exponent) | Suffix::Exponent(exponent) => scaled(value, exponent.checked_sub(places)?.checked_add(9)?)?,
        Suffix::Binary(power) => scaled(value.checked_mul(1024i128.checked_pow(power)?)?, 9 - places)?,
    };
    Some(if parts.negative { -nanos } else { nanos })
}

/// `value` times a power of ten, rounded up.
fn scaled(value: i128, power: i32) -> Option<i128> {
    let factor = 10i128.checked_pow(power.unsigned_abs());
    match (power >= 0, factor) {
        (true, Some(factor)) => value.checked_mul(factor),
        (true, None) => (value == 0).then_some(0),
        (false, Some(factor)) => Some(value / factor + i128::from(value % factor != 0)),
        (false, None) => Some(i128::from(value != 0)),
    }
}

fn exponential(exponent: i32) -> String {
    if exponent == 0 { String::new() } else { format!("e{exponent}") }
}

fn letter(exponent: i32) -> String {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
    .to_owned()
}

/// The largest power of a thousand that leaves a whole number.
fn decimal(mut amount: i128, suffix: impl Fn(i32) -> String) -> String {
    let mut exponent = -9;
    while amount % 1000 == 0 && exponent < 18 {
        amount /= 1000;
        exponent += 3;
    }
    format!("{amount}{}", suffix(exponent))
}

fn binary(nanos: i128) -> String {
    let mut amount = nanos / NANO + i128::from(nanos % NANO > 0);
    let mut power = 0usize;
    while amount % 1024 == 0 && power < 6 {
        amount /= 1024;
        power += 1;
    }
    let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(power).copied().unwrap_or_default();
    format!("{amount}{suffix}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quantities_take_their_canonical_form() {
        let cases = [
            (json!("500m"), Some("500m")),
            (json!("0.5"), Some("500m")),
            (json!(2), Some("2")),
            (json!(0.1), Some("100m")),
            (json!("1000m"), Some("1")),
            (json!("1500m"), Some("1500m")),
            (json!("1.5Gi"), Some("1536Mi")),
            (json!("1024Mi"), Some("1Gi")),
            (json!("64Mi"), Some("64Mi")),
            (json!("100Mi"), Some("100Mi")),
            (json!("0.5Ki"), Some("512")),
            (json!("1e3"), Some("1e3")),
            (json!("12e2"), Some("1200")),
            (json!("0Mi"), Some("0")),
            (json!("-1.5"), Some("-1500m")),
            (json!("1234567890k"), Some("1234567890k")),
            (json!("0.0000000001"), Some("1n")),
            (json!("m"), Some("0")),
            (json!("."), Some("0")),
            (json!("abc"), None),
            (json!("1.2.3"), None),
            (json!("1 Gi"), None),
            (json!(""), None),
            (json!("1Xi"), None),
        ];
        for (value, expected) in cases {
            assert_eq!(canonical(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn amounts_compare() {
        assert!(parse(&json!("1Gi")) > parse(&json!("1G")));
        assert_eq!(parse(&json!("1")), parse(&json!("1000m")));
    }
}
