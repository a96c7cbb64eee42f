//! `eq`, `ne`, `lt`, `le`, `gt`, `ge` (`text/template`, `funcs.go`).

use std::cmp::Ordering;

use super::value::{Data, Kind};

fn incompatible(a: &Data, b: &Data) -> String {
    format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name())
}

/// Whether the first equals one of the others.
pub(super) fn eq(operands: &[Data]) -> Result<bool, String> {
    let Some((first, others)) = operands.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err("missing argument for comparison".into());
    };
    for other in others {
        if equal(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Data, b: &Data) -> Result<bool, String> {
    match (a.kind(), b.kind()) {
        (Kind::Nothing, Kind::Nothing) => Ok(true),
        (Kind::Nothing, Kind::Collection) | (Kind::Collection, Kind::Nothing) => Ok(false),
        (Kind::Nothing, _) | (_, Kind::Nothing) => Ok(false),
        (Kind::Collection, Kind::Collection) => Err(format!("non-comparable type {a}: {}", a.type_name())),
        (x, y) if x != y => Err(incompatible(a, b)),
        _ => Ok(order(a, b) == Some(Ordering::Equal)),
    }
}

/// Whether two are in an order.
pub(super) fn ordered(operands: &[Data], fits: fn(Ordering) -> bool) -> Result<bool, String> {
    let [a, b] = operands else { return Err("wrong number of args".into()) };
    match (a.kind(), b.kind()) {
        (x, y) if x != y => Err(incompatible(a, b)),
        (Kind::Nothing | Kind::Bool | Kind::Collection, _) => Err("invalid type for comparison".into()),
        _ => Ok(order(a, b).is_some_and(fits)),
    }
}

fn order(a: &Data, b: &Data) -> Option<Ordering> {
    match (a, b) {
        (Data::Bool(a), Data::Bool(b)) => Some(a.cmp(b)),
        (Data::Int(a), Data::Int(b)) => Some(a.cmp(b)),
        (Data::Float(a), Data::Float(b)) => a.partial_cmp(b),
        (Data::Text(a) | Data::Number(a), Data::Text(b) | Data::Number(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
