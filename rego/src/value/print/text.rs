//! Text in quotes, as Go's `strconv.Quote` writes it.

use std::fmt::{self, Write};
use std::sync::LazyLock;

use regex::Regex;

use super::super::text::byte;

/// What Go's `strconv.IsPrint` says of characters beyond ASCII: letters, marks, numbers, punctuation and symbols of Unicode 15.0.
static PRINTABLE: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| Regex::new(r"^[[\pL\pM\pN\pP\pS]&&\p{age:15.0}]$"));

/// Whether Go writes a character as it is.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    PRINTABLE.as_ref().is_ok_and(|printable| printable.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Writes text in quotes.
pub(super) fn quote<W: Write>(text: &str, out: &mut W) -> fmt::Result {
    out.write_char('"')?;
    escaped(text, out)?;
    out.write_char('"')
}

/// Writes text as it stands between quotes: pieces that need no escape, and escapes between them.
pub(crate) fn escaped<W: Write>(text: &str, out: &mut W) -> fmt::Result {
    let mut from = 0;
    for (at, character) in text.char_indices() {
        if is_printable(character) && !matches!(character, '"' | '\\') {
            continue;
        }
        out.write_str(text.get(from..at).unwrap_or_default())?;
        from = at.saturating_add(character.len_utf8());
        escape(character, out)?;
    }
    out.write_str(text.get(from..).unwrap_or_default())
}

/// Writes a character that is not printable, or has a meaning between quotes.
pub(crate) fn escape<W: Write>(character: char, out: &mut W) -> fmt::Result {
    match character {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\u{7}' => out.write_str("\\a"),
        '\u{8}' => out.write_str("\\b"),
        '\u{c}' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\u{b}' => out.write_str("\\v"),
        other => match (byte(other), u32::from(other)) {
            (Some(byte), _) => write!(out, "\\x{byte:02x}"),
            (None, code @ 0..0x80) => write!(out, "\\x{code:02x}"),
            (None, code @ 0x80..0x1_0000) => write!(out, "\\u{code:04x}"),
            (None, code) => write!(out, "\\U{code:08x}"),
        },
    }
}
