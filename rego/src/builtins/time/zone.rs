//! Time zones: how far from UTC a zone is at an instant, and what its time is called then.

use chrono::{DateTime, Datelike, Local, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::{OffsetName, Tz};

use crate::builtins::BuiltinError;

/// The year before which the tables of the zones end; each zone has its last rules by then.
const END: i32 = 2100;
/// Any kind of year, leap or not, by the day it begins with, comes within 28.
const CYCLE: i32 = 28;

/// A time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    Utc,
    /// That of this machine.
    Local,
    Named(Tz),
}

impl Zone {
    /// The zone of a name.
    pub(super) fn named(name: &str) -> Result<Self, BuiltinError> {
        match name {
            "" | "UTC" => Ok(Self::Utc),
            "Local" => Ok(Self::Local),
            _ if name.contains("..") || name.starts_with(['/', '\\']) => Err(BuiltinError::failed("time: invalid location name")),
            _ => name.parse().map(Self::Named).map_err(|_| BuiltinError::failed(format!("unknown time zone {name}"))),
        }
    }

    /// Seconds east of UTC at an instant, itself in UTC.
    pub(super) fn offset(self, utc: NaiveDateTime) -> i32 {
        match self {
            Self::Utc => 0,
            Self::Local => Local.offset_from_utc_datetime(&utc).fix().local_minus_utc(),
            Self::Named(zone) => zone.offset_from_utc_datetime(&alike(zone, utc)).fix().local_minus_utc(),
        }
    }

    /// What the time of the zone is called at an instant.
    pub(super) fn abbreviation(self, utc: NaiveDateTime) -> Result<String, BuiltinError> {
        match self {
            Self::Utc => Ok("UTC".to_owned()),
            Self::Local if self.offset(utc) == 0 => Ok("UTC".to_owned()),
            Self::Local => Err(BuiltinError::failed("the name of the local time is not known; name its zone")),
            Self::Named(zone) => {
                let offset = zone.offset_from_utc_datetime(&alike(zone, utc));
                Ok(offset.abbreviation().map_or_else(|| offset.to_string(), str::to_owned))
            }
        }
    }

    /// The instant at which the zone's clocks show a time, as Go's `time.Date` finds it where they are put forward or back.
    pub(super) fn instant(self, wall: NaiveDateTime) -> Option<NaiveDateTime> {
        let guess = i64::from(self.offset(wall));
        if guess == 0 {
            return Some(wall);
        }
        let offset = self.offset(wall.checked_sub_signed(TimeDelta::seconds(guess))?);
        wall.checked_sub_signed(TimeDelta::seconds(i64::from(offset)))
    }
}

/// The same instant of a year that the tables have, and that has the same days of the week.
fn alike(zone: Tz, utc: NaiveDateTime) -> NaiveDateTime {
    if utc.year() < END {
        return utc;
    }
    if !changes(zone) {
        return DateTime::from_timestamp(beginning(END - 1), 0).map_or(utc, |last| last.naive_utc());
    }
    let kind = |year: i32| {
        let first = NaiveDate::from_ymd_opt(year, 1, 1);
        first.map(|first| (first.leap_year(), first.weekday()))
    };
    let year = (END - CYCLE..END).rev().find(|year| kind(*year) == kind(utc.year())).unwrap_or(END - 1);
    let since = TimeDelta::seconds(beginning(utc.year()) - beginning(year));
    utc.checked_sub_signed(since).unwrap_or(utc)
}

/// Whether a zone's clocks are put forward and back in the last year of the tables.
fn changes(zone: Tz) -> bool {
    let begins = beginning(END - 1);
    let offset = |day: i64| {
        let at = DateTime::from_timestamp(begins + day * 86_400, 0).map(|at| at.naive_utc());
        at.map(|at| zone.offset_from_utc_datetime(&at).fix().local_minus_utc())
    };
    (1..12).any(|month| offset(month * 30) != offset(0))
}

/// The first second of a year, since 1970.
fn beginning(year: i32) -> i64 {
    let first = NaiveDate::from_ymd_opt(year, 1, 1).and_then(|first| first.and_hms_opt(0, 0, 0));
    first.map_or(0, |first| first.and_utc().timestamp())
}
