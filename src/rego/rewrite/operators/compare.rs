//! Comparisons in OPA's order, where objects come before sets, and collections as OPA goes through them (opa `v1/ast/compare.go`).

use std::cmp::Ordering;

use anyhow::{anyhow, bail};
use regorus::Value;
use regorus::unstable::{ArithOp, BoolOp, Expr};

use super::near;
use crate::rego::{builtins, order};

type Answer = anyhow::Result<Value>;

/// Name, function; its errors end the evaluation.
type Function = (&'static str, fn(&[Value]) -> Answer);

pub(super) const COMPARISONS: [Function; 6] = [
    ("plimsoll__.equal", |values| Ok(is_equal(values)?.into())),
    ("plimsoll__.neq", |values| Ok((!is_equal(values)?).into())),
    ("plimsoll__.lt", |values| Ok(compare(values)?.is_lt().into())),
    ("plimsoll__.lte", |values| Ok(compare(values)?.is_le().into())),
    ("plimsoll__.gt", |values| Ok(compare(values)?.is_gt().into())),
    ("plimsoll__.gte", |values| Ok(compare(values)?.is_ge().into())),
];

/// What goes through a collection in place of it; see [`mod@super::super::orders`].
pub(super) const COLLECTIONS: [Function; 6] = [
    ("plimsoll__.through", |values| through(collection(values)?, Value::clone)),
    ("plimsoll__.values", values),
    ("plimsoll__.members", |values| through(&kept(values, |collection| order::is_kept(collection, false))?, Value::clone)),
    ("plimsoll__.arrays", |values| kept(values, |collection| order::is_kept_among(collection, |key| key.as_array().is_ok()))),
    ("plimsoll__.objects", |values| kept(values, |collection| order::is_kept_among(collection, |key| key.as_object().is_ok()))),
    ("plimsoll__.all", |values| kept(values, |collection| order::is_kept(collection, true))),
];

/// The function for a comparison.
pub(super) fn function(op: &BoolOp, lhs: &Expr, rhs: &Expr) -> Option<(&'static str, &'static str)> {
    // No scalar stands beside a set or an object that it is not ordered with in the same way; equality knows no order.
    let ordered = ![lhs, rhs].into_iter().any(is_scalar);
    let (function, symbol, ordered) = match op {
        BoolOp::Lt => ("plimsoll__.lt", "<", ordered),
        BoolOp::Le => ("plimsoll__.lte", "<=", ordered),
        BoolOp::Gt => ("plimsoll__.gt", ">", ordered),
        BoolOp::Ge => ("plimsoll__.gte", ">=", ordered),
        BoolOp::Eq => ("plimsoll__.equal", "==", false),
        BoolOp::Ne => ("plimsoll__.neq", "!=", false),
    };
    (ordered || is_numeric(lhs, rhs) || is_numeric(rhs, lhs)).then_some((function, symbol))
}

/// Whether a comparison with something may be one of fractions: with what is computed, or a fraction itself, or with a whole number
/// and a name, which may stand for what was computed.
fn is_numeric(side: &Expr, other: &Expr) -> bool {
    match side {
        Expr::ArithExpr { .. } => !is_literal(other) || number(other).is_some(),
        _ => match number(side) {
            Some(digits) if digits.contains(['.', 'e', 'E']) => !is_literal(other),
            Some(_) => matches!(other, Expr::Var { .. }),
            None => false,
        },
    }
}

fn is_literal(expr: &Expr) -> bool {
    let is_text = matches!(expr, Expr::String { .. } | Expr::RawString { .. } | Expr::Bool { .. } | Expr::Null { .. });
    is_text || number(expr).is_some()
}

/// The digits of a number that is written.
fn number(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Number { span, .. } => Some(span.text()),
        Expr::UnaryExpr { expr, .. } => number(expr),
        _ => None,
    }
}

/// Whether an expression is a scalar at first sight. No call is: `with count as f` may give it any result.
fn is_scalar(expr: &Expr) -> bool {
    match expr {
        Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => true,
        Expr::UnaryExpr { .. } => true,
        Expr::ArithExpr { op, .. } => !matches!(op, ArithOp::Sub),
        _ => false,
    }
}

fn compare(values: &[Value]) -> anyhow::Result<Ordering> {
    match values {
        [a, b] => match near::order(a, b)? {
            Some(order) => Ok(order),
            None => order::compare(&near::outer(a)?, &near::outer(b)?).map_err(|error| anyhow!("limit: a comparison {error}")),
        },
        _ => bail!("comparisons have two operands"),
    }
}

/// Unordered, so that nothing is looked at for its order.
fn is_equal(values: &[Value]) -> anyhow::Result<bool> {
    let [a, b] = values else { bail!("comparisons have two operands") };
    Ok(match near::order(a, b)? {
        Some(order) => order.is_eq(),
        None => builtins::equal(&near::outer(a)?, &near::outer(b)?).map_err(|error| anyhow!("limit: a comparison {error}"))?,
    })
}

fn collection(values: &[Value]) -> anyhow::Result<&Value> {
    values.first().ok_or_else(|| anyhow!("no collection to go through"))
}

/// There is nothing to go through in a scalar.
fn through(collection: &Value, kept: impl FnOnce(&Value) -> Value) -> Answer {
    let is_collection = matches!(collection, Value::Array(_) | Value::Set(_) | Value::Object(_));
    Ok(if is_collection { kept(collection) } else { Value::Undefined })
}

fn values(values: &[Value]) -> Answer {
    let collection = collection(values)?;
    let instead = order::instead(collection).map_err(|error| anyhow!("limit: a comprehension {error}"))?;
    through(collection, |collection| instead.unwrap_or_else(|| collection.clone()))
}

fn kept(values: &[Value], is_kept: fn(&Value) -> Result<bool, order::TooMany>) -> Answer {
    let collection = collection(values)?;
    if !is_kept(collection).map_err(|error| anyhow!("limit: a comprehension {error}"))? {
        bail!(
            "an array shall follow the order of keys or members that are sets beside others that are not: go through them without naming keys"
        );
    }
    Ok(collection.clone())
}
