//! Networks (`v1/topdown/cidr.go`).

use std::net::IpAddr;

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand};
use crate::value::Value;
use network::Network;

mod matches;
mod merge;
mod network;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("net.cidr_contains", &[Type::String, Type::String], Some(Type::Boolean)).by(contains),
    row(
        "net.cidr_contains_matches",
        &[
            Type::Or(&[
                Type::String,
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
            Type::Or(&[
                Type::String,
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
        ],
        Some(Type::Set(&Type::Tuple(&[Type::Any, Type::Any]))),
    )
    .by(matches::contains_matches),
    row("net.cidr_expand", &[Type::String], Some(Type::Set(&Type::String))).by(expand),
    row("net.cidr_intersects", &[Type::String, Type::String], Some(Type::Boolean)).by(intersects),
    row("net.cidr_is_valid", &[Type::String], Some(Type::Boolean)).by(is_valid),
    row(
        "net.cidr_merge",
        &[Type::Or(&[Type::Array(&Type::Or(&[Type::String])), Type::Set(&Type::String)])],
        Some(Type::Set(&Type::String)),
    )
    .by(merge::merge),
    row("net.cidr_overlap", &[Type::String, Type::String], Some(Type::Boolean)).deprecated().by(contains),
];

/// A network of an operand. OPA counts every operand of these as its first.
fn network(context: &mut Context, value: &Value) -> Result<Network, BuiltinError> {
    Network::parse(text(context, value)?)
}

fn text<'v>(context: &mut Context, value: &'v Value) -> Result<&'v str, BuiltinError> {
    let text = value.as_str().ok_or_else(|| operand::wrong(0, value, &["string"]))?;
    context.account.step(1)?;
    context.account.charge(text.len())?;
    Ok(text)
}

fn contains(context: &mut Context, operands: &[&Value]) -> Answer {
    let outer = network(context, operand::at(operands, 0)?)?;
    let inner = text(context, operand::at(operands, 1)?)?;
    holds(&outer, inner).map(|holds| Some(Value::from(holds)))
}

/// Whether a network holds an address, or all of another network.
fn holds(outer: &Network, inner: &str) -> Result<bool, BuiltinError> {
    if let Ok(address) = inner.parse::<IpAddr>() {
        return Ok(outer.contains(address));
    }
    let invalid = |_| BuiltinError::failed(format!("not a valid textual representation of an IP address or CIDR: {inner}"));
    Network::parse(inner).map_err(invalid).map(|inner| outer.contains_network(&inner))
}

fn intersects(context: &mut Context, operands: &[&Value]) -> Answer {
    let a = network(context, operand::at(operands, 0)?)?;
    let b = network(context, operand::at(operands, 1)?)?;
    Ok(Some(Value::from(a.contains(b.first()) || b.contains(a.first()))))
}

fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    match network(context, operand::at(operands, 0)?) {
        Err(halt) if halt.is_halt() => Err(halt),
        read => Ok(Some(Value::from(read.is_ok()))),
    }
}

/// What an address takes as a text in a set.
const ADDRESS: usize = 64;

fn expand(context: &mut Context, operands: &[&Value]) -> Answer {
    let addresses = network(context, operand::at(operands, 0)?)?.addresses();
    let mut members = Vec::new();
    for address in addresses {
        context.account.charge(ADDRESS)?;
        members.push(Value::from(address.to_string()));
    }
    Ok(Some(Value::set(members)))
}
