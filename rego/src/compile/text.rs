//! Terms as messages show them (`v1/ast/term_appenders.go`).

use std::fmt::Write as _;

use super::vars::is_wildcard;
use crate::builtins;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term};

/// Words that no part of a reference is written as without brackets (`v1/ast/term.go`, `Keywords`).
const KEYWORDS: &[&str] = &[
    "as", "and", "contains", "data", "default", "else", "every", "false", "if", "import", "in", "input", "not", "null", "or",
    "package", "some", "true", "with",
];

/// A reference.
pub fn reference(parts: &[Term]) -> String {
    let mut text = String::new();
    write_reference(&mut text, parts);
    text
}

/// A term.
pub fn term(term: &Term) -> String {
    let mut text = String::new();
    write(&mut text, term);
    text
}

fn write_reference(into: &mut String, parts: &[Term]) {
    let Some((first, rest)) = parts.split_first() else { return };
    match &first.kind {
        Kind::String(name) => into.push_str(name),
        _ => write(into, first),
    }
    for part in rest {
        match &part.kind {
            Kind::String(name) if is_name(name) => {
                into.push('.');
                into.push_str(name);
            }
            Kind::String(name) if !name.chars().any(|c| c.is_control() || c == '\\') => {
                into.extend(["[\"", name.as_str(), "\"]"])
            }
            _ => {
                into.push('[');
                write(into, part);
                into.push(']');
            }
        }
    }
}

/// Whether text may stand behind a dot.
fn is_name(text: &str) -> bool {
    let word = |(at, byte): (usize, u8)| byte == b'_' || byte.is_ascii_alphabetic() || (at > 0 && byte.is_ascii_digit());
    !text.is_empty() && text.bytes().enumerate().all(word) && !KEYWORDS.contains(&text)
}

fn write(into: &mut String, term: &Term) {
    match &term.kind {
        Kind::Null => into.push_str("null"),
        Kind::Bool(value) => into.push_str(if *value { "true" } else { "false" }),
        Kind::Number(text) => into.push_str(text),
        Kind::String(text) => quote(into, text),
        Kind::Var(name) if is_wildcard(name) => into.push('_'),
        Kind::Var(name) => into.push_str(name),
        Kind::Ref(parts) => write_reference(into, parts),
        Kind::Array(items) => list(into, '[', items, ']'),
        Kind::Set(members) if members.is_empty() => into.push_str("set()"),
        Kind::Set(members) => list(into, '{', members, '}'),
        Kind::Object(members) => object(into, members),
        Kind::ArrayCompr(inner) => comprehension(into, '[', &[&inner.term], &inner.body, ']'),
        Kind::SetCompr(inner) => comprehension(into, '{', &[&inner.term], &inner.body, '}'),
        Kind::ObjectCompr(inner) => comprehension(into, '{', &[&inner.key, &inner.value], &inner.body, '}'),
        Kind::Call(parts) => call(into, parts),
        Kind::Template(_) => into.push_str("$\"…\""),
    }
}

fn list(into: &mut String, open: char, items: &[Term], close: char) {
    into.push(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            into.push_str(", ");
        }
        write(into, item);
    }
    into.push(close);
}

fn object(into: &mut String, members: &[(Term, Term)]) {
    into.push('{');
    for (at, (key, value)) in members.iter().enumerate() {
        if at > 0 {
            into.push_str(", ");
        }
        write(into, key);
        into.push_str(": ");
        write(into, value);
    }
    into.push('}');
}

fn comprehension(into: &mut String, open: char, heads: &[&Term], body: &[Expr], close: char) {
    into.push(open);
    for (at, head) in heads.iter().enumerate() {
        if at > 0 {
            into.push_str(": ");
        }
        write(into, head);
    }
    into.push_str(" | ");
    for (at, expr) in body.iter().enumerate() {
        if at > 0 {
            into.push_str("; ");
        }
        write_expr(into, expr);
    }
    into.push(close);
}

fn write_expr(into: &mut String, expr: &Expr) {
    if expr.negated {
        into.push_str("not ");
    }
    match &expr.kind {
        ExprKind::Term(inner) => write(into, inner),
        ExprKind::Call(parts) => infix(into, parts),
        _ => into.push('…'),
    }
    for with in &expr.with {
        into.push_str(" with ");
        write(into, &with.target);
        into.push_str(" as ");
        write(into, &with.value);
    }
}

/// An operator between its operands, or a call.
fn infix(into: &mut String, parts: &[Term]) {
    let operator = parts.first().map(term).and_then(|name| builtins::find(&name)).and_then(|builtin| builtin.infix);
    match (operator, parts) {
        (Some(operator), [_, left, right]) => {
            write(into, left);
            let _ = write!(into, " {operator} ");
            write(into, right);
        }
        _ => call(into, parts),
    }
}

fn call(into: &mut String, parts: &[Term]) {
    let Some((operator, operands)) = parts.split_first() else { return };
    write(into, operator);
    list(into, '(', operands, ')');
}

/// Text in quotes as Go's `strconv.Quote` writes it.
fn quote(into: &mut String, text: &str) {
    into.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => into.extend(['\\', c]),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            '\u{7}' => into.push_str("\\a"),
            '\u{8}' => into.push_str("\\b"),
            '\u{b}' => into.push_str("\\v"),
            '\u{c}' => into.push_str("\\f"),
            '\0'..='\u{1f}' | '\u{7f}' => drop(write!(into, "\\x{:02x}", u32::from(c))),
            c if c != ' ' && (c.is_control() || c.is_whitespace()) => drop(write!(into, "\\u{:04x}", u32::from(c))),
            c => into.push(c),
        }
    }
    into.push('"');
}

#[cfg(test)]
mod tests {
    use super::{Kind, Term, reference, term};
    use crate::syntax::span::Span;

    #[test]
    fn references_are_written_as_opa_writes_them() {
        let at = Span::default();
        let number = Term::new(at, Kind::Number("1".into()));
        let parts = [Term::var(at, "data"), Term::string(at, "a"), Term::string(at, "if"), Term::string(at, "a b"), number];
        assert_eq!(reference(&parts), r#"data.a["if"]["a b"][1]"#);
        assert_eq!(reference(&[Term::var(at, "x"), Term::var(at, "$1"), Term::string(at, "a\n")]), r#"x[_]["a\n"]"#);
        assert_eq!(term(&Term::new(at, Kind::Set(vec![]))), "set()");
    }
}
