//! `strings.any_prefix_match` and `strings.any_suffix_match` (`v1/topdown/strings.go`, `anyAffixMatch`).

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand};
use crate::value::{ArcStr, Value};

pub(super) fn any_prefix(context: &mut Context, operands: &[Value]) -> Answer {
    let (texts, prefixes) = collections(context, operands)?;
    let texts: Vec<Vec<u8>> = texts.into_iter().map(|text| text.as_bytes().to_vec()).collect();
    Ok(Some(any(texts, prefixes.into_iter().map(|prefix| prefix.as_bytes().to_vec())).into()))
}

/// The same with everything reversed, byte by byte.
pub(super) fn any_suffix(context: &mut Context, operands: &[Value]) -> Answer {
    let (texts, suffixes) = collections(context, operands)?;
    let reversed = |text: &ArcStr| text.bytes().rev().collect::<Vec<u8>>();
    Ok(Some(any(texts.into_iter().map(reversed).collect(), suffixes.into_iter().map(reversed)).into()))
}

fn collections<'v>(context: &mut Context, operands: &'v [Value]) -> Result<(Vec<&'v ArcStr>, Vec<&'v ArcStr>), BuiltinError> {
    let (texts, affixes) = (strings(operands, 0)?, strings(operands, 1)?);
    for text in texts.iter().chain(&affixes) {
        context.account.charge(text.len().saturating_add(size_of::<Vec<u8>>()))?;
    }
    Ok((texts, affixes))
}

/// One string, or those of an array or a set.
fn strings(operands: &[Value], index: usize) -> Result<Vec<&ArcStr>, BuiltinError> {
    let operand = operand::at(operands, index)?;
    let members = match operand {
        Value::String(text) => return Ok(vec![text]),
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        other => return Err(operand::wrong(index, other, &["string", "set", "array"])),
    };
    let text = |member: &'_ Value| member.as_str().is_none().then(|| operand::wrong_member(index, operand, member, "string"));
    members.iter().find_map(text).map_or(Ok(()), Err)?;
    Ok(members.iter().filter_map(Value::as_str).collect())
}

/// Whether a text begins with a prefix: sorted, those with a prefix stand right behind where it would stand.
fn any(mut texts: Vec<Vec<u8>>, mut prefixes: impl Iterator<Item = Vec<u8>>) -> bool {
    texts.sort_unstable();
    prefixes.any(|prefix| {
        let at = texts.partition_point(|text| *text < prefix);
        texts.get(at).is_some_and(|text| text.starts_with(&prefix))
    })
}
