//! `net.cidr_contains_matches`: which networks of one operand hold which of another.

use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, operand};
use crate::value::Value;

/// A network or address among several, or why there is none, and what names it there.
type Indexed<'v> = (Result<&'v Value, BuiltinError>, Value);

/// What a pair takes in a set.
const PAIR: usize = 96;

/// The set of pairs: what names the network that holds, what names that which it holds.
pub(super) fn contains_matches(context: &mut Context, operands: &[&Value]) -> Answer {
    let (outer, inner) = (indexed(context, operands, 0)?, indexed(context, operands, 1)?);
    let mut found = Vec::new();
    for (outer, outer_index) in outer {
        // Looked at even if there is nothing to compare it with.
        let (outer, mut network) = (outer?, None);
        for (inner, inner_index) in &inner {
            let inner = inner.as_ref().map_err(Clone::clone)?;
            let network = match network {
                Some(network) => network,
                None => *network.insert(super::network(context, outer)?),
            };
            if super::holds(&network, super::text(context, inner)?)? {
                context.account.charge(PAIR)?;
                found.push(Value::array([outer_index.clone(), inner_index.clone()]));
            }
        }
    }
    Ok(Some(Value::set(found)))
}

fn indexed<'v>(context: &mut Context, operands: &[&'v Value], index: usize) -> Result<Vec<Indexed<'v>>, BuiltinError> {
    let operand = operand::at(operands, index)?;
    let element = |element: &'v Value, name: Value| (network(element, index), name);
    let count = match operand {
        Value::Array(items) => items.items().len(),
        Value::Set(members) => members.len(),
        Value::Object(members) => members.len(),
        _ => 1,
    };
    context.account.charge(count.saturating_mul(size_of::<Indexed<'_>>()))?;
    Ok(match operand {
        Value::String(_) => vec![(Ok(operand), operand.clone())],
        Value::Array(items) => items.items().iter().enumerate().map(|(at, item)| element(item, Value::from(at))).collect(),
        Value::Set(members) => members.members().iter().map(|member| element(member, member.clone())).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| element(value, key.clone())).collect(),
        _ => Vec::new(),
    })
}

/// An element itself, or the first of it when it is an array.
fn network(element: &Value, index: usize) -> Result<&Value, BuiltinError> {
    let first = match element {
        Value::String(_) => Some(element),
        Value::Array(items) => items.get(0),
        _ => None,
    };
    let number = index.saturating_add(1);
    first.ok_or_else(|| BuiltinError::failed(format!("operand {number}: element must be string or non-empty array")))
}
