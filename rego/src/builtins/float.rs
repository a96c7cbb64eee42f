//! Floats as Go writes them (`strconv/ftoa.go`).

use crate::value::number::shortest;

/// No double has more digits than this; the rest are zeros.
const DIGITS: usize = 1_100;

/// `1.5e7` as `1.5e+07`.
pub(super) fn go_exponent(written: &str) -> String {
    let (mantissa, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: an exponent where the number is small or long, as few digits as there must be.
pub(super) fn general(value: f64, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.clamp(1, DIGITS));
    let written = match precision {
        Some(precision) => format!("{value:.*e}", precision.saturating_sub(1)),
        None => shortest::exponential(value),
    };
    let (mantissa, power) = written.split_once('e').unwrap_or((&written, "0"));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let power: i64 = power.parse().unwrap_or(0);
    let count = i64::try_from(mantissa.len().saturating_sub(usize::from(mantissa.contains('.')))).unwrap_or(i64::MAX);
    let most = match precision.map(|precision| i64::try_from(precision).unwrap_or(i64::MAX)) {
        None => 6,
        Some(precision) if precision > count && count > power => count,
        Some(precision) => precision,
    };
    if power < -4 || power >= most {
        return go_exponent(&format!("{mantissa}e{power}"));
    }
    let decimals = usize::try_from(count.saturating_sub(1).saturating_sub(power)).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// As Go's `encoding/json` writes it: plain between 1e-6 and 1e21. Only for numbers that are finite.
pub(super) fn json(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return shortest::exponential(float).replacen("e-0", "e-", 1);
    }
    shortest::fixed(float)
}
