//! Instants of time as OPA takes them: nanoseconds since 1970, of 64 bits, with a zone and a layout (`tzTime`).

use crate::value::Value;
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Timelike};

use super::zone::Zone;
use crate::builtins::BuiltinError;
use crate::builtins::operand;

const EITHER: &str = "either number (ns) or [number (ns), string (tz)]";

/// Seconds of a day.
const DAY: i64 = 86_400;
/// How many years before the year 0 Go's time begins.
const FIRST_YEAR: u64 = 292_277_022_400;
/// Seconds from there, on the first of March, to 1970.
const TO_1970: i64 = 9_223_372_028_741_760_000;

/// An instant, seen in a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) utc: NaiveDateTime,
    pub(super) zone: Zone,
}

impl Moment {
    /// Of an operand, and the layout that comes with it. OPA counts every operand of these as its first.
    pub(super) fn of<'o>(operands: &[&'o Value], index: usize) -> Result<(Self, &'o str), BuiltinError> {
        let value = operand::at(operands, index)?;
        let parts = match value {
            Value::Array(parts) => parts.items(),
            Value::Int(_) | Value::Number(_) => std::slice::from_ref(value),
            other => return Err(operand::wrong(0, other, &[EITHER])),
        };
        let Some(nanos) = parts.first() else { return Err(operand::wrong(0, value, &[EITHER])) };
        if !nanos.is_number() {
            return Err(operand::wrong(0, nanos, &["number"]));
        }
        let zone = parts.get(1).map_or(Ok(Zone::Utc), |zone| Zone::named(text(zone)?))?;
        let layout = parts.get(2).map_or(Ok(""), text)?;
        let nanos = match nanos {
            Value::Number(number) => number.whole(),
            other => other.as_i64(),
        };
        let nanos = nanos.ok_or_else(|| BuiltinError::failed("timestamp too big"))?;
        Ok((Self { utc: DateTime::from_timestamp_nanos(nanos).naive_utc(), zone }, layout))
    }

    /// Seconds east of UTC.
    pub(super) fn offset(self) -> i32 {
        self.zone.offset(self.utc)
    }

    /// What clocks and calendars of the zone show.
    pub(super) fn wall(self) -> NaiveDateTime {
        self.utc.checked_add_signed(TimeDelta::seconds(i64::from(self.offset()))).unwrap_or(self.utc)
    }

    /// Years, months and days later; days that a month has not are those of the next, as in Go's `AddDate`. What 64 bits do not hold wraps
    /// around, as it does there: far too many days may end at a date that is near.
    pub(super) fn later(self, years: i64, months: i64, days: i64) -> Option<Self> {
        let wall = self.wall();
        let months = i64::from(wall.month0()).wrapping_add(months);
        let year = i64::from(wall.year()).wrapping_add(years).wrapping_add(months.div_euclid(12));
        let days = i64::from(wall.day0()).wrapping_add(days);
        let since = days_before(year, months.rem_euclid(12).unsigned_abs()).wrapping_add(days.cast_unsigned()).cast_signed();
        let seconds =
            since.wrapping_mul(DAY).wrapping_sub(TO_1970).wrapping_add(i64::from(wall.time().num_seconds_from_midnight()));
        let wall = DateTime::from_timestamp(seconds, wall.nanosecond())?.naive_utc();
        Some(Self { utc: self.zone.instant(wall)?, zone: self.zone })
    }
}

/// How many days there are before a month, counted from 0, since the beginning of Go's time (`time.go`, `dateToAbsDays`): its years have no
/// sign and begin in March.
fn days_before(year: i64, month: u64) -> u64 {
    let (year, month) = if month < 2 { (year.wrapping_sub(1), month.wrapping_add(13)) } else { (year, month.wrapping_add(1)) };
    let year = year.cast_unsigned().wrapping_add(FIRST_YEAR);
    let in_year = month.wrapping_mul(979).wrapping_sub(2919) >> 5;
    let in_century = (year % 100).wrapping_mul(1461) / 4;
    let centuries = (year / 100).wrapping_mul(146_097) / 4;
    centuries.wrapping_add(in_century).wrapping_add(in_year)
}

fn text(value: &Value) -> Result<&str, BuiltinError> {
    value.as_str().map(|text| text.as_str()).ok_or_else(|| operand::wrong(0, value, &["string"]))
}

/// Nanoseconds since 1970, if 64 bits hold them.
pub(super) fn nanos(utc: Option<NaiveDateTime>) -> Result<Option<Value>, BuiltinError> {
    let nanos = utc.and_then(|utc| utc.and_utc().timestamp_nanos_opt());
    nanos.map(|nanos| Some(Value::Int(nanos))).ok_or_else(|| BuiltinError::failed("time outside of valid range"))
}

/// Years, months, days, hours, minutes and seconds between two instants, by the calendar of the first's zone.
pub(super) fn between(one: Moment, other: Moment) -> [i64; 6] {
    let zone = one.zone;
    let (from, to) = if one.utc <= other.utc { (one.utc, other.utc) } else { (other.utc, one.utc) };
    let (from, to) = (Moment { utc: from, zone }.wall(), Moment { utc: to, zone }.wall());
    let parts = |at: NaiveDateTime| {
        let day = [i64::from(at.year()), i64::from(at.month()), i64::from(at.day())];
        (day, [i64::from(at.hour()), i64::from(at.minute()), i64::from(at.second())])
    };
    let (([y1, mo1, d1], [h1, mi1, s1]), ([y2, mo2, d2], [h2, mi2, s2])) = (parts(from), parts(to));
    let (second, minute) = borrowed(s2 - s1, mi2 - mi1, 60);
    let (minute, hour) = borrowed(minute, h2 - h1, 60);
    let (hour, day) = borrowed(hour, d2 - d1, 24);
    let (day, month) = borrowed(day, mo2 - mo1, i64::from(from.num_days_in_month()));
    let (month, year) = borrowed(month, y2 - y1, 12);
    [year, month, day, hour, minute, second]
}

/// A negative part takes one of the next.
fn borrowed(part: i64, next: i64, size: i64) -> (i64, i64) {
    if part < 0 { (part + size, next - 1) } else { (part, next) }
}
