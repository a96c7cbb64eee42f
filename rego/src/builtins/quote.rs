//! Text in quotes (Go: `strconv/quote.go`).

use std::sync::LazyLock;

use regex::Regex;

use crate::builtins::bytes;

/// What Go's `strconv.IsPrint` says of characters beyond ASCII: letters, marks, numbers, punctuation and symbols of Unicode 15.0.
static PRINTABLE: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| Regex::new(r"^[[\pL\pM\pN\pP\pS]&&\p{age:15.0}]$"));

/// Whether Go writes a character as it is.
pub(super) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    PRINTABLE.as_ref().is_ok_and(|printable| printable.is_match(c.encode_utf8(&mut [0; 4])))
}

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
            c => escape(c, &mut out),
        }
    }
    out.push(quote);
    out
}

fn escape(c: char, out: &mut String) {
    match c {
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        c => out.push_str(&match (bytes::byte(c), u32::from(c)) {
            (Some(byte), _) => format!("\\x{byte:02x}"),
            (None, code @ ..0x1_0000) => format!("\\u{code:04x}"),
            (None, code) => format!("\\U{code:08x}"),
        }),
    }
}
