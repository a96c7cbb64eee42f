//! Terms.

use super::expr;
use crate::syntax::token::is_keyword;
use crate::syntax::tree::{Kind, Template, TemplatePart, Term, Version};
use crate::value::print::{escaped, quoted};

/// Writes a term.
pub(super) fn write(out: &mut String, term: &Term) {
    match &term.kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Number(text) => out.push_str(text),
        Kind::String(text) => out.push_str(&quoted(text)),
        Kind::Var(name) => out.push_str(if name.starts_with('$') { "_" } else { name }),
        Kind::Ref(parts) => write_ref(out, parts),
        Kind::Array(items) => enclosed(out, "[", items, "]"),
        Kind::Set(items) if items.is_empty() => out.push_str("set()"),
        Kind::Set(items) => enclosed(out, "{", items, "}"),
        Kind::Object(members) => object(out, members),
        Kind::Call(terms) => write_call(out, terms),
        Kind::ArrayCompr(it) => comprehension(out, "[", &[&it.term], &it.body, "]"),
        Kind::SetCompr(it) => comprehension(out, "{", &[&it.term], &it.body, "}"),
        Kind::ObjectCompr(it) => comprehension(out, "{", &[&it.key, &it.value], &it.body, "}"),
        Kind::Template(template) => self::template(out, template),
    }
}

/// Writes terms with commas between them.
pub(super) fn enclosed(out: &mut String, open: &str, items: &[Term], close: &str) {
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write(out, item);
    }
    out.push_str(close);
}

/// Writes a call.
pub(super) fn write_call(out: &mut String, terms: &[Term]) {
    if let Some((operator, operands)) = terms.split_first() {
        write(out, operator);
        enclosed(out, "(", operands, ")");
    }
}

fn object(out: &mut String, members: &[(Term, Term)]) {
    out.push('{');
    for (index, (key, value)) in members.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write(out, key);
        out.push_str(": ");
        write(out, value);
    }
    out.push('}');
}

/// Writes a reference.
pub(super) fn write_ref(out: &mut String, parts: &[Term]) {
    let Some((head, parts)) = parts.split_first() else { return };
    match head.as_str() {
        Some(text) => out.push_str(text),
        None => write(out, head),
    }
    for part in parts {
        match part.as_str() {
            Some(text) if is_plain(text) => {
                out.push('.');
                out.push_str(text);
            }
            Some(text) if !text.chars().any(|c| c == '\\' || c.is_control()) => {
                out.push_str("[\"");
                out.push_str(text);
                out.push_str("\"]");
            }
            _ => enclosed(out, "[", std::slice::from_ref(part), "]"),
        }
    }
}

/// Whether a part may follow a dot.
fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !is_keyword(text, Version::V1)
}

fn comprehension(out: &mut String, open: &str, heads: &[&Term], body: &[crate::syntax::tree::Expr], close: &str) {
    out.push_str(open);
    for (index, head) in heads.iter().enumerate() {
        out.push_str(if index > 0 { ": " } else { "" });
        head_of_comprehension(out, head);
    }
    out.push_str(" | ");
    expr::write_body(out, body);
    out.push_str(close);
}

/// With operators as operators, in parentheses: a bar would be taken for that of the comprehension.
fn head_of_comprehension(out: &mut String, term: &Term) {
    if let Kind::Call(terms) = &term.kind
        && let [operator, left, right] = terms.as_slice()
        && let Some(infix) = super::infix(&super::name(operator)).filter(|infix| *infix != "in")
    {
        out.push('(');
        head_of_comprehension(out, left);
        out.push_str(&format!(" {infix} "));
        head_of_comprehension(out, right);
        out.push(')');
    } else {
        write(out, term);
    }
}

fn template(out: &mut String, template: &Template) {
    out.push_str("$\"");
    for part in &template.parts {
        match part {
            TemplatePart::Expr(part) => {
                out.push('{');
                expr::write(out, part);
                out.push('}');
            }
            TemplatePart::Text(text) => match text.as_str() {
                Some(text) => template_text(out, text),
                None => write(out, text),
            },
        }
    }
    out.push('"');
}

/// Text with its braces escaped, but for one behind a backslash.
fn template_text(out: &mut String, text: &str) {
    let mut plain = String::new();
    // Writing to a string never fails.
    escaped(text, &mut plain).unwrap_or(());
    let mut before = None;
    for c in plain.chars() {
        if c == '{' && before != Some('\\') {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}
