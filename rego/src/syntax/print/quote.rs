//! Strings in quotes, as Go's `strconv.Quote` writes them.

use std::fmt::Write;

/// A string in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    escape(&mut out, text);
    out.push('"');
    out
}

/// The same without the quotes.
pub(super) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if is_printed(c) => out.push(c),
            c => other(out, c),
        }
    }
}

fn other(out: &mut String, c: char) {
    let code = u32::from(c);
    // Writing to a string never fails.
    let _ = match code {
        0..0x20 | 0x7f => write!(out, "\\x{code:02x}"),
        0..0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether Go prints a character as it is (`strconv.IsPrint`); Rust's own notion is the same but for white space and for
/// characters that combine.
fn is_printed(c: char) -> bool {
    match c {
        ' '..='~' => true,
        c if c.is_ascii() || c.is_whitespace() || c.is_control() => false,
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1ace}'
        | '\u{20d0}'..='\u{20f0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}' => true,
        c => c.escape_debug().len() == 1 || is_mark(c),
    }
}

/// Whether `escape_debug` escapes it only because it combines with what is in front of it.
fn is_mark(c: char) -> bool {
    let pair: String = ['a', c].iter().collect();
    pair.escape_debug().count() == 2
}
