//! Values as Go prints them: some of upstream's messages show values with `%v`, `%#v` or `%q`, and clients see them.

use std::fmt::Write;

use serde_json::{Number, Value as Json};

/// A value in a message is cut here: a refused patch must not come back as an error of the same size.
const LONGEST: usize = 4096;

/// `%v`: `map[a:1 b:[x y]]`.
pub(super) fn plain(value: &Json) -> String {
    let mut text = String::new();
    write_plain(value, &mut text);
    cut(text)
}

/// `%#v` of what a JSON decoder makes: `map[string]interface {}{"a":1}`.
pub(super) fn syntax(value: &Json) -> String {
    let mut text = String::new();
    write_syntax(value, &mut text);
    cut(text)
}

/// `%T` of what a JSON decoder makes.
pub(super) fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_f64() => "float64",
        Json::Number(_) => "int64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

/// `%q`.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(text, &mut out);
    out
}

fn write_plain(value: &Json, out: &mut String) {
    match value {
        _ if out.len() > LONGEST => {}
        Json::Null => out.push_str("<nil>"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&self::number(number)),
        Json::String(text) => out.push_str(text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, ' ', out);
                write_plain(item, out);
            }
            out.push(']');
        }
        Json::Object(fields) => {
            out.push_str("map[");
            for (index, (name, field)) in fields.iter().enumerate() {
                separate(index, ' ', out);
                out.push_str(name);
                out.push(':');
                write_plain(field, out);
            }
            out.push(']');
        }
    }
}

fn write_syntax(value: &Json, out: &mut String) {
    match value {
        _ if out.len() > LONGEST => {}
        Json::String(text) => write_quoted(text, out),
        Json::Array(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                separate_widely(index, out);
                write_syntax(item, out);
            }
            out.push('}');
        }
        Json::Object(fields) => {
            out.push_str("map[string]interface {}{");
            for (index, (name, field)) in fields.iter().enumerate() {
                separate_widely(index, out);
                write_quoted(name, out);
                out.push(':');
                write_syntax(field, out);
            }
            out.push('}');
        }
        other => write_plain(other, out),
    }
}

fn separate(index: usize, separator: char, out: &mut String) {
    if index > 0 {
        out.push(separator);
    }
}

fn separate_widely(index: usize, out: &mut String) {
    if index > 0 {
        out.push_str(", ");
    }
}

/// As they were written, but a whole number without its fraction.
pub(super) fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            control if (control as u32) < 0x20 || control as u32 == 0x7f => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\x{:02x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// At the length that an error may have.
pub(super) fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_print_as_in_go() {
        let value = json!({"b": [1, 2.5, null], "a": {"x": true, "y": "z"}});
        assert_eq!(plain(&value), "map[a:map[x:true y:z] b:[1 2.5 <nil>]]");
        let expected =
            r#"map[string]interface {}{"a":map[string]interface {}{"x":true, "y":"z"}, "b":[]interface {}{1, 2.5, <nil>}}"#;
        assert_eq!(syntax(&value), expected);
        assert_eq!(quoted("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\x01é\"");
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        let text = plain(&json!("é".repeat(LONGEST)));
        assert!(text.len() <= LONGEST + '…'.len_utf8() && text.ends_with('…'));
    }
}
