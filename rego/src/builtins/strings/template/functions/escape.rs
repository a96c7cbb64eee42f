//! What stands for a character in HTML and in JavaScript.

use crate::builtins::quote;

pub(super) fn html(c: char) -> Option<&'static str> {
    Some(match c {
        '\0' => "\u{fffd}",
        '"' => "&#34;",
        '\'' => "&#39;",
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        _ => return None,
    })
}

pub(super) fn js(c: char) -> Option<String> {
    Some(match c {
        '\\' => "\\\\".into(),
        '\'' => "\\'".into(),
        '"' => "\\\"".into(),
        '<' => "\\u003C".into(),
        '>' => "\\u003E".into(),
        '&' => "\\u0026".into(),
        '=' => "\\u003D".into(),
        c if c < ' ' || !c.is_ascii() && !quote::is_printable(c) => format!("\\u{:04X}", u32::from(c)),
        _ => return None,
    })
}
