//! `strings.any_prefix_match` and `strings.any_suffix_match` (`v1/topdown/strings.go`, `anyAffixMatch`).

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand};
use crate::value::{Str, Value};

/// Texts of an operand, which stay where they are.
type Texts<'v> = &'v [Value];

/// So many pairs are compared one by one.
const FEW: usize = 64;

pub(super) fn any_prefix(context: &mut Context, operands: &[&Value]) -> Answer {
    let (texts, prefixes) = collections(context, operands)?;
    if texts.len().saturating_mul(prefixes.len()) <= FEW {
        return Ok(Some(each(texts).any(|text| each(prefixes).any(|prefix| text.starts_with(prefix.as_str()))).into()));
    }
    let texts: Vec<&[u8]> = each(texts).map(|text| text.as_bytes()).collect();
    Ok(Some(any(texts, each(prefixes).map(|prefix| prefix.as_bytes())).into()))
}

/// The same with everything reversed, byte by byte.
pub(super) fn any_suffix(context: &mut Context, operands: &[&Value]) -> Answer {
    let (texts, suffixes) = collections(context, operands)?;
    if texts.len().saturating_mul(suffixes.len()) <= FEW {
        return Ok(Some(each(texts).any(|text| each(suffixes).any(|suffix| text.ends_with(suffix.as_str()))).into()));
    }
    let reversed = |text: &Str| text.bytes().rev().collect::<Vec<u8>>();
    Ok(Some(any(each(texts).map(reversed).collect(), each(suffixes).map(reversed)).into()))
}

fn collections<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<(Texts<'v>, Texts<'v>), BuiltinError> {
    let (texts, affixes) = (strings(operands, 0)?, strings(operands, 1)?);
    for text in each(texts).chain(each(affixes)) {
        context.account.charge(text.len().saturating_add(size_of::<Vec<u8>>()))?;
    }
    Ok((texts, affixes))
}

/// One string, or those of an array or a set.
fn strings<'o>(operands: &[&'o Value], index: usize) -> Result<Texts<'o>, BuiltinError> {
    let operand = operand::at(operands, index)?;
    let members = match operand {
        Value::String(_) => return Ok(std::slice::from_ref(operand)),
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        other => return Err(operand::wrong(index, other, &["string", "set", "array"])),
    };
    let text = |member: &'_ Value| member.as_str().is_none().then(|| operand::wrong_member(index, operand, member, "string"));
    members.iter().find_map(text).map_or(Ok(members), Err)
}

fn each(texts: Texts<'_>) -> impl Iterator<Item = &Str> {
    texts.iter().filter_map(Value::as_str)
}

/// Whether a text begins with a prefix: sorted, those with a prefix stand right behind where it would stand.
fn any<T: AsRef<[u8]> + Ord>(mut texts: Vec<T>, mut prefixes: impl Iterator<Item = T>) -> bool {
    texts.sort_unstable();
    prefixes.any(|prefix| {
        let at = texts.partition_point(|text| *text < prefix);
        texts.get(at).is_some_and(|text| text.as_ref().starts_with(prefix.as_ref()))
    })
}
