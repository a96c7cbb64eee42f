//! Texts that Go reads into types of their own: times and bytes. Source: `apimachinery/pkg/apis/meta/v1`, Go's
//! `encoding/base64`.

use base64::Engine as _;
use thiserror::Error;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::resources::schema::Schema;

/// Why a text is not of its format, in Go's words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FormatError {
    /// No time of RFC 3339, or one of the wrong precision.
    #[error("parsing time \"{text}\" as \"{layout}\": cannot parse \"{rest}\" as \"{part}\"")]
    Time {
        /// The whole text.
        text: String,
        /// What it should look like.
        layout: &'static str,
        /// Where Go stops.
        rest: String,
        /// What it should look like there.
        part: &'static str,
    },
    /// No base64, from this byte on.
    #[error("illegal base64 data at input byte {0}")]
    Base64(usize),
}

/// Times are written in UTC, in whole seconds; `MicroTime` has six more digits, no more and no less.
pub(super) fn time(text: &str, schema: &Schema) -> Result<String, FormatError> {
    let micro = schema.definition.as_deref().is_some_and(|name| name.ends_with(".MicroTime"));
    let layout = if micro { "2006-01-02T15:04:05.000000Z07:00" } else { "2006-01-02T15:04:05Z07:00" };
    let malformed = |rest: &str, part| FormatError::Time { text: text.into(), layout, rest: rest.into(), part };
    let parsed = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| malformed(text, "2006"))?;
    if micro {
        let fraction = text.get(19..).unwrap_or_default();
        let digits = fraction.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        match digits {
            6 => {}
            7.. => return Err(malformed(fraction.get(7..).unwrap_or_default(), "Z07:00")),
            _ => return Err(malformed(fraction, ".000000")),
        }
    }
    let utc = parsed.to_offset(time::UtcOffset::UTC);
    let (date, clock) = (utc.date(), utc.time());
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    let (hour, minute, second) = (clock.hour(), clock.minute(), clock.second());
    let fraction = if micro { format!(".{:06}", clock.microsecond()) } else { String::new() };
    Ok(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

/// Go's decoder drops line breaks; everything else must be standard base64.
pub(super) fn base64(text: &str) -> Result<String, FormatError> {
    let engine = &base64::engine::general_purpose::STANDARD;
    let packed: String = text.chars().filter(|c| *c != '\n' && *c != '\r').collect();
    match engine.decode(&packed) {
        Ok(_) => Ok(packed),
        Err(_) => Err(FormatError::Base64(first_fault(&packed))),
    }
}

/// Where Go's decoder stops.
fn first_fault(text: &str) -> usize {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    text.chars().position(|c| !inside(c)).unwrap_or(text.len() - text.len() % 4)
}
