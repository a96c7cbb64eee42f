//! Times and durations (`v1/topdown/time.go`, on Go's `time`).

use chrono::{Datelike, Timelike};

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, Dependence, row};
use super::{Context, operand};
use crate::value::Value;
use moment::Moment;

mod duration;
mod format;
mod layout;
mod moment;
mod names;
pub(super) mod parse;
mod quote;
mod read;
mod zone;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("time.add_date", &[Type::Number, Type::Number, Type::Number, Type::Number], Some(Type::Number)).by(add_date),
    row(
        "time.clock",
        &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number])),
    )
    .by(clock),
    row(
        "time.date",
        &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number])),
    )
    .by(date),
    row(
        "time.diff",
        &[
            Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])]),
            Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])]),
        ],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number, Type::Number, Type::Number, Type::Number])),
    )
    .by(diff),
    row(
        "time.format",
        &[Type::Or(&[
            Type::Number,
            Type::Tuple(&[Type::Number, Type::String]),
            Type::Tuple(&[Type::Number, Type::String, Type::String]),
        ])],
        Some(Type::String),
    )
    .by(format),
    row("time.now_ns", &[], Some(Type::Number)).depends(Dependence::Clock).nondeterministic().by(now_ns),
    row("time.parse_duration_ns", &[Type::String], Some(Type::Number)).by(parse_duration_ns),
    row("time.parse_ns", &[Type::String, Type::String], Some(Type::Number)).by(parse_ns),
    row("time.parse_rfc3339_ns", &[Type::String], Some(Type::Number)).by(parse_rfc3339_ns),
    row("time.weekday", &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])], Some(Type::String)).by(weekday),
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

fn add_date(_: &mut Context, operands: &[&Value]) -> Answer {
    let (moment, _) = Moment::of(operands, 0)?;
    let [years, months, days] = [1, 2, 3].map(|index| operand::integer(operands, index));
    let later = moment.later(years?, months?, days?);
    moment::nanos(later.map(|later| later.utc))
}

fn clock(_: &mut Context, operands: &[&Value]) -> Answer {
    let wall = Moment::of(operands, 0)?.0.wall();
    Ok(Some(numbers([wall.hour(), wall.minute(), wall.second()].map(i64::from))))
}

fn date(_: &mut Context, operands: &[&Value]) -> Answer {
    let wall = Moment::of(operands, 0)?.0.wall();
    Ok(Some(numbers([i64::from(wall.year()), i64::from(wall.month()), i64::from(wall.day())])))
}

fn diff(_: &mut Context, operands: &[&Value]) -> Answer {
    let (one, other) = (Moment::of(operands, 0)?.0, Moment::of(operands, 1)?.0);
    Ok(Some(numbers(moment::between(one, other))))
}

fn numbers<const N: usize>(numbers: [i64; N]) -> Value {
    Value::array(numbers.map(Value::Int))
}

fn format(context: &mut Context, operands: &[&Value]) -> Answer {
    let (moment, text) = Moment::of(operands, 0)?;
    let layout = if text.is_empty() { RFC3339_NANO } else { layout(text) };
    // No piece of a layout is written with more than nine times its own letters (`1` as a month, `9` as nanoseconds).
    context.account.charge(layout.len().saturating_mul(9))?;
    Ok(Some(Value::string(format::format(moment, layout)?)))
}

fn now_ns(context: &mut Context, _: &[&Value]) -> Answer {
    Ok(Some(Value::Int(context.now_ns)))
}

fn parse_duration_ns(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    // Days, weeks and years are written anew, in hours.
    context.account.charge(text.len().saturating_mul(4))?;
    duration::nanos(text).map(|nanos| Some(Value::Int(nanos)))
}

fn parse_ns(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, value) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(text.len().saturating_add(value.len()))?;
    moment::nanos(parse::parse(layout(text), value)?)
}

fn parse_rfc3339_ns(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    moment::nanos(parse::parse(RFC3339, text)?)
}

fn weekday(_: &mut Context, operands: &[&Value]) -> Answer {
    Ok(Some(names::week_day(Moment::of(operands, 0)?.0.wall()).into()))
}
