//! `max` and `min`, which nothing has when there is nothing: no error (OPA: `v1/topdown/aggregates.go`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};
use crate::rego::order::{self, TooMany};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "max", operands: 1, call: |values| extreme(values, true) },
    Builtin { name: "min", operands: 1, call: |values| extreme(values, false) },
];

fn extreme(values: &[Value], last: bool) -> Result<Value, BuiltinError> {
    let collection = operand::any(values, 1);
    let found = match collection {
        Value::Array(items) => of(collection, items.iter(), last),
        Value::Set(items) => of(collection, items.iter_sorted(), last),
        other => return Err(operand::wrong(1, "one of {set, array}", other)),
    };
    let found = found.map_err(|error| BuiltinError::Limit(error.to_string()))?;
    Ok(found.cloned().unwrap_or(Value::Undefined))
}

/// The last of the items, or the first, in OPA's order.
fn of<'v>(collection: &Value, items: impl Iterator<Item = &'v Value>, last: bool) -> Result<Option<&'v Value>, TooMany> {
    if order::holds_sets(collection)? {
        let sorted = order::sorted(items)?;
        return Ok(if last { sorted.last().copied() } else { sorted.first().copied() });
    }
    Ok(if last { items.max() } else { items.min() })
}
