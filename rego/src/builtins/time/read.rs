//! Pieces of a text that says a time: names, numbers, fractions and zones, as Go's `time` reads each.

use super::layout::{Digits, Fraction, Offset};

/// Why a piece cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    Bad,
    /// It is a number that cannot be.
    Range(&'static str),
}

/// The text behind a literal, in which blanks stand for any number of them; where it ends to be alike otherwise.
pub(super) fn skip<'t>(mut text: &'t [u8], mut literal: &[u8]) -> Result<&'t [u8], &'t [u8]> {
    while let Some((first, behind)) = literal.split_first() {
        if *first == b' ' {
            if text.first().is_some_and(|byte| *byte != b' ') {
                return Err(text);
            }
            (literal, text) = (without_blanks(literal), without_blanks(text));
            continue;
        }
        text = text.strip_prefix(&[*first]).ok_or(text)?;
        literal = behind;
    }
    Ok(text)
}

fn without_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(blanks..).unwrap_or_default()
}

/// A number, if it can be one.
pub(super) fn within(number: i64, least: i64, most: i64, what: &'static str) -> Result<i64, Fault> {
    if (least..=most).contains(&number) { Ok(number) } else { Err(Fault::Range(what)) }
}

/// A number of at most so many digits; with zeros, of exactly as many.
pub(super) fn number(mut text: &[u8], how: Digits, width: usize) -> Result<(i64, &[u8]), Fault> {
    if how == Digits::Blank {
        for _ in 1..width {
            text = text.strip_prefix(b" ").unwrap_or(text);
        }
    }
    let digits = text.iter().take(width).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || (how == Digits::Zero && digits != width) {
        return Err(Fault::Bad);
    }
    let (digits, rest) = text.split_at_checked(digits).ok_or(Fault::Bad)?;
    Ok((integer(digits).ok_or(Fault::Bad)?, rest))
}

/// Digits, with a sign or without.
fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

pub(super) fn short_year(text: &[u8]) -> Result<(i64, &[u8]), Fault> {
    let (digits, rest) = text.split_at_checked(2).ok_or(Fault::Bad)?;
    let year = integer(digits).ok_or(Fault::Bad)?;
    Ok((if year >= 69 { year + 1900 } else { year + 2000 }, rest))
}

pub(super) fn long_year(text: &[u8]) -> Result<(i64, &[u8]), Fault> {
    let (digits, rest) = text.split_at_checked(4).ok_or(Fault::Bad)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(Fault::Bad);
    }
    Ok((integer(digits).ok_or(Fault::Bad)?, rest))
}

/// The place of a name in any case, or of its first three letters.
pub(super) fn name<'t>(text: &'t [u8], names: &[&str], short: bool) -> Result<(i64, &'t [u8]), Fault> {
    for (place, name) in (0..).zip(names) {
        let name = if short { name.get(..3).unwrap_or(name) } else { name };
        if let Some((start, rest)) = text.split_at_checked(name.len())
            && start.eq_ignore_ascii_case(name.as_bytes())
        {
            return Ok((place, rest));
        }
    }
    Err(Fault::Bad)
}

/// Whether it is the afternoon.
pub(super) fn half(text: &[u8], upper: bool) -> Result<(bool, &[u8]), Fault> {
    let (letters, rest) = text.split_at_checked(2).ok_or(Fault::Bad)?;
    match (letters, upper) {
        (b"PM", true) | (b"pm", false) => Ok((true, rest)),
        (b"AM", true) | (b"am", false) => Ok((false, rest)),
        _ => Err(Fault::Bad),
    }
}

/// How many digits are behind the separator that a text begins with.
pub(super) fn fraction_digits(text: &[u8]) -> usize {
    match text.split_first() {
        Some((b'.' | b',', rest)) => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    }
}

/// A part of a second; none where it may be left out.
pub(super) fn fraction(text: &[u8], how: Fraction) -> Result<(Option<i64>, &[u8]), Fault> {
    let digits = if how.trim { fraction_digits(text) } else { how.digits };
    if how.trim && digits == 0 {
        return Ok((None, text));
    }
    let (fraction, rest) = text.split_at_checked(digits + 1).ok_or(Fault::Bad)?;
    Ok((Some(nanos(fraction)?), rest))
}

/// Nanoseconds of a separator with digits behind it, of which nine count.
pub(super) fn nanos(text: &[u8]) -> Result<i64, Fault> {
    let Some((b'.' | b',', digits)) = text.split_first() else { return Err(Fault::Bad) };
    let digits = digits.get(..digits.len().min(9)).unwrap_or_default();
    // Go reads a sign here, too, and no digits as nothing.
    let nanos = if matches!(digits, [] | b"+" | b"-") { 0 } else { integer(digits).ok_or(Fault::Bad)? };
    if nanos < 0 {
        return Err(Fault::Range("fractional second"));
    }
    Ok((digits.len()..9).fold(nanos, |nanos, _| nanos * 10))
}

/// Seconds east of UTC.
pub(super) fn offset(text: &[u8], how: Offset) -> Result<(i64, &[u8]), Fault> {
    let (sign, text) = text.split_first().ok_or(Fault::Bad)?;
    let part = |text, wanted: bool, first: bool| if wanted { two_digits(text, how.colon && !first) } else { Some((b"00", text)) };
    let (hours, rest) = part(text, true, true).ok_or(Fault::Bad)?;
    let (minutes, rest) = part(rest, how.minutes, false).ok_or(Fault::Bad)?;
    let (seconds, rest) = part(rest, how.seconds, false).ok_or(Fault::Bad)?;
    let number = |digits: &[u8; 2]| digits.iter().all(u8::is_ascii_digit).then(|| integer(digits)).flatten();
    // Beyond what can be: the number that is read last says it, before anything else that is wrong.
    let (hour, minute) = (number(hours), number(hours).and_then(|_| number(minutes)));
    let second = minute.and_then(|_| number(seconds));
    let parts =
        [(second, 60, "time zone offset second"), (minute, 60, "time zone offset minute"), (hour, 24, "time zone offset hour")];
    if let Some((_, _, what)) = parts.into_iter().find(|(number, most, _)| number.is_some_and(|number| number > *most)) {
        return Err(Fault::Range(what));
    }
    let (Some(hour), Some(minute), Some(second)) = (hour, minute, second) else { return Err(Fault::Bad) };
    let seconds = (hour * 60 + minute) * 60 + second;
    match sign {
        b'+' => Ok((seconds, rest)),
        b'-' => Ok((-seconds, rest)),
        _ => Err(Fault::Bad),
    }
}

/// Two bytes, behind a colon or not.
fn two_digits(text: &[u8], colon: bool) -> Option<(&[u8; 2], &[u8])> {
    let text = if colon { text.strip_prefix(b":")? } else { text };
    text.split_first_chunk::<2>()
}

/// The length of what looks like the name of a zone (`parseTimeZone`).
pub(super) fn zone_name(text: &[u8]) -> Option<usize> {
    let behind = |length: usize| text.get(length..).unwrap_or_default();
    let upper = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    match text {
        [b'U', b'T', b'C', ..] => Some(3),
        [_, _] | [_] | [] => None,
        [b'C' | b'M', b'h' | b'e', b'S', b'T', ..] if text.starts_with(b"ChST") || text.starts_with(b"MeST") => Some(4),
        [b'G', b'M', b'T', ..] => Some(3 + signed_hours(behind(3))),
        [b'+' | b'-', ..] => Some(signed_hours(text)).filter(|length| *length > 0),
        [_, _, _, b'T', ..] if upper == 4 => Some(4),
        _ if upper == 4 => text.starts_with(b"WITA").then_some(4),
        [_, _, _, _, b'T', ..] if upper == 5 => Some(5),
        _ => (upper == 3).then_some(3),
    }
}

/// The length of a sign with a number up to 23 behind it; none if it is something else.
fn signed_hours(text: &[u8]) -> usize {
    let Some((b'+' | b'-', rest)) = text.split_first() else { return 0 };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = rest.get(..digits).and_then(integer);
    if hours.is_some_and(|hours| hours <= 23) { digits + 1 } else { 0 }
}
