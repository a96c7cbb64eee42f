//! `replace` and `strings.replace_n`, as Go's `strings.NewReplacer`: at each place the first pair that fits, what was put in is not
//! looked at, and nothing fits before and behind each *byte*.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt};

use super::places;
use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::output::filled;
use crate::builtins::{Context, bytes, operand};
use crate::limits::Account;
use crate::value::Value;

/// What to look for, and what to put in its place.
type Pair<'v> = (Cow<'v, [u8]>, Cow<'v, [u8]>);

pub(super) fn replace(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, old) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    let new = operand::string(operands, 2)?;
    if old.is_empty() {
        return replaced(&mut context.account, &[(bytes::of(old), bytes::of(new))], text);
    }
    context.account.step(u64::try_from(text.len() / 64).unwrap_or(u64::MAX))?;
    let count = places::of(text, old).count();
    if count == 0 {
        return Ok(Some(Value::String(text.clone())));
    }
    let rest = text.len().saturating_sub(count.saturating_mul(old.len()));
    context.account.step(u64::try_from(count).unwrap_or(u64::MAX))?;
    let made = filled(&mut context.account, rest.saturating_add(count.saturating_mul(new.len())), |write| {
        let mut from = 0;
        for at in places::of(text, old) {
            write(text.get(from..at).unwrap_or_default());
            write(new);
            from = at.saturating_add(old.len());
        }
        write(text.get(from..).unwrap_or_default());
    });
    Ok(Some(Value::String(made?)))
}

pub(super) fn replace_n(context: &mut Context, operands: &[&Value]) -> Answer {
    let (patterns, text) = (operand::object(operands, 0)?, operand::string(operands, 1)?);
    let mut pairs = Vec::new();
    for (old, new) in patterns.iter() {
        context.account.charge(size_of::<Pair<'_>>())?;
        let old = old.as_str().ok_or_else(|| operand::invalid(0, "non-string key found in pattern object"))?;
        let new = new.as_str().ok_or_else(|| operand::invalid(0, "non-string value found in pattern object"))?;
        pairs.push((bytes::of(old), bytes::of(new)));
    }
    replaced(&mut context.account, &pairs, text)
}

/// Pairs by the first byte of what they look for; each with its place in the order.
struct Index<'p> {
    by_byte: HashMap<u8, Vec<(usize, &'p Pair<'p>)>>,
    /// The bytes that any of them begins with.
    begins: [bool; 256],
    empty: Option<(usize, &'p Pair<'p>)>,
}

impl<'p> Index<'p> {
    fn new(pairs: &'p [Pair<'p>]) -> Self {
        let mut index = Self { by_byte: HashMap::new(), begins: [false; 256], empty: None };
        for pair in pairs.iter().enumerate() {
            match pair.1.0.first() {
                Some(first) => {
                    if let Some(begins) = index.begins.get_mut(usize::from(*first)) {
                        *begins = true;
                    }
                    index.by_byte.entry(*first).or_default().push(pair);
                }
                None => index.empty = index.empty.or(Some(pair)),
            }
        }
        index
    }

    /// How many bytes there are in front of the first place at which any pair may fit.
    fn passed(&self, rest: &[u8]) -> usize {
        if self.empty.is_some() {
            return 0;
        }
        let begins = |byte: &u8| self.begins.get(usize::from(*byte)).copied().unwrap_or_default();
        rest.iter().position(begins).unwrap_or(rest.len())
    }

    /// The first pair that fits here.
    fn find(&self, rest: &[u8], but_empty: bool, account: &mut Account) -> Result<Option<&'p Pair<'p>>, BuiltinError> {
        let mut found = if but_empty { None } else { self.empty };
        for (place, pair) in rest.first().and_then(|first| self.by_byte.get(first)).into_iter().flatten() {
            account.step(1)?;
            if found.is_some_and(|(first, _)| first < *place) {
                break;
            }
            if rest.starts_with(&pair.0) {
                found = Some((*place, pair));
                break;
            }
        }
        Ok(found.map(|(_, pair)| pair))
    }
}

/// The text with the first of the pairs that fits, at each place.
fn replaced(account: &mut Account, pairs: &[Pair<'_>], text: &str) -> Answer {
    let index = Index::new(pairs);
    let whole = bytes::of(text);
    account.charge(text.len())?;
    let (mut made, mut rest, mut was_empty) = (Vec::new(), whole.as_ref(), false);
    loop {
        let (passed, behind) = rest.split_at(index.passed(rest));
        made.extend_from_slice(passed);
        rest = behind;
        let found = index.find(rest, was_empty, account)?;
        was_empty = found.is_some_and(|(old, _)| old.is_empty());
        if let Some((old, new)) = found {
            account.charge(new.len())?;
            made.extend_from_slice(new);
            rest = rest.get(old.len()..).unwrap_or_default();
            continue;
        }
        let Some((next, after)) = rest.split_first() else { break };
        made.push(*next);
        rest = after;
    }
    Ok(Some(bytes::text(made).into()))
}
