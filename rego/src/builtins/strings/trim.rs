//! `trim*`: what is taken away is one text, or any of some characters.

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand};
use crate::value::{Str, Value};

/// Characters to take away, sorted.
struct Cutset(Vec<char>);

impl Cutset {
    fn has(&self, c: char) -> bool {
        self.0.binary_search(&c).is_ok()
    }
}

pub(super) fn both(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, cutset) = with_cutset(context, operands)?;
    kept(context, text, text.trim_matches(|c| cutset.has(c)))
}

pub(super) fn left(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, cutset) = with_cutset(context, operands)?;
    kept(context, text, text.trim_start_matches(|c| cutset.has(c)))
}

pub(super) fn right(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, cutset) = with_cutset(context, operands)?;
    kept(context, text, text.trim_end_matches(|c| cutset.has(c)))
}

pub(super) fn prefix(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, prefix) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    kept(context, text, text.strip_prefix(prefix.as_str()).unwrap_or(text))
}

pub(super) fn suffix(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, suffix) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    kept(context, text, text.strip_suffix(suffix.as_str()).unwrap_or(text))
}

pub(super) fn space(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    kept(context, text, text.trim())
}

fn with_cutset<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<(&'v Str, Cutset), BuiltinError> {
    let (text, cutset) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(cutset.len().saturating_mul(size_of::<char>()))?;
    let mut cutset: Vec<char> = cutset.chars().collect();
    cutset.sort_unstable();
    Ok((text, Cutset(cutset)))
}

/// The part as a value: the text itself where nothing was taken away.
fn kept(context: &mut Context, text: &Str, part: &str) -> Answer {
    if part.len() == text.len() {
        return Ok(Some(Value::String(text.clone())));
    }
    context.account.charge(text.len())?;
    Ok(Some(part.into()))
}
