//! Comparisons in OPA's order, where objects come before sets, and collections as OPA goes through them (opa `v1/ast/compare.go`).

use std::cmp::Ordering;

use anyhow::{anyhow, bail};
use regorus::Value;
use regorus::unstable::{ArithOp, BoolOp, Expr};

use crate::rego::order;

type Answer = anyhow::Result<Value>;

/// Name, function; its errors end the evaluation.
type Function = (&'static str, fn(&[Value]) -> Answer);

pub(super) const COMPARISONS: [Function; 6] = [
    ("plimsoll__.equal", |values| Ok(compare(values)?.is_eq().into())),
    ("plimsoll__.neq", |values| Ok(compare(values)?.is_ne().into())),
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

/// The function for a comparison; equality knows no order.
pub(super) fn function(op: &BoolOp) -> Option<(&'static str, &'static str)> {
    match op {
        BoolOp::Lt => Some(("plimsoll__.lt", "<")),
        BoolOp::Le => Some(("plimsoll__.lte", "<=")),
        BoolOp::Gt => Some(("plimsoll__.gt", ">")),
        BoolOp::Ge => Some(("plimsoll__.gte", ">=")),
        BoolOp::Eq | BoolOp::Ne => None,
    }
}

/// Whether an expression is a scalar at first sight. No call is: `with count as f` may give it any result.
pub(super) fn is_scalar(expr: &Expr) -> bool {
    match expr {
        Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => true,
        Expr::UnaryExpr { .. } => true,
        Expr::ArithExpr { op, .. } => !matches!(op, ArithOp::Sub),
        _ => false,
    }
}

fn compare(values: &[Value]) -> anyhow::Result<Ordering> {
    match values {
        [a, b] => order::compare(a, b).map_err(|error| anyhow!("limit: a comparison {error}")),
        _ => bail!("comparisons have two operands"),
    }
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
