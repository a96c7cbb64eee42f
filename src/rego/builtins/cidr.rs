//! `net.cidr_*` but for look-ups (OPA: `v1/topdown/cidr.go`).

use std::collections::BTreeSet;
use std::net::IpAddr;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

mod merge;
mod net;

use net::Net;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "net.cidr_contains", operands: 2, call: contains },
    Builtin { name: "net.cidr_contains_matches", operands: 2, call: contains_matches },
    Builtin { name: "net.cidr_expand", operands: 1, call: expand },
    Builtin { name: "net.cidr_intersects", operands: 2, call: intersects },
    Builtin { name: "net.cidr_is_valid", operands: 1, call: is_valid },
    Builtin { name: "net.cidr_merge", operands: 1, call: merge::merge },
    Builtin { name: "net.cidr_overlap", operands: 2, call: contains },
];

/// Addresses, or pairs of networks, that one call may make.
const MAX: usize = 1_000_000;

/// OPA counts every operand of these as its first.
fn network(value: &Value) -> Result<Net, BuiltinError> {
    Net::parse(text(value)?)
}

fn text(value: &Value) -> Result<&str, BuiltinError> {
    operand::string(std::slice::from_ref(value), 1)
}

fn contains(values: &[Value]) -> Result<Value, BuiltinError> {
    let outer = network(operand::any(values, 1))?;
    contains_text(&outer, text(operand::any(values, 2))?).map(Value::from)
}

fn contains_text(outer: &Net, inner: &str) -> Result<bool, BuiltinError> {
    if let Ok(address) = inner.parse::<IpAddr>() {
        return Ok(outer.contains(address));
    }
    let invalid = |_| BuiltinError::other(format!("not a valid textual representation of an IP address or CIDR: {inner}"));
    Net::parse(inner).map_err(invalid).map(|inner| outer.contains_net(&inner))
}

fn intersects(values: &[Value]) -> Result<Value, BuiltinError> {
    let (a, b) = (network(operand::any(values, 1))?, network(operand::any(values, 2))?);
    Ok(Value::from(a.contains(b.first()) || b.contains(a.first())))
}

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    Ok(Value::from(network(operand::any(values, 1)).is_ok()))
}

fn expand(values: &[Value]) -> Result<Value, BuiltinError> {
    let addresses = network(operand::any(values, 1))?.addresses(MAX);
    let addresses = addresses.ok_or_else(|| BuiltinError::Limit(format!("would make more than {MAX} elements")))?;
    Ok(addresses.map(|address| Value::from(address.to_string())).collect::<BTreeSet<_>>().into())
}

/// A network or address among several, and what names it there.
type Indexed = (Value, Value);

fn contains_matches(values: &[Value]) -> Result<Value, BuiltinError> {
    let (outer, inner) = (indexed(operand::any(values, 1), 1), indexed(operand::any(values, 2), 2));
    if outer.len().saturating_mul(inner.len()) > MAX {
        return Err(BuiltinError::Limit(format!("would compare more than {MAX} pairs")));
    }
    let mut found = BTreeSet::new();
    for outer in outer {
        // Looked at even if there is nothing to compare it with.
        let (outer, outer_index) = outer.as_ref().map_err(again)?;
        for inner in &inner {
            let (inner, inner_index) = inner.as_ref().map_err(again)?;
            if contains_text(&network(outer)?, text(inner)?)? {
                found.insert(Value::from(vec![outer_index.clone(), inner_index.clone()]));
            }
        }
    }
    Ok(found.into())
}

fn again(error: &BuiltinError) -> BuiltinError {
    BuiltinError::other(error.to_string())
}

fn indexed(operand: &Value, place: usize) -> Vec<Result<Indexed, BuiltinError>> {
    let element = |element: &Value, index: Value| match first(element) {
        Some(cidr) => Ok((cidr.clone(), index)),
        None => Err(BuiltinError::other(format!("operand {place}: element must be string or non-empty array"))),
    };
    match operand {
        Value::String(_) => vec![Ok((operand.clone(), operand.clone()))],
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| element(item, Value::from(at))).collect(),
        Value::Set(items) => items.iter_sorted().map(|item| element(item, item.clone())).collect(),
        Value::Object(members) => members.iter_sorted().map(|(key, value)| element(value, key.clone())).collect(),
        _ => Vec::new(),
    }
}

/// An element itself, or the first of it when it is an array.
fn first(element: &Value) -> Option<&Value> {
    match element {
        Value::String(_) => Some(element),
        Value::Array(items) => items.first(),
        _ => None,
    }
}
