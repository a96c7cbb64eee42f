//! OPA's order of terms (`v1/ast/compare.go`), which objects and sets are written in.

use std::cmp::Ordering;

use super::tree::{Expr, ExprKind, Kind, Template, TemplatePart, Term, With};
use crate::value::Value;

/// How two terms compare; places do not count.
pub fn compare(a: &Term, b: &Term) -> Ordering {
    match (&a.kind, &b.kind) {
        (Kind::Bool(a), Kind::Bool(b)) => a.cmp(b),
        (Kind::Number(a), Kind::Number(b)) => numbers(a, b),
        (Kind::String(a), Kind::String(b)) | (Kind::Var(a), Kind::Var(b)) => a.as_str().cmp(b.as_str()),
        (Kind::Ref(a), Kind::Ref(b))
        | (Kind::Array(a), Kind::Array(b))
        | (Kind::Set(a), Kind::Set(b))
        | (Kind::Call(a), Kind::Call(b)) => slices(a, b, compare),
        (Kind::Object(a), Kind::Object(b)) => {
            slices(a, b, |(key, value), (other_key, other)| compare(key, other_key).then_with(|| compare(value, other)))
        }
        (Kind::ArrayCompr(a), Kind::ArrayCompr(b)) | (Kind::SetCompr(a), Kind::SetCompr(b)) => {
            compare(&a.term, &b.term).then_with(|| bodies(&a.body, &b.body))
        }
        (Kind::ObjectCompr(a), Kind::ObjectCompr(b)) => {
            compare(&a.key, &b.key).then_with(|| compare(&a.value, &b.value)).then_with(|| bodies(&a.body, &b.body))
        }
        (Kind::Template(a), Kind::Template(b)) => templates(a, b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

/// Sorts the members of an object or a set: of equal keys the first one stays, with the last value.
pub fn sort(kind: &mut Kind) {
    match kind {
        Kind::Set(members) if !members.is_sorted_by(|a, b| compare(a, b).is_lt()) => {
            members.sort_by(compare);
            members.dedup_by(|later, earlier| compare(earlier, later).is_eq());
        }
        Kind::Object(members) if !members.is_sorted_by(|(a, _), (b, _)| compare(a, b).is_lt()) => {
            members.sort_by(|(a, _), (b, _)| compare(a, b));
            members.dedup_by(|later, earlier| {
                let equal = compare(&earlier.0, &later.0).is_eq();
                if equal {
                    std::mem::swap(&mut earlier.1, &mut later.1);
                }
                equal
            });
        }
        _ => {}
    }
}

fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Null => 0,
        Kind::Bool(_) => 1,
        Kind::Number(_) => 2,
        Kind::String(_) => 3,
        Kind::Template(_) => 4,
        Kind::Var(_) => 5,
        Kind::Ref(_) => 6,
        Kind::Array(_) => 7,
        Kind::Object(_) => 8,
        Kind::Set(_) => 9,
        Kind::ArrayCompr(_) => 10,
        Kind::ObjectCompr(_) => 11,
        Kind::SetCompr(_) => 12,
        Kind::Call(_) => 13,
    }
}

fn numbers(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => Value::number(a).cmp(&Value::number(b)),
    }
}

fn slices<T>(a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let differs = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
    differs.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn bodies(a: &[Expr], b: &[Expr]) -> Ordering {
    slices(a, b, exprs)
}

/// How two expressions compare; their places, and their order in a body, do not count.
pub fn exprs(a: &Expr, b: &Expr) -> Ordering {
    let kinds = || match (&a.kind, &b.kind) {
        (ExprKind::Term(a), ExprKind::Term(b)) => compare(a, b),
        (ExprKind::Call(a), ExprKind::Call(b)) => slices(a, b, compare),
        (ExprKind::Some(a), ExprKind::Some(b)) => slices(&a.symbols, &b.symbols, compare),
        (ExprKind::Every(a), ExprKind::Every(b)) => options(a.key.as_ref(), b.key.as_ref())
            .then_with(|| compare(&a.value, &b.value))
            .then_with(|| compare(&a.domain, &b.domain))
            .then_with(|| bodies(&a.body, &b.body)),
        (ExprKind::Not(a), ExprKind::Not(b)) => bodies(&a.body, &b.body),
        (ExprKind::And(a), ExprKind::And(b)) | (ExprKind::Or(a), ExprKind::Or(b)) => {
            bodies(&a.left, &b.left).then_with(|| bodies(&a.right, &b.right))
        }
        (a, b) => expr_rank(a).cmp(&expr_rank(b)),
    };
    let order = expr_rank(&a.kind).cmp(&expr_rank(&b.kind)).then(a.negated.cmp(&b.negated));
    order.then_with(kinds).then_with(|| slices(&a.with, &b.with, withs))
}

fn options(a: Option<&Term>, b: Option<&Term>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn expr_rank(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Some(_) => 0,
        ExprKind::Term(_) => 1,
        ExprKind::Call(_) => 2,
        ExprKind::Every(_) => 3,
        ExprKind::Not(_) => 4,
        ExprKind::And(_) => 5,
        ExprKind::Or(_) => 6,
    }
}

fn withs(a: &With, b: &With) -> Ordering {
    compare(&a.target, &b.target).then_with(|| compare(&a.value, &b.value))
}

fn templates(a: &Template, b: &Template) -> Ordering {
    let part = |a: &TemplatePart, b: &TemplatePart| match (a, b) {
        (TemplatePart::Text(a), TemplatePart::Text(b)) => compare(a, b),
        (TemplatePart::Expr(a), TemplatePart::Expr(b)) => exprs(a, b),
        (a, b) => matches!(a, TemplatePart::Expr(_)).cmp(&matches!(b, TemplatePart::Expr(_))),
    };
    a.multi_line.cmp(&b.multi_line).then(a.parts.len().cmp(&b.parts.len())).then_with(|| slices(&a.parts, &b.parts, part))
}
