//! Expressions and bodies.

use super::term::{self, enclosed, write_call};
use crate::syntax::tree::{Expr, ExprKind, Kind, Logical, Not, SomeDecl, Term};

/// Writes expressions with semicolons between them.
pub(super) fn write_body(out: &mut String, body: &[Expr]) {
    for (index, expr) in body.iter().enumerate() {
        out.push_str(if index > 0 { "; " } else { "" });
        write(out, expr);
    }
}

/// Writes an expression.
pub(super) fn write(out: &mut String, expr: &Expr) {
    out.push_str(if expr.negated { "not " } else { "" });
    match &expr.kind {
        ExprKind::Term(term) => term::write(out, term),
        ExprKind::Call(terms) => call(out, terms),
        ExprKind::Some(some) => self::some(out, some),
        ExprKind::Every(every) => {
            out.push_str("every ");
            if let Some(key) = &every.key {
                term::write(out, key);
                out.push_str(", ");
            }
            term::write(out, &every.value);
            out.push_str(" in ");
            term::write(out, &every.domain);
            enclosed_body(out, " { ", &every.body, " }");
        }
        ExprKind::Not(not) => self::not(out, not),
        ExprKind::And(logical) => self::logical(out, logical, "and"),
        ExprKind::Or(logical) => self::logical(out, logical, "or"),
    }
    for with in &expr.with {
        out.push_str(" with ");
        term::write(out, &with.target);
        out.push_str(" as ");
        term::write(out, &with.value);
    }
}

/// `=` is the only operator that is written as one.
fn call(out: &mut String, terms: &[Term]) {
    match terms {
        [operator, left, right] if super::name(operator) == "eq" => {
            term::write(out, left);
            out.push_str(" = ");
            term::write(out, right);
        }
        _ => write_call(out, terms),
    }
}

fn some(out: &mut String, some: &SomeDecl) {
    out.push_str("some ");
    let Some(Kind::Call(terms)) = some.symbols.first().map(|symbol| &symbol.kind) else {
        enclosed(out, "", &some.symbols, "");
        return;
    };
    let operands = terms.get(1..).unwrap_or_default();
    for (index, operand) in operands.iter().enumerate() {
        let last = index.saturating_add(1) == operands.len();
        out.push_str(if index == 0 {
            ""
        } else if last {
            " in "
        } else {
            ", "
        });
        term::write(out, operand);
    }
}

fn enclosed_body(out: &mut String, open: &str, body: &[Expr], close: &str) {
    out.push_str(open);
    write_body(out, body);
    out.push_str(close);
}

fn not(out: &mut String, not: &Not) {
    let parentheses = match not.body.as_slice() {
        [only] if !not.explicit => {
            !only.with.is_empty()
                || matches!(only.kind, ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_))
                || leads_with_brace(only)
        }
        _ => return enclosed_body(out, "not {", &not.body, "}"),
    };
    let (open, close) = if parentheses { ("not (", ")") } else { ("not ", "") };
    enclosed_body(out, open, &not.body, close);
}

fn logical(out: &mut String, logical: &Logical, operator: &str) {
    operand(out, &logical.left, logical.explicit_left, operator, false);
    out.push_str(&format!(" {operator} "));
    operand(out, &logical.right, logical.explicit_right, operator, true);
}

fn operand(out: &mut String, body: &[Expr], explicit: bool, operator: &str, right: bool) {
    let parentheses = match body {
        [only] if !explicit => {
            !only.with.is_empty()
                || match &only.kind {
                    ExprKind::Or(_) => operator == "and" || right,
                    ExprKind::And(_) => operator == "and" && right,
                    _ => leads_with_brace(only),
                }
        }
        _ => return enclosed_body(out, "{ ", body, " }"),
    };
    let (open, close) = if parentheses { ("(", ")") } else { ("", "") };
    enclosed_body(out, open, body, close);
}

/// Whether it would be read as a body.
fn leads_with_brace(expr: &Expr) -> bool {
    let ExprKind::Term(term) = &expr.kind else { return false };
    let mut kind = &term.kind;
    while let Kind::Ref(parts) = kind {
        let Some(head) = parts.first() else { return false };
        kind = &head.kind;
    }
    match kind {
        Kind::Set(items) => !items.is_empty(),
        Kind::Object(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) => true,
        _ => false,
    }
}
