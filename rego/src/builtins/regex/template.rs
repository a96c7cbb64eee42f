//! `regex.template_match`: expressions between delimiters in a text (OPA: `v1/topdown/regex_template.go`).

use super::compiled::compiled;
use crate::builtins::{BuiltinError, Context, quote};

/// The expression for the whole of a template.
pub(super) fn pattern(context: &mut Context, template: &str, start: &str, end: &str) -> Result<String, BuiltinError> {
    let (start, end) = (delimiter(start, start, "start")?, delimiter(end, start, "end")?);
    let mut pattern = String::from("^");
    let mut written = 0;
    for (from, to) in delimited(template, start, end)? {
        let expression = template.get(from + 1..to).unwrap_or_default();
        pattern.push_str(&quoted(template.get(written..from).unwrap_or_default()));
        pattern.extend(["(", expression, ")"]);
        // Each for itself too: `a)(b` is none.
        compiled(context, &format!("^{expression}$"))?;
        written = to + 1;
    }
    pattern.push_str(&quoted(template.get(written..).unwrap_or_default()));
    pattern.push('$');
    Ok(pattern)
}

/// A delimiter is one byte. OPA tells the length of the first for both.
fn delimiter(text: &str, first: &str, which: &str) -> Result<u8, BuiltinError> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => {
            let length = first.len();
            let message = format!("{which} delimiter has to be exactly one character long but is {length} long");
            Err(BuiltinError::failed(message))
        }
    }
}

/// Where the outermost delimiters are.
fn delimited(template: &str, start: u8, end: u8) -> Result<Vec<(usize, usize)>, BuiltinError> {
    let unbalanced = || BuiltinError::failed(format!("unbalanced braces in {}", quote::quote(template)));
    let (mut level, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in template.bytes().enumerate() {
        if byte == start {
            level += 1;
            if level == 1 {
                from = at;
            }
        } else if byte == end {
            level = level.checked_sub(1).ok_or_else(unbalanced)?;
            if level == 0 {
                found.push((from, at));
            }
        }
    }
    if level == 0 { Ok(found) } else { Err(unbalanced()) }
}

/// Go's `QuoteMeta`.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted
}
