//! `time.*` (OPA: `v1/topdown/time.go`, on Go's `time`), but for `time.now_ns`.

use chrono::{Datelike, Timelike};
use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};
use moment::Moment;

mod duration;
mod format;
mod layout;
mod moment;
mod names;
mod parse;
mod read;
mod zone;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "time.add_date", operands: 4, call: add_date },
    Builtin { name: "time.clock", operands: 1, call: clock },
    Builtin { name: "time.date", operands: 1, call: date },
    Builtin { name: "time.diff", operands: 2, call: diff },
    Builtin { name: "time.format", operands: 1, call: format },
    Builtin { name: "time.parse_duration_ns", operands: 1, call: parse_duration_ns },
    Builtin { name: "time.parse_ns", operands: 2, call: parse_ns },
    Builtin { name: "time.parse_rfc3339_ns", operands: 1, call: parse_rfc3339_ns },
    Builtin { name: "time.weekday", operands: 1, call: weekday },
];

const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";
/// Layouts that have a name in OPA.
const LAYOUTS: [(&str, &str); 10] = [
    ("ANSIC", "Mon Jan _2 15:04:05 2006"),
    ("UnixDate", "Mon Jan _2 15:04:05 MST 2006"),
    ("RubyDate", "Mon Jan 02 15:04:05 -0700 2006"),
    ("RFC822", "02 Jan 06 15:04 MST"),
    ("RFC822Z", "02 Jan 06 15:04 -0700"),
    ("RFC850", "Monday, 02-Jan-06 15:04:05 MST"),
    ("RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"),
    ("RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"),
    ("RFC3339", RFC3339),
    ("RFC3339Nano", RFC3339_NANO),
];

/// The layout of a name, or the text itself.
fn layout(text: &str) -> &str {
    LAYOUTS.into_iter().find(|(name, _)| *name == text).map_or(text, |(_, layout)| layout)
}

fn add_date(values: &[Value]) -> Result<Value, BuiltinError> {
    let (moment, _) = Moment::of(values, 1)?;
    let [years, months, days] = [2, 3, 4].map(|place| operand::integer(values, place));
    let later = moment.later(years?, months?, days?);
    moment::nanos(later.map(|later| later.utc))
}

fn clock(values: &[Value]) -> Result<Value, BuiltinError> {
    let wall = Moment::of(values, 1)?.0.wall();
    Ok(numbers([wall.hour(), wall.minute(), wall.second()].map(i64::from)))
}

fn date(values: &[Value]) -> Result<Value, BuiltinError> {
    let wall = Moment::of(values, 1)?.0.wall();
    Ok(numbers([i64::from(wall.year()), i64::from(wall.month()), i64::from(wall.day())]))
}

fn diff(values: &[Value]) -> Result<Value, BuiltinError> {
    let (one, other) = (Moment::of(values, 1)?.0, Moment::of(values, 2)?.0);
    Ok(numbers(moment::between(one, other)))
}

fn numbers<const N: usize>(numbers: [i64; N]) -> Value {
    numbers.map(Value::from).to_vec().into()
}

fn format(values: &[Value]) -> Result<Value, BuiltinError> {
    let (moment, text) = Moment::of(values, 1)?;
    let layout = if text.is_empty() { RFC3339_NANO } else { layout(text) };
    format::format(moment, layout).map(Value::from)
}

fn parse_duration_ns(values: &[Value]) -> Result<Value, BuiltinError> {
    duration::nanos(operand::string(values, 1)?).map(Value::from)
}

fn parse_ns(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, value) = (operand::string(values, 1)?, operand::string(values, 2)?);
    moment::nanos(parse::parse(layout(text), value)?)
}

fn parse_rfc3339_ns(values: &[Value]) -> Result<Value, BuiltinError> {
    moment::nanos(parse::parse(RFC3339, operand::string(values, 1)?)?)
}

fn weekday(values: &[Value]) -> Result<Value, BuiltinError> {
    Ok(Value::from(names::week_day(Moment::of(values, 1)?.0.wall())))
}
