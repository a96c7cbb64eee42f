//! Trees as OPA writes them in messages (`v1/ast/term_appenders.go`, `v1/ast/policy_appenders.go`): on one line, calls and operators alike.

mod bodies;

pub use bodies::{of_body, of_expr};

use super::tree::{Kind, Template, TemplatePart, Term};
use crate::builtins;

/// Words that are no names (`v1/ast/policy.go`, `Keywords`).
const KEYWORDS: &[&str] = &[
    "not", "package", "import", "as", "default", "else", "with", "null", "true", "false", "some", "contains", "if", "in", "every",
];

/// A term.
pub fn of_term(term: &Term) -> String {
    let mut out = String::new();
    write_term(&mut out, term);
    out
}

/// A reference.
pub fn of_ref(parts: &[Term]) -> String {
    let mut out = String::new();
    write_ref(&mut out, parts);
    out
}

fn write_term(out: &mut String, term: &Term) {
    match &term.kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Number(text) => out.push_str(text),
        Kind::String(text) => write_quoted(out, text),
        Kind::Var(name) => out.push_str(if name.starts_with('$') { "_" } else { name }),
        Kind::Ref(parts) => write_ref(out, parts),
        Kind::Array(items) => write_list(out, "[", items, "]"),
        Kind::Set(members) if members.is_empty() => out.push_str("set()"),
        Kind::Set(members) => write_list(out, "{", members, "}"),
        Kind::Object(members) => write_members(out, members),
        Kind::Call(parts) => write_call(out, parts),
        Kind::Template(template) => write_template(out, template),
        Kind::ArrayCompr(inner) => write_comprehension(out, "[", &[&inner.term], &inner.body, "]"),
        Kind::SetCompr(inner) => write_comprehension(out, "{", &[&inner.term], &inner.body, "}"),
        Kind::ObjectCompr(inner) => write_comprehension(out, "{", &[&inner.key, &inner.value], &inner.body, "}"),
    }
}

fn write_list(out: &mut String, open: &str, terms: &[Term], close: &str) {
    out.push_str(open);
    for (index, term) in terms.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_term(out, term);
    }
    out.push_str(close);
}

fn write_members(out: &mut String, members: &[(Term, Term)]) {
    out.push('{');
    for (index, (key, value)) in members.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_term(out, key);
        out.push_str(": ");
        write_term(out, value);
    }
    out.push('}');
}

fn write_call(out: &mut String, parts: &[Term]) {
    if let Some((operator, operands)) = parts.split_first() {
        write_term(out, operator);
        write_list(out, "(", operands, ")");
    }
}

fn write_ref(out: &mut String, parts: &[Term]) {
    let Some((first, rest)) = parts.split_first() else { return };
    match &first.kind {
        Kind::String(text) => out.push_str(text),
        _ => write_term(out, first),
    }
    let builtin = is_builtin(parts);
    for part in rest {
        match &part.kind {
            Kind::String(text) if builtin || is_name(text) => {
                out.push('.');
                out.push_str(text);
            }
            Kind::String(text) if !text.contains(|c: char| c == '\\' || c.is_control()) => {
                out.push_str("[\"");
                out.push_str(text);
                out.push_str("\"]");
            }
            _ => write_list(out, "[", std::slice::from_ref(part), "]"),
        }
    }
}

/// Whether a reference is the name of a builtin; its parts may be keywords.
fn is_builtin(parts: &[Term]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    let Some(name) = first.as_var() else { return false };
    let mut name = String::from(name.as_str());
    for part in rest {
        let Some(part) = part.as_str() else { return false };
        name.push('.');
        name.push_str(part);
    }
    builtins::find(&name).is_some()
}

/// Whether text may follow a dot.
fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(letter)
        && text.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
        && !KEYWORDS.contains(&text)
}

/// As Go's `strconv.Quote`.
fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
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
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_template(out: &mut String, template: &Template) {
    out.push_str("$\"");
    for part in &template.parts {
        match part {
            TemplatePart::Text(Term { kind: Kind::String(text), .. }) => out.push_str(&text.replace('{', "\\{")),
            TemplatePart::Text(term) => write_term(out, term),
            TemplatePart::Expr(expr) => {
                out.push('{');
                bodies::write_expr(out, expr);
                out.push('}');
            }
        }
    }
    out.push('"');
}

fn write_comprehension(out: &mut String, open: &str, terms: &[&Term], body: &[super::tree::Expr], close: &str) {
    out.push_str(open);
    for (index, term) in terms.iter().enumerate() {
        out.push_str(if index > 0 { ": " } else { "" });
        write_infix(out, term);
    }
    out.push_str(" | ");
    bodies::write_body(out, body);
    out.push_str(close);
}

/// The head of a comprehension: operators between their operands (`appendComprehensionTerm`).
fn write_infix(out: &mut String, term: &Term) {
    if let Kind::Call(parts) = &term.kind
        && let [operator, left, right] = parts.as_slice()
        && let Some(infix) = builtins::find(&of_term(operator)).and_then(|builtin| builtin.infix).filter(|infix| *infix != "in")
    {
        out.push('(');
        write_infix(out, left);
        out.push_str(&format!(" {infix} "));
        write_infix(out, right);
        return out.push(')');
    }
    write_term(out, term);
}
