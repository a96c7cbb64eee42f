//! Text in quotes, as Go's `strconv.Quote` writes it.

use std::fmt::Write;

use super::unprintable::is_printable;

/// Appends text in quotes.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            printable if is_printable(printable) => out.push(printable),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            other => escape(u32::from(other), out),
        }
    }
    out.push('"');
}

fn escape(code: u32, out: &mut String) {
    let written = match code {
        0..0x80 => write!(out, "\\x{code:02x}"),
        0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.unwrap_or(());
}
