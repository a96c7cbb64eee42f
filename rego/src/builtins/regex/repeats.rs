//! Repetitions: `*`, `+`, `?`, `{2}`, `{2,}`, `{2,3}` (Go: `parseRepeat`, `repeatIsValid`).

use std::fmt;

use super::reader::{PatternError, Reader};

/// More than this is refused by Go, also as the product of repetitions inside one another.
const MOST: u32 = 1000;

/// How often.
pub(super) enum Repeat {
    /// `*`, `+` or `?`.
    Sign(char),
    /// In braces; without the second number there is no end.
    Count(u32, Option<u32>),
}

impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sign(sign) => write!(f, "{sign}"),
            Self::Count(least, None) => write!(f, "{{{least},}}"),
            Self::Count(least, Some(most)) => write!(f, "{{{least},{most}}}"),
        }
    }
}

impl Repeat {
    /// How often what is repeated is written out.
    pub(super) fn times(&self) -> u64 {
        match self {
            Self::Sign(_) => 1,
            Self::Count(least, most) => most.unwrap_or(*least).max(1).into(),
        }
    }

    /// How many copies the repetition makes of what is that many copies already, if Go makes so many.
    pub(super) fn copies(&self, inside: u32) -> Option<u32> {
        match self {
            Self::Sign(_) | Self::Count(0, None) => Some(inside),
            Self::Count(_, Some(0)) => Some(1),
            Self::Count(least, most) => {
                let times = most.unwrap_or(*least);
                let copies = inside.saturating_mul(times);
                (times < 2 || copies <= MOST).then_some(copies)
            }
        }
    }
}

/// The repetition, if one is next. Braces that are none are characters.
pub(super) fn next(reader: &mut Reader<'_>) -> Result<Option<Repeat>, PatternError> {
    let before = reader.rest;
    match before.chars().next() {
        Some(sign @ ('*' | '+' | '?')) => {
            reader.next();
            Ok(Some(Repeat::Sign(sign)))
        }
        Some('{') => match count(reader) {
            Some((least, most)) if least <= MOST && most.is_none_or(|most| least <= most && most <= MOST) => {
                Ok(Some(Repeat::Count(least, most)))
            }
            Some(_) => Err(PatternError::syntax("invalid repeat count", reader.since(before))),
            None => {
                reader.rest = before;
                Ok(None)
            }
        },
        _ => Ok(None),
    }
}

fn count(reader: &mut Reader<'_>) -> Option<(u32, Option<u32>)> {
    reader.take("{");
    let least = number(reader)?;
    let most = if !reader.take(",") {
        Some(least)
    } else if reader.rest.starts_with('}') {
        None
    } else {
        Some(number(reader)?)
    };
    reader.take("}").then_some((least, most))
}

/// Digits without a zero before them; too many of them are a large number.
fn number(reader: &mut Reader<'_>) -> Option<u32> {
    let before = reader.rest;
    reader.rest = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = reader.since(before);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}
