//! Names of months and of the days of the week, which Go reads and writes in English only.

use chrono::{Datelike, NaiveDateTime};

pub(super) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
pub(super) const WEEK_DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The name of the month of a time.
pub(super) fn month(wall: NaiveDateTime) -> &'static str {
    at(&MONTHS, wall.month0())
}

/// The name of the day of the week of a time.
pub(super) fn week_day(wall: NaiveDateTime) -> &'static str {
    at(&WEEK_DAYS, wall.weekday().num_days_from_sunday())
}

/// The first three letters.
pub(super) fn short(name: &'static str) -> &'static str {
    name.get(..3).unwrap_or(name)
}

fn at(names: &[&'static str], place: u32) -> &'static str {
    usize::try_from(place).ok().and_then(|place| names.get(place)).copied().unwrap_or_default()
}
