//! Times as texts, as Go's `Time.Format` writes them.

use chrono::{Datelike, NaiveDateTime, Timelike};

use super::layout::{self, Chunk, Digits, Fraction, Offset};
use super::moment::Moment;
use super::names;
use crate::builtins::BuiltinError;

/// An instant in a layout.
pub(super) fn format(moment: Moment, mut layout: &str) -> Result<String, BuiltinError> {
    let wall = moment.wall();
    let mut text = String::with_capacity(layout.len().saturating_add(10));
    while !layout.is_empty() {
        let (prefix, found, suffix) = layout::next(layout);
        text.push_str(prefix);
        let Some((_, chunk)) = found else { break };
        match chunk {
            Chunk::ZoneName => text.push_str(&moment.zone.abbreviation(moment.utc)?),
            Chunk::Offset(how) => push_offset(&mut text, moment.offset(), how),
            Chunk::Fraction(how) => push_fraction(&mut text, wall.nanosecond(), how),
            other => text.push_str(&written(wall, other)),
        }
        layout = suffix;
    }
    Ok(text)
}

fn written(wall: NaiveDateTime, chunk: Chunk) -> String {
    match chunk {
        Chunk::Year => format!("{:02}", wall.year().rem_euclid(100)),
        Chunk::LongYear => format!("{:04}", wall.year()),
        Chunk::Month => names::short(names::month(wall)).to_owned(),
        Chunk::LongMonth => names::month(wall).to_owned(),
        Chunk::WeekDay => names::short(names::week_day(wall)).to_owned(),
        Chunk::LongWeekDay => names::week_day(wall).to_owned(),
        Chunk::NumMonth(digits) => number(wall.month(), digits, 2),
        Chunk::Day(digits) => number(wall.day(), digits, 2),
        Chunk::YearDay(digits) => number(wall.ordinal(), digits, 3),
        Chunk::Hour => number(wall.hour(), Digits::Zero, 2),
        Chunk::Hour12(digits) => number(wall.hour12().1, digits, 2),
        Chunk::Minute(digits) => number(wall.minute(), digits, 2),
        Chunk::Second(digits) => number(wall.second(), digits, 2),
        Chunk::Half { upper } => match (wall.hour() >= 12, upper) {
            (true, true) => "PM".to_owned(),
            (true, false) => "pm".to_owned(),
            (false, true) => "AM".to_owned(),
            (false, false) => "am".to_owned(),
        },
        Chunk::ZoneName | Chunk::Offset(_) | Chunk::Fraction(_) => String::new(),
    }
}

fn number(number: u32, digits: Digits, width: usize) -> String {
    match digits {
        Digits::Bare => number.to_string(),
        Digits::Blank => format!("{number:width$}"),
        Digits::Zero => format!("{number:0width$}"),
    }
}

fn push_offset(text: &mut String, offset: i32, how: Offset) {
    if how.zulu && offset == 0 {
        text.push('Z');
        return;
    }
    // A minute's part west of UTC is written as east, as by Go.
    let minutes = offset / 60;
    let colon = if how.colon { ":" } else { "" };
    text.push(if minutes < 0 { '-' } else { '+' });
    text.push_str(&format!("{:02}", minutes.abs() / 60));
    if how.minutes {
        text.push_str(&format!("{colon}{:02}", minutes.abs() % 60));
    }
    if how.seconds {
        text.push_str(&format!("{colon}{:02}", offset.abs() % 60));
    }
}

fn push_fraction(text: &mut String, nanos: u32, how: Fraction) {
    if how.trim && (how.digits == 0 || nanos == 0) {
        return;
    }
    let digits = format!("{nanos:09}");
    let kept = digits.get(..how.digits.min(9)).unwrap_or_default();
    let kept = if how.trim { kept.trim_end_matches('0') } else { kept };
    if !how.trim || !kept.is_empty() {
        text.push(char::from(how.separator));
        text.push_str(kept);
    }
}
