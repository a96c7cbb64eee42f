//! `concat` and `strings.reverse`.

use crate::builtins::error::Answer;
use crate::builtins::output::Output;
use crate::builtins::{Context, operand};
use crate::value::Value;

pub(super) fn concat(context: &mut Context, operands: &[Value]) -> Answer {
    let (separator, collection) = (operand::string(operands, 0)?, operand::at(operands, 1)?);
    let members = match collection {
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        other => return Err(operand::wrong(1, other, &["set", "array"])),
    };
    if let [Value::String(one)] = members {
        return Ok(Some(Value::String(one.clone())));
    }
    let mut out = Output::new(&mut context.account);
    for (at, member) in members.iter().enumerate() {
        let text = member.as_str().ok_or_else(|| operand::wrong_member(1, collection, member, "string"))?;
        out.push(if at > 0 { separator } else { "" })?;
        out.push(text)?;
    }
    Ok(Some(out.finish().into()))
}

pub(super) fn reverse(context: &mut Context, operands: &[Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    Ok(Some(text.chars().rev().collect::<String>().into()))
}
