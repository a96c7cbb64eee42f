//! Classes of characters (Go: `parseClass`, `perl_groups.go`), in the syntax of the `regex` crate.
//!
//! Go's `\d`, `\s`, `\w` and `[:name:]` are ASCII; the crate's are not. Every class becomes one in brackets whose characters
//! are codes, so that nothing in it means something else to the crate. Ignoring case is left to the crate: it folds as Go.

use super::escapes;
use super::reader::{CLASS_RANGE, MISSING_BRACKET, PatternError, Reader};
use super::unicode;

/// A class that holds nothing.
pub(super) const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

const DIGIT: &str = "0-9";
const SPACE: &str = r"\t\n\x{C}\r\x{20}";
const WORD: &str = "0-9A-Za-z_";

const POSIX: [(&str, &str); 14] = [
    ("alnum", "0-9A-Za-z"),
    ("alpha", "A-Za-z"),
    ("ascii", r"\x{0}-\x{7F}"),
    ("blank", r"\t\x{20}"),
    ("cntrl", r"\x{0}-\x{1F}\x{7F}"),
    ("digit", DIGIT),
    ("graph", r"\x{21}-\x{7E}"),
    ("lower", "a-z"),
    ("print", r"\x{20}-\x{7E}"),
    ("punct", r"\x{21}-\x{2F}\x{3A}-\x{40}\x{5B}-\x{60}\x{7B}-\x{7E}"),
    ("space", r"\x{9}-\x{D}\x{20}"),
    ("upper", "A-Z"),
    ("word", WORD),
    ("xdigit", "0-9A-Fa-f"),
];

/// The class whose `[` is next.
pub(super) fn bracketed(reader: &mut Reader<'_>) -> Result<String, PatternError> {
    let whole = reader.rest;
    reader.take("[");
    let mut class = String::from(if reader.take("^") { "[^" } else { "[" });
    // A `]` that is first is a character.
    let mut first = true;
    while first || !reader.rest.starts_with(']') {
        first = false;
        match group(reader)? {
            Some(group) => class.push_str(&group),
            None => class.push_str(&range(reader, whole)?),
        }
    }
    reader.take("]");
    class.push(']');
    Ok(class)
}

/// A class that stands inside brackets: `[:alpha:]`, `\pL`, `\d`.
fn group(reader: &mut Reader<'_>) -> Result<Option<String>, PatternError> {
    if let Some(class) = posix(reader)? {
        return Ok(Some(class));
    }
    escaped(reader)
}

/// `\pL` or `\d`, if it is next.
pub(super) fn escaped(reader: &mut Reader<'_>) -> Result<Option<String>, PatternError> {
    Ok(unicode::class(reader)?.or_else(|| perl(reader)))
}

fn perl(reader: &mut Reader<'_>) -> Option<String> {
    let (sign, ranges) = match reader.rest.strip_prefix('\\')?.chars().next()? {
        'd' => ("", DIGIT),
        'D' => ("^", DIGIT),
        's' => ("", SPACE),
        'S' => ("^", SPACE),
        'w' => ("", WORD),
        'W' => ("^", WORD),
        _ => return None,
    };
    reader.next();
    reader.next();
    Some(format!("[{sign}{ranges}]"))
}

fn posix(reader: &mut Reader<'_>) -> Result<Option<String>, PatternError> {
    let before = reader.rest;
    let Some((name, rest)) = before.strip_prefix("[:").and_then(|name| name.split_once(":]")) else { return Ok(None) };
    reader.rest = rest;
    let (sign, plain) = name.strip_prefix('^').map_or(("", name), |name| ("^", name));
    let ranges = POSIX.iter().find(|(known, _)| *known == plain).map(|(_, ranges)| ranges);
    let ranges = ranges.ok_or_else(|| PatternError::syntax(CLASS_RANGE, reader.since(before)))?;
    Ok(Some(format!("[{sign}{ranges}]")))
}

/// A character, or two with `-` between them; a `-` before the closing bracket is one itself.
fn range(reader: &mut Reader<'_>, whole: &str) -> Result<String, PatternError> {
    let before = reader.rest;
    let low = member(reader, whole)?;
    let mut high = low;
    if reader.rest.len() >= 2 && reader.rest.starts_with('-') && !reader.rest.starts_with("-]") {
        reader.take("-");
        high = member(reader, whole)?;
        if high < low {
            return Err(PatternError::syntax(CLASS_RANGE, reader.since(before)));
        }
    }
    Ok(codes(low, high))
}

fn member(reader: &mut Reader<'_>, whole: &str) -> Result<u32, PatternError> {
    if reader.rest.starts_with('\\') {
        return escapes::character(reader);
    }
    reader.next().map(u32::from).ok_or_else(|| PatternError::syntax(MISSING_BRACKET, whole))
}

/// The characters of a range: surrogates are none.
fn codes(low: u32, high: u32) -> String {
    let low = if char::from_u32(low).is_some() { low } else { 0xE000 };
    let high = if char::from_u32(high).is_some() { high } else { 0xD7FF };
    if low > high { NOTHING.to_owned() } else { format!(r"\x{{{low:X}}}-\x{{{high:X}}}") }
}
