//! How numbers compare.

use std::cmp::Ordering;

use super::super::Value;
use super::Number;

/// A number in either representation.
#[derive(Clone, Copy, Debug)]
pub(in crate::value) enum Numeral<'v> {
    Small(i64),
    Other(&'v Number),
}

impl<'v> Numeral<'v> {
    /// The number that a value is.
    pub(in crate::value) fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Int(value) => Some(Self::Small(*value)),
            Value::Number(number) => Some(Self::Other(number)),
            _ => None,
        }
    }

    /// The whole number of 64 bits that it is.
    pub(super) fn whole(self) -> Option<i64> {
        match self {
            Self::Small(value) => Some(value),
            Self::Other(number) => number.whole,
        }
    }

    /// The nearest double.
    #[expect(clippy::cast_precision_loss, reason = "rounds to the nearest, as reading the digits does")]
    pub(super) fn near(self) -> f64 {
        match self {
            Self::Small(value) => value as f64,
            Self::Other(number) => number.near,
        }
    }
}

/// The order of two numbers by their exact values: total, and in line with `==` and hashes. It is that of OPA but for one case:
/// see [`compare_as_opa`].
pub(in crate::value) fn compare(a: &Value, b: &Value) -> Ordering {
    match (Numeral::of(a), Numeral::of(b)) {
        (Some(a), Some(b)) => numbers(a, b),
        _ => Ordering::Equal,
    }
}

/// Rounding to the nearest double keeps the order, so only what rounds to the same one is looked at digit by digit.
pub(super) fn numbers(a: Numeral, b: Numeral) -> Ordering {
    if let (Some(a), Some(b)) = (a.whole(), b.whole()) {
        return a.cmp(&b);
    }
    match a.near().partial_cmp(&b.near()) {
        Some(Ordering::Equal) | None => exact(a, b),
        Some(unequal) => unequal,
    }
}

fn exact(a: Numeral, b: Numeral) -> Ordering {
    match (a, b) {
        (Numeral::Small(a), Numeral::Small(b)) => a.cmp(&b),
        (Numeral::Small(a), Numeral::Other(b)) => texts(&a.to_string(), &b.text),
        (Numeral::Other(a), Numeral::Small(b)) => texts(&a.text, &b.to_string()),
        (Numeral::Other(a), Numeral::Other(b)) => texts(&a.text, &b.text),
    }
}

fn texts(a: &str, b: &str) -> Ordering {
    let form = |text| super::Form::of(text).unwrap_or_default().significant();
    let (a, b) = (form(a), form(b));
    let sign = |negative: bool, count: usize| {
        if count == 0 {
            0_i8
        } else if negative {
            -1
        } else {
            1
        }
    };
    let (above, below) = (sign(a.is_negative(), a.count), sign(b.is_negative(), b.count));
    if above != below || above == 0 {
        return above.cmp(&below);
    }
    let size = a.point.cmp(&b.point).then_with(|| a.digits().cmp(b.digits()));
    if above < 0 { size.reverse() } else { size }
}

/// How OPA's operators compare two numbers (`v1/ast/compare.go`, `NumberCompare`). Of numbers with more than 15 digits, two that
/// have a dot and end in `0` (`0.1000000000000000010`, `1.2345678901234567891e+10`) are equal if their doubles are, which is
/// not transitive: so collections are ordered by the exact value.
pub fn compare_as_opa(a: &Value, b: &Value) -> Ordering {
    let (Value::Number(x), Value::Number(y)) = (a, b) else { return a.cmp(b) };
    let rounded = |number: &Number| !number.near.is_infinite() && is_fraction(&number.text);
    if x.near == y.near && rounded(x) && rounded(y) && !(is_decimal(x) && is_decimal(y)) {
        return Ordering::Equal;
    }
    a.cmp(b)
}

/// What `NumberCompare` takes for a number with a fraction.
fn is_fraction(text: &str) -> bool {
    let trimmed = text.trim_end_matches(['.', '0']);
    trimmed.len() < text.len() && trimmed.contains('.')
}

/// Whether OPA compares it exactly: at most 15 digits between the first that is not 0 and the last (`v1/ast/number_decimal.go`).
fn is_decimal(number: &Number) -> bool {
    let form = number.form();
    let digits = form.whole.bytes().chain(form.fraction.bytes());
    digits.skip_while(|digit| *digit == b'0').count() <= 15 && form.significant().point.saturating_abs() <= 300
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    const FORMS: &[&str] = &[
        "-1e400",
        "-9223372036854775809",
        "-9223372036854775808",
        "-1.5",
        "-1",
        "-1.0",
        "-0.1",
        "-1e-400",
        "0",
        "-0",
        "0.0",
        "0e5",
        "1e-30000",
        "1e-400",
        "0.1",
        "0.10",
        "1e-1",
        "0.10000000000000000001",
        "0.1000000000000000055511151231257827",
        "0.3",
        "0.33333333333333333333",
        "0.33333333333333333334",
        "1",
        "1.0",
        "1e0",
        "10e-1",
        "+1",
        "1.5",
        "15e-1",
        "9007199254740992",
        "9007199254740992.0",
        "9007199254740992.5",
        "9007199254740993",
        "9007199254740993.0",
        "9223372036854775807",
        "9223372036854775807.5",
        "9223372036854775808",
        "1e19",
        "10000000000000000000",
        "18446744073709551616",
        "1e30",
        "1000000000000000000000000000000",
        "1000000000000000000000000000001",
        "1e308",
        "1e309",
        "1e310",
        "11e309",
        "1e30000",
    ];

    fn values() -> Vec<Value> {
        FORMS.iter().map(|text| Value::number(text).unwrap()).collect()
    }

    #[test]
    fn the_order_is_total_and_in_line_with_equality_and_hashes() {
        let (values, state) = (values(), std::hash::RandomState::new());
        for a in &values {
            for b in &values {
                assert_eq!(a.cmp(b), b.cmp(a).reverse(), "{a} {b}");
                assert_eq!(a == b, a.cmp(b).is_eq(), "{a} {b}");
                assert!(a != b || state.hash_one(a) == state.hash_one(b), "{a} {b}");
                for c in &values {
                    assert!(!(a <= b && b <= c) || a <= c, "{a} {b} {c}");
                    assert!(!(a == b && b == c) || a == c, "{a} {b} {c}");
                }
            }
        }
    }

    /// `opa eval` says the same of each pair of them.
    #[test]
    fn forms_are_in_the_order_of_opa() {
        let values = values();
        assert!(values.is_sorted(), "{values:?}");
        assert_eq!(values.iter().collect::<HashSet<_>>().len(), 33);
    }

    /// Recorded from `opa eval`: `x == y`.
    #[test]
    fn operators_compare_as_opa_does() {
        for (a, b, equal) in [
            ("0.10000000000000000010", "0.10000000000000000000", true),
            ("0.10000000000000000010", "0.1", false),
            ("0.10000000000000000011", "0.10000000000000000010", false),
            ("1.2345678901234567891e+10", "1.2345678901234567892e+10", true),
            ("1.2345678901234567891e+11", "1.2345678901234567892e+11", false),
            ("0.10", "0.100", true),
        ] {
            let (a, b) = (Value::number(a).unwrap(), Value::number(b).unwrap());
            assert_eq!(compare_as_opa(&a, &b).is_eq(), equal, "{a} {b}");
        }
    }
}
