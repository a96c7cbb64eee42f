//! Text in quotes (Go: `strconv/quote.go`).

use crate::builtins::bytes;
use crate::value::print::escape;
pub(super) use crate::value::print::is_printable;

/// A string in double quotes.
pub(super) fn quote(text: &str) -> String {
    quoted(text, '"', is_printable)
}

/// The same in ASCII.
pub(super) fn ascii(text: &str) -> String {
    quoted(text, '"', |c| c.is_ascii() && is_printable(c))
}

/// A character in single quotes.
pub(super) fn character(c: char, ascii: bool) -> String {
    let text = c.encode_utf8(&mut [0; 4]).to_owned();
    quoted(&text, '\'', |c| is_printable(c) && (c.is_ascii() || !ascii))
}

/// Whether a text can stand between backquotes.
pub(super) fn can_backquote(text: &str) -> bool {
    !text.chars().any(|c| matches!(c, '\u{feff}' | '`' | '\u{7f}') || c < ' ' && c != '\t' || bytes::byte(c).is_some())
}

fn quoted(text: &str, quote: char, is_plain: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if is_plain(c) => out.push(c),
            // Writing to a string never fails.
            c => escape(c, &mut out).unwrap_or(()),
        }
    }
    out.push(quote);
    out
}
