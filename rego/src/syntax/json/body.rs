//! Bodies and expressions.

use super::term::{term, terms};
use super::{Members, Style};
use crate::syntax::tree::{Every, Expr, ExprKind, Logical, With};
use crate::value::Value;

/// Expressions with their numbers.
pub(crate) fn body(style: Style<'_>, body: &[Expr]) -> Value {
    Value::array(body.iter().enumerate().map(|(index, expr)| self::expr(style, expr, index)))
}

/// An expression that is the nth of its body.
pub(crate) fn expr(style: Style<'_>, expr: &Expr, index: usize) -> Value {
    let with = Value::array(expr.with.iter().map(|with| self::with(style, with)));
    Members::new()
        .with_flag("generated", expr.generated)
        .with("index", index)
        .at(style, expr.span)
        .with_flag("negated", expr.negated)
        .with("terms", kind(style, &expr.kind))
        .with_some("with", (!expr.with.is_empty()).then_some(with))
        .finish()
}

fn kind(style: Style<'_>, kind: &ExprKind) -> Value {
    match kind {
        ExprKind::Term(term) => self::term(style, term),
        ExprKind::Call(terms) => self::terms(style, terms),
        ExprKind::Some(some) => Members::new().at(style, some.span).with("symbols", terms(style, &some.symbols)).finish(),
        ExprKind::Every(every) => self::every(style, every),
        // OPA shows no places of these three (`cmd/parse.go`).
        ExprKind::Not(not) => {
            Members::new().with("type", "not").with("body", body(style, &not.body)).with("explicit_body", not.explicit).finish()
        }
        ExprKind::And(it) => logical(style, it, "and"),
        ExprKind::Or(it) => logical(style, it, "or"),
    }
}

fn every(style: Style<'_>, every: &Every) -> Value {
    Members::new()
        .at(style, every.span)
        .with("key", every.key.as_ref().map_or(Value::Null, |key| term(style, key)))
        .with("value", term(style, &every.value))
        .with("domain", term(style, &every.domain))
        .with("body", body(style, &every.body))
        .finish()
}

fn logical(style: Style<'_>, logical: &Logical, name: &str) -> Value {
    Members::new()
        .with("type", name)
        .with("lhs", body(style, &logical.left))
        .with("rhs", body(style, &logical.right))
        .with_flag("explicit_lhs", logical.explicit_left)
        .with_flag("explicit_rhs", logical.explicit_right)
        .finish()
}

fn with(style: Style<'_>, with: &With) -> Value {
    Members::new().at(style, with.span).with("target", term(style, &with.target)).with("value", term(style, &with.value)).finish()
}
