//! What text holds, begins and ends with, and where.

use super::places;
use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand};
use crate::value::{Str, Value};

/// The two texts of a call; charged for looking through the first.
fn texts<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<(&'v Str, &'v Str), BuiltinError> {
    let (text, part) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.step(u64::try_from(text.len() / 64).unwrap_or(u64::MAX))?;
    Ok((text, part))
}

pub(super) fn contains(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = texts(context, operands)?;
    Ok(Some(text.contains(part.as_str()).into()))
}

pub(super) fn starts_with(_: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    Ok(Some(text.starts_with(part.as_str()).into()))
}

pub(super) fn ends_with(_: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    Ok(Some(text.ends_with(part.as_str()).into()))
}

/// How often, without overlaps; the empty text stands around each character.
pub(super) fn count(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = texts(context, operands)?;
    if part.is_empty() {
        return Ok(Some(text.chars().count().saturating_add(1).into()));
    }
    Ok(Some(places::of(text, part).count().into()))
}

fn searched<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<(&'v Str, &'v Str), BuiltinError> {
    let (text, part) = texts(context, operands)?;
    if part.is_empty() { Err(BuiltinError::failed("empty search character")) } else { Ok((text, part)) }
}

/// The first place, counted in characters; -1 for none.
pub(super) fn index_of(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = searched(context, operands)?;
    let Some(at) = text.find(part.as_str()) else { return Ok(Some(Value::Int(-1))) };
    Ok(Some(text.get(..at).unwrap_or_default().chars().count().into()))
}

/// Every place, also those that overlap.
pub(super) fn index_of_n(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, part) = searched(context, operands)?;
    let (mut places, mut rest, mut passed) = (Vec::new(), text.as_str(), 0_usize);
    while let Some(at) = rest.find(part.as_str()) {
        context.account.charge(part.len().saturating_add(size_of::<Value>()))?;
        passed = passed.saturating_add(rest.get(..at).unwrap_or_default().chars().count());
        places.push(Value::from(passed));
        passed = passed.saturating_add(1);
        let mut behind = rest.get(at..).unwrap_or_default().chars();
        behind.next();
        rest = behind.as_str();
    }
    Ok(Some(Value::array(places)))
}
