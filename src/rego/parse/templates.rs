//! Template strings, which the interpreter's parser does not know: `$"cluster {name}"` is written as
//! `plimsoll__.template_string(["cluster ", plimsoll__.get({0: template_0 | template_0 := name}, 0, "<undefined>")])`. As in OPA, what is undefined
//! is written so, and what has several values is a conflict (opa `v1/ast/compile.go`, `rewriteTemplateStrings`).
//!
//! Rows stay what they are: line breaks inside a template come after it.

use super::minus;
use crate::rego::splice::Splices;

/// Templates inside one another.
const MAX_DEPTH: usize = 20;

/// Why a text has no templates written out, and where.
pub(super) type Refusal = (usize, String);

/// What writes the templates of a text out.
pub(super) fn write_out(text: &str) -> Result<Splices, Refusal> {
    if !text.contains("$\"") && !text.contains("$`") {
        return Ok(Splices::default());
    }
    let mut writer = Writer { text, prefix: prefix(text), count: 0, outermost: Splices::default() };
    writer.code(0, 0, false)?;
    Ok(writer.outermost)
}

/// What the names begin with that templates get in a text, and no other names.
pub(super) fn prefix(text: &str) -> String {
    let mut prefix = "template_".to_owned();
    while text.contains(&prefix) {
        prefix.push('_');
    }
    prefix
}

struct Writer<'t> {
    text: &'t str,
    prefix: String,
    count: usize,
    /// Templates that are in no other.
    outermost: Splices,
}

impl Writer<'_> {
    /// Code from a place on, to the end or, inside a template, to the brace that closes it.
    fn code(&mut self, from: usize, depth: usize, inside: bool) -> Result<(String, usize), Refusal> {
        let text = self.text;
        let (mut written, mut at, mut braces) = (String::new(), from, 0_usize);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let step = if rest.starts_with("$\"") || rest.starts_with("$`") {
                let (template, end) = self.template(at, depth.saturating_add(1))?;
                if !inside {
                    self.outermost.insert(at, end, template.clone());
                }
                written.push_str(&template);
                at = end;
                continue;
            } else if rest.starts_with(['"', '`']) {
                quoted(rest)
            } else if rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                match rest.chars().next() {
                    Some('{') => braces = braces.saturating_add(1),
                    Some('}') if inside && braces == 0 => return Ok((written, at)),
                    Some('}') => braces = braces.saturating_sub(1),
                    _ => {}
                }
                rest.chars().next().map_or(1, char::len_utf8)
            };
            written.push_str(rest.get(..step).unwrap_or(rest));
            at = at.saturating_add(step);
        }
        if inside { Err((from, "template-string expression is not closed".to_owned())) } else { Ok((written, at)) }
    }

    /// A template that begins at a place, and where it ends.
    fn template(&mut self, start: usize, depth: usize) -> Result<(String, usize), Refusal> {
        if depth > MAX_DEPTH {
            return Err((start, format!("more than {MAX_DEPTH} template-strings inside one another")));
        }
        let text = self.text;
        let raw = text.get(start..).is_some_and(|rest| rest.starts_with("$`"));
        let quote = if raw { '`' } else { '"' };
        let (mut literal, mut parts, mut at) = (String::new(), Vec::new(), start.saturating_add(2));
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let mut chars = rest.chars();
            match chars.next() {
                Some(c) if c == quote => break,
                Some('{') => {
                    let (part, end) = self.part(at.saturating_add(1), depth)?;
                    flush(&mut literal, &mut parts);
                    parts.push(part);
                    at = end.saturating_add(1);
                }
                Some('\\') if rest.starts_with("\\{") => {
                    literal.push('{');
                    at = at.saturating_add(2);
                }
                Some('\\') if !raw => {
                    let escaped = chars.next().map_or(1, |c| c.len_utf8().saturating_add(1));
                    literal.push_str(rest.get(..escaped).unwrap_or(rest));
                    at = at.saturating_add(escaped);
                }
                Some(c) if c != '\n' || raw => {
                    push_literal(c, raw, &mut literal);
                    at = at.saturating_add(c.len_utf8());
                }
                _ => return Err((start, "template-string is not closed".to_owned())),
            }
        }
        let end = at.saturating_add(1);
        let lines = text.get(start..end).map_or(0, |template| template.matches('\n').count());
        let inside = parts.iter().map(|part| part.matches('\n').count()).fold(0, usize::saturating_add);
        let breaks = "\n".repeat(lines.saturating_sub(inside));
        self.count = self.count.saturating_add(1);
        if parts.is_empty() && lines == 0 && !literal.is_empty() {
            // A constant may stand where no call may: in the arguments of a function.
            return Ok((format!("\"{}\"", marked(&literal)), end));
        }
        flush(&mut literal, &mut parts);
        Ok((format!("plimsoll__.template_string([{}]{breaks})", parts.join(", ")), end))
    }

    /// What stands in braces.
    fn part(&mut self, start: usize, depth: usize) -> Result<(String, usize), Refusal> {
        let (code, end) = self.code(start, depth, true)?;
        if code.trim().is_empty() {
            return Err((start, "template-string expression is empty".to_owned()));
        }
        let code = minus::write_out(&code, &Splices::default()).apply(&code).text;
        let name = format!("{}{}", self.prefix, self.count);
        self.count = self.count.saturating_add(1);
        Ok((format!("plimsoll__.get({{0: {name} | {name} := {code}}}, 0, \"<undefined>\")"), end))
    }
}

/// A template with nothing in braces, as a string that [`may_be_template`] knows.
fn marked(literal: &str) -> String {
    let mut chars = literal.chars();
    let (first, rest) = match (chars.next(), chars.as_str()) {
        (Some('\\'), rest) if rest.starts_with('u') => return literal.to_owned(),
        (Some('\\'), _) => {
            let escaped = match chars.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other @ ('"' | '\\' | '/')) => other,
                _ => return literal.to_owned(),
            };
            (escaped, chars.as_str())
        }
        (Some(first), rest) => (first, rest),
        (None, _) => return String::new(),
    };
    let units = first.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    units + rest
}

/// Whether a string may have been a template with nothing in braces, which OPA computes: its first character is escaped by number.
pub(in crate::rego) fn may_be_template(string: &str) -> bool {
    string.starts_with("\\u")
}

/// What was literal so far, as a string.
fn flush(literal: &mut String, parts: &mut Vec<String>) {
    if !literal.is_empty() {
        parts.push(format!("\"{}\"", std::mem::take(literal)));
    }
}

/// A character inside a quoted string.
fn push_literal(c: char, raw: bool, format: &mut String) {
    match c {
        '"' => format.push_str("\\\""),
        '\\' if raw => format.push_str("\\\\"),
        '\n' => format.push_str("\\n"),
        '\r' => format.push_str("\\r"),
        '\t' => format.push_str("\\t"),
        other => format.push(other),
    }
}

/// Length of a string with its quotes; one that is not closed ends with its line, or the text.
fn quoted(rest: &str) -> usize {
    let raw = rest.starts_with('`');
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '`' if raw => return at.saturating_add(1),
            _ if raw => {}
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at.saturating_add(1),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::write_out;

    fn part(name: &str, code: &str) -> String {
        format!("plimsoll__.get({{0: template_{name} | template_{name} := {code}}}, 0, \"<undefined>\")")
    }

    #[test]
    fn templates_become_calls() {
        for (text, expected) in [
            ("x := 1", None),
            ("x := \"$\" # $\"{a}\"", None),
            ("x := $\"\"", Some("x := plimsoll__.template_string([])".to_owned())),
            ("x := $\"ab\"", Some("x := \"\\u0061b\"".to_owned())),
            ("x := $\"\\nb\\n\"", Some("x := \"\\u000ab\\n\"".to_owned())),
            ("x := $\"\\u0061\"", Some("x := \"\\u0061\"".to_owned())),
            ("x := $`\u{1f600}`", Some("x := \"\\ud83d\\ude00\"".to_owned())),
            ("x := $\"50% \\{a} {b}\"", Some(format!("x := plimsoll__.template_string([\"50% {{a}} \", {}])", part("0", "b")))),
            ("x := $`a\"\n{b}`", Some(format!("x := plimsoll__.template_string([\"a\\\"\\n\", {}]\n)", part("0", "b")))),
            ("x := $\"{ {\"}\": 1} }\"", Some(format!("x := plimsoll__.template_string([{}])", part("0", " {\"}\": 1} ")))),
        ] {
            let splices = write_out(text).unwrap();
            assert_eq!((!splices.is_empty()).then(|| splices.apply(text).text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for text in ["x := $\"a", "x := $\"{a", "x := $\"{}\"", "x := $`a", &"$\"{".repeat(40)] {
            assert!(write_out(text).is_err(), "{text}");
        }
    }
}
