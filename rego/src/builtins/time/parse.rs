//! Texts as times, as Go's `time.Parse` reads them where the local time is UTC.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};

use super::layout::{self, Chunk};
use super::quote::quoted;
use super::read::{self, Fault};
use crate::builtins::BuiltinError;

/// What was read so far.
#[derive(Debug, Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i64,
    /// `AM` or `PM`.
    afternoon: Option<bool>,
    /// It says that it is in UTC.
    utc: bool,
    /// Seconds east of UTC.
    offset: Option<i64>,
}

/// The instant that a text in a layout says.
pub(in crate::builtins) fn parse(layout: &str, text: &str) -> Result<Option<NaiveDateTime>, BuiltinError> {
    let parsing = |what: String| BuiltinError::failed(format!("parsing time {}{what}", quoted(text.as_bytes())));
    let wrong = |rest: &[u8], element: &str| {
        let (layout, rest, element) = (quoted(layout.as_bytes()), quoted(rest), quoted(element.as_bytes()));
        parsing(format!(" as {layout}: cannot parse {rest} as {element}"))
    };
    let (mut fields, mut rest, mut left) = (Fields::default(), text.as_bytes(), layout);
    loop {
        let (prefix, found, suffix) = layout::next(left);
        rest = read::skip(rest, prefix.as_bytes()).map_err(|rest| wrong(rest, prefix))?;
        let Some((written, chunk)) = found else { break };
        left = suffix;
        rest = match fields.read(chunk, rest, suffix) {
            Ok(behind) => behind,
            Err(Fault::Bad) => return Err(wrong(rest, written)),
            Err(Fault::Range(what)) => return Err(parsing(format!(": {what} out of range"))),
        };
    }
    if !rest.is_empty() {
        return Err(parsing(format!(": extra text: {}", quoted(rest))));
    }
    fields.instant().map_err(|what| parsing(format!(": {what}")))
}

impl Fields {
    /// Reads a piece; what is left of the text.
    fn read<'t>(&mut self, chunk: Chunk, text: &'t [u8], suffix: &str) -> Result<&'t [u8], Fault> {
        match chunk {
            Chunk::Hour | Chunk::Hour12(_) | Chunk::Minute(_) | Chunk::Second(_) | Chunk::Half { .. } => {
                self.read_clock(chunk, text, suffix)
            }
            Chunk::ZoneName | Chunk::Offset(_) => self.read_zone(chunk, text),
            Chunk::Fraction(how) => {
                let (nanos, rest) = read::fraction(text, how)?;
                self.nanos = nanos.unwrap_or(self.nanos);
                Ok(rest)
            }
            _ => self.read_date(chunk, text),
        }
    }

    fn read_date<'t>(&mut self, chunk: Chunk, text: &'t [u8]) -> Result<&'t [u8], Fault> {
        let (digits, width) = match chunk {
            Chunk::NumMonth(digits) | Chunk::Day(digits) => (digits, 2),
            Chunk::YearDay(digits) => (digits, 3),
            _ => return self.read_name(chunk, text),
        };
        let (number, rest) = read::number(text, digits, width)?;
        match chunk {
            Chunk::NumMonth(_) => self.month = Some(read::within(number, 1, 12, "month")?),
            Chunk::Day(_) => self.day = Some(number),
            _ => self.year_day = Some(number),
        }
        Ok(rest)
    }

    /// A year, or the name of a month or of a day.
    fn read_name<'t>(&mut self, chunk: Chunk, text: &'t [u8]) -> Result<&'t [u8], Fault> {
        let rest;
        match chunk {
            Chunk::Year => (self.year, rest) = read::short_year(text)?,
            Chunk::LongYear => (self.year, rest) = read::long_year(text)?,
            Chunk::Month | Chunk::LongMonth => {
                let place;
                (place, rest) = read::name(text, &super::names::MONTHS, chunk == Chunk::Month)?;
                self.month = Some(place + 1);
            }
            Chunk::WeekDay | Chunk::LongWeekDay => {
                rest = read::name(text, &super::names::WEEK_DAYS, chunk == Chunk::WeekDay)?.1;
            }
            _ => return Err(Fault::Bad),
        }
        Ok(rest)
    }

    fn read_clock<'t>(&mut self, chunk: Chunk, text: &'t [u8], suffix: &str) -> Result<&'t [u8], Fault> {
        let (number, rest) = match chunk {
            Chunk::Hour => read::number(text, layout::Digits::Bare, 2)?,
            Chunk::Hour12(digits) | Chunk::Minute(digits) | Chunk::Second(digits) => read::number(text, digits, 2)?,
            Chunk::Half { upper } => {
                let (afternoon, rest) = read::half(text, upper)?;
                // In a layout with two of them PM has it.
                self.afternoon = Some(afternoon || self.afternoon == Some(true));
                return Ok(rest);
            }
            _ => return Err(Fault::Bad),
        };
        match chunk {
            Chunk::Hour => self.hour = read::within(number, 0, 23, "hour")?,
            Chunk::Hour12(_) => self.hour = read::within(number, 0, 12, "hour")?,
            Chunk::Minute(_) => self.minute = read::within(number, 0, 59, "minute")?,
            _ => {
                self.second = read::within(number, 0, 59, "second")?;
                return self.read_parts(rest, suffix);
            }
        }
        Ok(rest)
    }

    /// A part of a second behind the second, also where the layout has none.
    fn read_parts<'t>(&mut self, text: &'t [u8], suffix: &str) -> Result<&'t [u8], Fault> {
        let digits = read::fraction_digits(text);
        let next = layout::next(suffix).1;
        if digits == 0 || next.is_some_and(|(_, chunk)| matches!(chunk, Chunk::Fraction(_))) {
            return Ok(text);
        }
        let (fraction, rest) = text.split_at_checked(digits + 1).ok_or(Fault::Bad)?;
        self.nanos = read::nanos(fraction)?;
        Ok(rest)
    }

    fn read_zone<'t>(&mut self, chunk: Chunk, text: &'t [u8]) -> Result<&'t [u8], Fault> {
        match chunk {
            Chunk::Offset(how) if how.zulu && text.starts_with(b"Z") => {
                self.utc = true;
                Ok(text.get(1..).unwrap_or_default())
            }
            Chunk::Offset(how) => {
                let (offset, rest) = read::offset(text, how)?;
                // Go keeps -1 for none.
                self.offset = Some(offset).filter(|offset| *offset != -1);
                Ok(rest)
            }
            _ => {
                let length = read::zone_name(text).ok_or(Fault::Bad)?;
                self.utc |= text.starts_with(b"UTC");
                // How far a zone of that name is, Go does not know: it takes it for UTC.
                Ok(text.get(length..).unwrap_or_default())
            }
        }
    }

    fn instant(&self) -> Result<Option<NaiveDateTime>, &'static str> {
        let hour = match self.afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let midnight = self.date()?.and_time(chrono::NaiveTime::MIN);
        let offset = if self.utc { 0 } else { self.offset.unwrap_or_default() };
        let seconds = (hour * 60 + self.minute) * 60 + self.second - offset;
        let since = TimeDelta::seconds(seconds) + TimeDelta::nanoseconds(self.nanos);
        Ok(midnight.checked_add_signed(since))
    }

    fn date(&self) -> Result<NaiveDate, &'static str> {
        let year = i32::try_from(self.year).unwrap_or(i32::MAX);
        let Some(day) = self.year_day else {
            let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
            let (month, day) = (u32::try_from(month).unwrap_or(0), u32::try_from(day).unwrap_or(0));
            return NaiveDate::from_ymd_opt(year, month, day).ok_or("day out of range");
        };
        let day = u32::try_from(day).ok().and_then(|day| NaiveDate::from_yo_opt(year, day));
        let date = day.ok_or("day-of-year out of range")?;
        let (month, day) = {
            use chrono::Datelike;
            (i64::from(date.month()), i64::from(date.day()))
        };
        match (self.month, self.day) {
            (Some(other), _) if other != month => Err("day-of-year does not match month"),
            (_, Some(other)) if other != day => Err("day-of-year does not match day"),
            _ => Ok(date),
        }
    }
}
