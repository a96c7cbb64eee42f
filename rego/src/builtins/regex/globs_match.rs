//! `regex.globs_match`: whether some text matches both globs (`builtinGlobsMatch`, on `yashtewari/glob-intersection`).

mod meet;
mod tokens;

use crate::builtins::error::Answer;
use crate::builtins::{Context, operand};
use crate::value::Value;

pub(super) fn globs_match(context: &mut Context, operands: &[&Value]) -> Answer {
    let (left, right) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(left.len().saturating_add(right.len()).saturating_mul(size_of::<tokens::Token>()))?;
    let (left, right) = (tokens::glob(left)?, tokens::glob(right)?);
    // Each question is asked once, and kept.
    context.account.charge(left.len().saturating_mul(right.len()).saturating_mul(meet::QUESTION))?;
    Ok(Some(meet::meet(&left, &right).into()))
}
