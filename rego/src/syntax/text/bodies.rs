//! Expressions and bodies.

use super::{write_call, write_term};
use crate::syntax::tree::{Every, Expr, ExprKind, Kind, Logical, Not, SomeDecl, Term};

/// A body.
pub fn of_body(body: &[Expr]) -> String {
    let mut out = String::new();
    write_body(&mut out, body);
    out
}

/// An expression.
pub fn of_expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

pub(super) fn write_body(out: &mut String, body: &[Expr]) {
    for (index, expr) in body.iter().enumerate() {
        out.push_str(if index > 0 { "; " } else { "" });
        write_expr(out, expr);
    }
}

pub(super) fn write_expr(out: &mut String, expr: &Expr) {
    if expr.negated {
        out.push_str("not ");
    }
    match &expr.kind {
        ExprKind::Term(term) => write_term(out, term),
        ExprKind::Call(parts) => match parts.as_slice() {
            [operator, left, right] if is_equality(operator) => write_joined(out, [left, right], " = "),
            parts => write_call(out, parts),
        },
        ExprKind::Some(some) => write_some(out, some),
        ExprKind::Every(every) => write_every(out, every),
        ExprKind::Not(not) => write_not(out, not),
        ExprKind::And(logical) => write_logical(out, logical, "and"),
        ExprKind::Or(logical) => write_logical(out, logical, "or"),
    }
    for with in &expr.with {
        out.push_str(" with ");
        write_joined(out, [&with.target, &with.value], " as ");
    }
}

fn is_equality(operator: &Term) -> bool {
    matches!(&operator.kind, Kind::Ref(parts) if matches!(parts.as_slice(), [only] if only.as_var().is_some_and(|name| name == "eq")))
}

fn write_joined<'a>(out: &mut String, terms: impl IntoIterator<Item = &'a Term>, by: &str) {
    for (index, term) in terms.into_iter().enumerate() {
        out.push_str(if index > 0 { by } else { "" });
        write_term(out, term);
    }
}

fn write_some(out: &mut String, some: &SomeDecl) {
    out.push_str("some ");
    match some.symbols.as_slice() {
        [Term { kind: Kind::Call(parts), .. }] => match parts.as_slice() {
            [_, declared @ .., from] => {
                write_joined(out, declared, ", ");
                out.push_str(" in ");
                write_term(out, from);
            }
            _ => {}
        },
        symbols => write_joined(out, symbols, ", "),
    }
}

fn write_every(out: &mut String, every: &Every) {
    out.push_str("every ");
    write_joined(out, every.key.iter().chain([&every.value]), ", ");
    out.push_str(" in ");
    write_term(out, &every.domain);
    out.push_str(" { ");
    write_body(out, &every.body);
    out.push_str(" }");
}

fn write_not(out: &mut String, not: &Not) {
    if not.explicit || not.body.len() != 1 {
        out.push_str("not {");
        write_body(out, &not.body);
        return out.push('}');
    }
    let wrapped = not.body.iter().any(|expr| matches!(expr.kind, ExprKind::And(_) | ExprKind::Or(_)));
    out.push_str(if wrapped { "not (" } else { "not " });
    write_body(out, &not.body);
    out.push_str(if wrapped { ")" } else { "" });
}

fn write_logical(out: &mut String, logical: &Logical, operator: &str) {
    write_operand(out, &logical.left, logical.explicit_left, operator, false);
    out.push_str(&format!(" {operator} "));
    write_operand(out, &logical.right, logical.explicit_right, operator, true);
}

fn write_operand(out: &mut String, body: &[Expr], explicit: bool, operator: &str, right: bool) {
    let (open, close) = match body {
        [only] if !explicit => {
            let wrapped = match &only.kind {
                _ if !only.with.is_empty() => true,
                ExprKind::Or(_) => operator == "and" || right,
                ExprKind::And(_) => operator == "and" && right,
                ExprKind::Term(term) => {
                    matches!(term.kind, Kind::Object(_) | Kind::Set(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_))
                }
                _ => false,
            };
            if wrapped { ("(", ")") } else { ("", "") }
        }
        _ => ("{ ", " }"),
    };
    out.push_str(open);
    write_body(out, body);
    out.push_str(close);
}
