//! Globs (`v1/topdown/glob.go`, on `gobwas/glob`).

mod pattern;

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::error::Answer;
use super::recent::{Kept, Recent};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand};
use crate::value::Value;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("glob.match", &[Type::String, Type::Or(&[Type::Null, Type::Array(&Type::String)]), Type::String], Some(Type::Boolean))
        .by(matches),
    row("glob.quote_meta", &[Type::String], Some(Type::String)).by(quote_meta),
];

/// A compiled glob.
struct Glob(Regex);

static RECENT: LazyLock<Recent<Glob>> = LazyLock::new(Recent::default);

fn matches(context: &mut Context, operands: &[&Value]) -> Answer {
    let (glob, separators) = (operand::string(operands, 0)?, separators(operands)?);
    let text = operand::string(operands, 2)?;
    context.account.step(u64::try_from(text.len() / 16).unwrap_or(u64::MAX))?;
    super::regex::time_for(&context.account, u64::try_from(glob.len()).unwrap_or(u64::MAX), text)?;
    Ok(Some(compiled(context, glob, &separators)?.0.is_match(text).into()))
}

/// Null are none, no elements the dot.
fn separators(operands: &[&Value]) -> Result<Vec<char>, BuiltinError> {
    let operand = operand::at(operands, 1)?;
    let members = match operand {
        Value::Null => return Ok(Vec::new()),
        Value::Array(array) => array.items(),
        other => return Err(operand::wrong(1, other, &["array", "null"])),
    };
    let separators = members.iter().map(|member| separator(operand, member)).collect::<Result<Vec<_>, _>>()?;
    Ok(if separators.is_empty() { vec!['.'] } else { separators })
}

/// A text of one character.
fn separator(operand: &Value, member: &Value) -> Result<char, BuiltinError> {
    let text = member.as_str().ok_or_else(|| operand::wrong_member(1, operand, member, "string"))?;
    let mut characters = text.chars();
    let first = characters.next().filter(|_| characters.next().is_none());
    first.ok_or_else(|| operand::wrong_member(1, operand, member, "rune"))
}

fn compiled(context: &mut Context, glob: &str, separators: &[char]) -> Result<Arc<Glob>, BuiltinError> {
    let texts = separators.iter().collect::<String>();
    // The number keeps apart where the separators end.
    let key = format!("{} {texts}{glob}", separators.len());
    if let Some(kept) = context.kept.get::<Kept<Glob>>().find(&key) {
        return Ok(kept);
    }
    super::regex::pay(context, &key)?;
    let compiled = RECENT.of(&key, || super::regex::build(&pattern::expression(glob, separators)?).map(Glob))?;
    context.kept.get::<Kept<Glob>>().keep(&key, &compiled);
    Ok(compiled)
}

fn quote_meta(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        if r"*?\[]{}".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    Ok(Some(quoted.into()))
}
