//! Durations and timestamps as Go reads them, which is stricter than the crate `cel`. Source: Go's `time.ParseDuration` and
//! `time.Parse` with `time.RFC3339`; the range of timestamps is that of cel-go, `common/types/timestamp.go`.

use cel::common::types::{CelDuration, CelInt, CelString, CelTimestamp};
use cel::parser::Macro;
use cel::{DeclarationError, Env, ExecutionError};
use chrono::{DateTime, Datelike, FixedOffset, TimeDelta, Utc};

use super::{failed, replace};

/// Nanoseconds of each unit; of two that begin alike the longer comes first.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    replace(env, Macro::global, ("duration", "@duration", 1))?;
    replace(env, Macro::global, ("timestamp", "@timestamp", 1))?;
    cel::add_overload!(env, fn duration: (CelString) -> Result<CelDuration>, name = "@duration")?;
    cel::add_overload!(env, fn same_duration: (CelDuration) -> CelDuration, name = "@duration")?;
    cel::add_overload!(env, fn timestamp: (CelString) -> Result<CelTimestamp>, name = "@timestamp")?;
    cel::add_overload!(env, fn since_1970: (CelInt) -> Result<CelTimestamp>, name = "@timestamp")?;
    cel::add_overload!(env, fn same_timestamp: (CelTimestamp) -> CelTimestamp, name = "@timestamp")?;
    cel::add_overload!(env, fn nanoseconds: (CelDuration) -> Result<CelInt>, name = "int", id = "duration_to_int64")
}

fn duration(text: &CelString<'_>) -> Result<CelDuration, ExecutionError> {
    let why = "type conversion error from 'string' to 'google.protobuf.Duration'";
    read_duration(text.inner()).map(CelDuration::from).ok_or_else(|| failed("duration", why))
}

fn same_duration(duration: &CelDuration) -> CelDuration {
    *duration
}

fn timestamp(text: &CelString<'_>) -> Result<CelTimestamp, ExecutionError> {
    let why = "type conversion error from 'string' to 'google.protobuf.Timestamp'";
    // Hours without a time zone are those of UTC, as upstream.
    let at = read_timestamp(text.inner()).map(|at| at.to_utc().fixed_offset());
    at.map(CelTimestamp::from).ok_or_else(|| failed("timestamp", why))
}

fn since_1970(seconds: &CelInt) -> Result<CelTimestamp, ExecutionError> {
    read_seconds(*seconds.inner()).map(CelTimestamp::from).ok_or_else(|| failed("timestamp", "timestamp overflow"))
}

fn same_timestamp(timestamp: &CelTimestamp) -> CelTimestamp {
    timestamp.clone()
}

fn nanoseconds(duration: &CelDuration) -> Result<CelInt, ExecutionError> {
    duration.inner().num_nanoseconds().map(CelInt::from).ok_or_else(|| failed("int", "integer overflow"))
}

/// Reads `1h30m`, `-1.5s`, `0`. `None` when it is no duration, or longer than 292 years.
pub(in crate::expression) fn read_duration(text: &str) -> Option<TimeDelta> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(TimeDelta::zero());
    }
    let mut total: i128 = 0;
    loop {
        let (nanoseconds, after) = part(rest)?;
        total = total.checked_add(nanoseconds)?;
        rest = after;
        if rest.is_empty() {
            return i64::try_from(sign * total).ok().map(TimeDelta::nanoseconds);
        }
    }
}

/// One number with its unit, in nanoseconds, and what follows.
fn part(text: &str) -> Option<(i128, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at_checked(end)?;
    let (_, each) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<i64>().ok().map(i128::from) };
    // Beyond 18 places nothing is left of a nanosecond of an hour's fraction.
    let fraction = fraction.get(..18).unwrap_or(fraction);
    let places = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    Some((number(whole)?.checked_mul(*each)? + number(fraction)? * each / places, rest))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Reads RFC 3339 as Go does: with `T` and `Z`, without leap seconds, in the years 1 to 9999.
pub(in crate::expression) fn read_timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    let at = |index: usize| text.as_bytes().get(index).copied();
    let has_form = at(10) == Some(b'T') && at(17) != Some(b'6') && !text.ends_with('z');
    DateTime::parse_from_rfc3339(text).ok().filter(|_| has_form).filter(in_range)
}

/// Reads seconds since 1970, in the same years.
pub(in crate::expression) fn read_seconds(seconds: i64) -> Option<DateTime<FixedOffset>> {
    DateTime::<Utc>::from_timestamp(seconds, 0).map(|at| at.fixed_offset()).filter(in_range)
}

fn in_range(at: &DateTime<FixedOffset>) -> bool {
    (1..=9999).contains(&at.with_timezone(&Utc).year())
}
