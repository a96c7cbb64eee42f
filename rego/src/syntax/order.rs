//! OPA's order of terms (`v1/ast/compare.go`), which sets and objects are written in.

use std::cmp::Ordering;

use super::steps;
use super::tree::{Body, Expr, ExprKind, Kind, Template, TemplatePart, Term, With};
use crate::value::Value;

/// Sorted; of equal terms the first stays.
pub(super) fn set(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_by(compare);
    terms.dedup_by(|later, earlier| compare(later, earlier).is_eq());
    terms
}

/// Sorted by their keys; equal ones stay in their order.
pub(super) fn object(mut members: Vec<(Term, Term)>) -> Vec<(Term, Term)> {
    members.sort_by(|(a, _), (b, _)| compare(a, b));
    members
}

/// Sorts the members of an object or a set again, as OPA does when it makes them anew: of equal keys the first one stays, with the
/// last value.
pub fn sort(kind: &mut Kind) {
    match kind {
        Kind::Set(members) if !members.is_sorted_by(|a, b| compare(a, b).is_lt()) => *members = set(std::mem::take(members)),
        Kind::Object(members) if !members.is_sorted_by(|(a, _), (b, _)| compare(a, b).is_lt()) => {
            *members = object(std::mem::take(members));
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

/// How two terms compare, wherever they stand.
pub fn compare(a: &Term, b: &Term) -> Ordering {
    steps::one();
    match (&a.kind, &b.kind) {
        (Kind::Bool(a), Kind::Bool(b)) => a.cmp(b),
        (Kind::Number(a), Kind::Number(b)) => numbers(a, b),
        (Kind::String(a), Kind::String(b)) | (Kind::Var(a), Kind::Var(b)) => a.as_str().cmp(b.as_str()),
        (Kind::Template(a), Kind::Template(b)) => templates(a, b),
        (Kind::Ref(a), Kind::Ref(b))
        | (Kind::Array(a), Kind::Array(b))
        | (Kind::Set(a), Kind::Set(b))
        | (Kind::Call(a), Kind::Call(b)) => all(a, b, compare),
        (Kind::Object(a), Kind::Object(b)) => all(a, b, |a, b| compare(&a.0, &b.0).then_with(|| compare(&a.1, &b.1))),
        (Kind::ArrayCompr(a), Kind::ArrayCompr(b)) | (Kind::SetCompr(a), Kind::SetCompr(b)) => {
            compare(&a.term, &b.term).then_with(|| bodies(&a.body, &b.body))
        }
        (Kind::ObjectCompr(a), Kind::ObjectCompr(b)) => {
            compare(&a.key, &b.key).then_with(|| compare(&a.value, &b.value)).then_with(|| bodies(&a.body, &b.body))
        }
        _ => rank(&a.kind).cmp(&rank(&b.kind)),
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
    match (Value::number(a), Value::number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}

fn all<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let first = a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn templates(a: &Template, b: &Template) -> Ordering {
    let parts = |a: &TemplatePart, b: &TemplatePart| match (a, b) {
        (TemplatePart::Text(a), TemplatePart::Text(b)) => compare(a, b),
        (TemplatePart::Expr(a), TemplatePart::Expr(b)) => exprs(a, b),
        (TemplatePart::Text(_), TemplatePart::Expr(_)) => Ordering::Less,
        (TemplatePart::Expr(_), TemplatePart::Text(_)) => Ordering::Greater,
    };
    a.multi_line.cmp(&b.multi_line).then_with(|| a.parts.len().cmp(&b.parts.len())).then_with(|| all(&a.parts, &b.parts, parts))
}

fn bodies(a: &Body, b: &Body) -> Ordering {
    // An expression's index in its body is the same on both sides here, so it decides nothing.
    all(a, b, exprs)
}

/// How two expressions compare, wherever they stand.
pub fn exprs(a: &Expr, b: &Expr) -> Ordering {
    let kinds = || match (&a.kind, &b.kind) {
        (ExprKind::Term(a), ExprKind::Term(b)) => compare(a, b),
        (ExprKind::Call(a), ExprKind::Call(b)) => all(a, b, compare),
        (ExprKind::Some(a), ExprKind::Some(b)) => all(&a.symbols, &b.symbols, compare),
        (ExprKind::Every(a), ExprKind::Every(b)) => keys(a.key.as_ref(), b.key.as_ref())
            .then_with(|| compare(&a.value, &b.value))
            .then_with(|| compare(&a.domain, &b.domain))
            .then_with(|| bodies(&a.body, &b.body)),
        (ExprKind::Not(a), ExprKind::Not(b)) => bodies(&a.body, &b.body),
        (ExprKind::And(a), ExprKind::And(b)) | (ExprKind::Or(a), ExprKind::Or(b)) => {
            bodies(&a.left, &b.left).then_with(|| bodies(&a.right, &b.right))
        }
        _ => Ordering::Equal,
    };
    let with = |a: &With, b: &With| compare(&a.target, &b.target).then_with(|| compare(&a.value, &b.value));
    expr_rank(&a.kind)
        .cmp(&expr_rank(&b.kind))
        .then_with(|| a.negated.cmp(&b.negated))
        .then_with(kinds)
        .then_with(|| all(&a.with, &b.with, with))
}

/// OPA compares terms that may be missing, and fails where only one is; here the missing one is less.
fn keys(a: Option<&Term>, b: Option<&Term>) -> Ordering {
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
