//! `concat` and `strings.reverse`.

use crate::builtins::error::Answer;
use crate::builtins::output::joined;
use crate::builtins::{Context, operand};
use crate::value::{Str, Value};

pub(super) fn concat(context: &mut Context, operands: &[&Value]) -> Answer {
    let (separator, collection) = (operand::string(operands, 0)?, operand::at(operands, 1)?);
    let members = match collection {
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        other => return Err(operand::wrong(1, other, &["set", "array"])),
    };
    if let [Value::String(one)] = members {
        return Ok(Some(Value::String(one.clone())));
    }
    if let Some(other) = members.iter().find(|member| member.as_str().is_none()) {
        return Err(operand::wrong_member(1, collection, other, "string"));
    }
    let texts = members.iter().map(|member| member.as_str().map(Str::as_str).unwrap_or_default());
    Ok(Some(Value::String(joined(&mut context.account, separator, texts)?)))
}

pub(super) fn reverse(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    Ok(Some(text.chars().rev().collect::<String>().into()))
}
