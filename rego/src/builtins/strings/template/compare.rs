//! `eq`, `ne`, `lt`, `le`, `gt`, `ge` (`text/template`, `funcs.go`).

use std::cmp::Ordering;

use thiserror::Error;

use super::value::{Data, Kind};

/// Why operands are not compared, in the words of Go's templates.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum ComparisonError {
    /// `eq` of one operand.
    #[error("missing argument for comparison")]
    Missing,
    /// An order of more or less than two.
    #[error("wrong number of args")]
    Count,
    /// Two kinds of values.
    #[error("incompatible types for comparison: {0} and {1}")]
    Incompatible(&'static str, &'static str),
    /// Two lists or maps.
    #[error("non-comparable type {shown}: {type_name}")]
    NotComparable {
        /// The first.
        shown: String,
        /// Its type in Go.
        type_name: &'static str,
    },
    /// Values without an order.
    #[error("invalid type for comparison")]
    NoOrder,
}

fn incompatible(a: &Data, b: &Data) -> ComparisonError {
    ComparisonError::Incompatible(a.type_name(), b.type_name())
}

/// Whether the first equals one of the others.
pub(super) fn eq(operands: &[Data]) -> Result<bool, ComparisonError> {
    let Some((first, others)) = operands.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(ComparisonError::Missing);
    };
    for other in others {
        if equal(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Data, b: &Data) -> Result<bool, ComparisonError> {
    match (a.kind(), b.kind()) {
        (Kind::Nothing, Kind::Nothing) => Ok(true),
        (Kind::Nothing, Kind::Collection) | (Kind::Collection, Kind::Nothing) => Ok(false),
        (Kind::Nothing, _) | (_, Kind::Nothing) => Ok(false),
        (Kind::Collection, Kind::Collection) => {
            Err(ComparisonError::NotComparable { shown: a.to_string(), type_name: a.type_name() })
        }
        (x, y) if x != y => Err(incompatible(a, b)),
        _ => Ok(order(a, b) == Some(Ordering::Equal)),
    }
}

/// Whether two are in an order.
pub(super) fn ordered(operands: &[Data], fits: fn(Ordering) -> bool) -> Result<bool, ComparisonError> {
    let [a, b] = operands else { return Err(ComparisonError::Count) };
    match (a.kind(), b.kind()) {
        (x, y) if x != y => Err(incompatible(a, b)),
        (Kind::Nothing | Kind::Bool | Kind::Collection, _) => Err(ComparisonError::NoOrder),
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
