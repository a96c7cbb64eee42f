//! Layouts of times: the pieces of Go's reference time in them (`nextStdChunk` of Go's `time/format.go`).

/// A piece of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chunk {
    LongMonth,
    Month,
    /// In two digits, or in as many as it has.
    NumMonth(Digits),
    LongWeekDay,
    WeekDay,
    Day(Digits),
    YearDay(Digits),
    Hour,
    Hour12(Digits),
    Minute(Digits),
    Second(Digits),
    LongYear,
    Year,
    /// `PM` or `pm`.
    Half {
        upper: bool,
    },
    ZoneName,
    Offset(Offset),
    Fraction(Fraction),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    Bare,
    /// Filled up with blanks.
    Blank,
    /// Filled up with zeros.
    Zero,
}

/// How the distance from UTC is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// UTC itself is `Z`.
    pub(super) zulu: bool,
    pub(super) colon: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// How a part of a second is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    /// Without zeros at the end.
    pub(super) trim: bool,
    pub(super) digits: usize,
    pub(super) separator: u8,
}

const fn offset(zulu: bool, colon: bool, minutes: bool, seconds: bool) -> Chunk {
    Chunk::Offset(Offset { zulu, colon, minutes, seconds })
}

/// Where one begins like another, the longer stands first.
const CHUNKS: [(&str, Chunk); 33] = [
    ("January", Chunk::LongMonth),
    ("Jan", Chunk::Month),
    ("Monday", Chunk::LongWeekDay),
    ("Mon", Chunk::WeekDay),
    ("MST", Chunk::ZoneName),
    ("01", Chunk::NumMonth(Digits::Zero)),
    ("02", Chunk::Day(Digits::Zero)),
    ("03", Chunk::Hour12(Digits::Zero)),
    ("04", Chunk::Minute(Digits::Zero)),
    ("05", Chunk::Second(Digits::Zero)),
    ("06", Chunk::Year),
    ("002", Chunk::YearDay(Digits::Zero)),
    ("15", Chunk::Hour),
    ("1", Chunk::NumMonth(Digits::Bare)),
    ("2006", Chunk::LongYear),
    ("2", Chunk::Day(Digits::Bare)),
    ("_2", Chunk::Day(Digits::Blank)),
    ("__2", Chunk::YearDay(Digits::Blank)),
    ("3", Chunk::Hour12(Digits::Bare)),
    ("4", Chunk::Minute(Digits::Bare)),
    ("5", Chunk::Second(Digits::Bare)),
    ("PM", Chunk::Half { upper: true }),
    ("pm", Chunk::Half { upper: false }),
    ("-070000", offset(false, false, true, true)),
    ("-07:00:00", offset(false, true, true, true)),
    ("-0700", offset(false, false, true, false)),
    ("-07:00", offset(false, true, true, false)),
    ("-07", offset(false, false, false, false)),
    ("Z070000", offset(true, false, true, true)),
    ("Z07:00:00", offset(true, true, true, true)),
    ("Z0700", offset(true, false, true, false)),
    ("Z07:00", offset(true, true, true, false)),
    ("Z07", offset(true, false, false, false)),
];

/// The text before the first piece, the piece as written and what it is, and the text behind it.
pub(super) fn next(layout: &str) -> (&str, Option<(&str, Chunk)>, &str) {
    for (at, first) in layout.bytes().enumerate() {
        // Of a piece, the first byte is ASCII.
        if !b"JM012_345Pp-Z.,".contains(&first) {
            continue;
        }
        let rest = layout.get(at..).unwrap_or_default();
        let found = if matches!(first, b'.' | b',') { fraction(rest, first) } else { named(rest) };
        if let Some((length, chunk)) = found {
            let (written, suffix) = rest.split_at_checked(length).unwrap_or_default();
            return (layout.get(..at).unwrap_or_default(), Some((written, chunk)), suffix);
        }
    }
    (layout, None, "")
}

/// The piece that a text begins with, and its length.
fn named(rest: &str) -> Option<(usize, Chunk)> {
    // `_2006` is a literal `_` before a year.
    let (text, chunk) = CHUNKS.iter().find(|(text, _)| rest.starts_with(text) && !rest.starts_with("_2006"))?;
    // "Janet" and "Month" are words.
    let word = rest.as_bytes().get(text.len()).is_some_and(u8::is_ascii_lowercase);
    let short = matches!(chunk, Chunk::Month | Chunk::WeekDay);
    (!(short && word)).then_some((text.len(), *chunk))
}

/// A separator, and zeros or nines that no other digit follows.
fn fraction(rest: &str, separator: u8) -> Option<(usize, Chunk)> {
    let bytes = rest.as_bytes().get(1..)?;
    let digit = bytes.first().copied().filter(|digit| matches!(digit, b'0' | b'9'))?;
    let digits = bytes.iter().take_while(|byte| **byte == digit).count();
    if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    // Go keeps twelve bits of the number.
    let fraction = Fraction { trim: digit == b'9', digits: digits & 0xfff, separator };
    Some((digits.saturating_add(1), Chunk::Fraction(fraction)))
}
