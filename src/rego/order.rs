//! OPA's order of values (opa `v1/ast/compare.go`): the interpreter's, but that there objects come before sets.

use std::cmp::Ordering;

use regorus::Value;
use regorus::value::{Object, Set};

mod bounded;

pub(super) use bounded::TooMany;
use bounded::{Looks, Ranks, has_scalars_only, is_composite};

/// How two values compare.
pub(super) fn compare(a: &Value, b: &Value) -> Result<Ordering, TooMany> {
    if !(is_composite(a) && is_composite(b)) {
        return Ok(a.cmp(b));
    }
    let mut looks = Looks::default();
    // Without sets the two orders are one.
    if !looks.has_set(a)? && !looks.has_set(b)? {
        return Ok(a.cmp(b));
    }
    let mut ranks = Ranks::default();
    Ok(ranks.of(a)?.cmp(&ranks.of(b)?))
}

/// The members of a set.
pub(super) fn members(set: &Set) -> Result<Vec<&Value>, TooMany> {
    if Looks::default().has_order(set)? { Ok(set.iter_sorted().collect()) } else { sorted(set.iter_sorted()) }
}

/// Values in order, equal ones as they come.
pub(super) fn sorted<'v>(values: impl Iterator<Item = &'v Value>) -> Result<Vec<&'v Value>, TooMany> {
    Ok(by_keys(values.map(|value| (value, value)))?.into_iter().map(|(value, _)| value).collect())
}

/// Keys and values of an object, in the order of the keys.
pub(super) fn entries(object: &Object) -> Result<Vec<(&Value, &Value)>, TooMany> {
    if Looks::default().none(object.iter_sorted().map(|(key, _)| key))? {
        Ok(object.iter_sorted().collect())
    } else {
        by_keys(object.iter_sorted())
    }
}

fn by_keys<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Result<Vec<(&'v Value, &'v Value)>, TooMany> {
    let mut ranks = Ranks::default();
    let mut ranked = pairs.map(|pair| Ok((ranks.of(pair.0)?, pair))).collect::<Result<Vec<_>, TooMany>>()?;
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(ranked.into_iter().map(|(_, pair)| pair).collect())
}

/// What to go through instead of a collection whose order is another than OPA's, if names of keys do not matter: an array.
pub(super) fn instead(collection: &Value) -> Result<Option<Value>, TooMany> {
    if Looks::default().in_order(collection, false)? {
        return Ok(None);
    }
    let values = match collection {
        Value::Set(set) => members(set)?,
        Value::Object(object) => entries(object)?.into_iter().map(|(_, value)| value).collect(),
        _ => return Ok(None),
    };
    Ok(Some(Value::from(values.into_iter().cloned().collect::<Vec<_>>())))
}

/// Whether a collection, and with `deep` all inside it, is gone through in OPA's order as it is.
pub(super) fn is_kept(collection: &Value, deep: bool) -> Result<bool, TooMany> {
    Looks::default().in_order(collection, deep)
}

/// Whether those keys or members of a collection are that are arrays, or objects: the others cannot be what a pattern looks for.
pub(super) fn is_kept_among(collection: &Value, of_kind: fn(&Value) -> bool) -> Result<bool, TooMany> {
    let mut looks = Looks::default();
    match collection {
        Value::Set(set) if has_scalars_only(set.iter_sorted()) => Ok(true),
        Value::Object(members) if has_scalars_only(members.iter_sorted().map(|(key, _)| key)) => Ok(true),
        Value::Set(set) => looks.keys_in_order(|| set.iter_sorted().filter(|member| of_kind(member))),
        Value::Object(members) => looks.keys_in_order(|| members.iter_sorted().map(|(key, _)| key).filter(|key| of_kind(key))),
        _ => Ok(true),
    }
}

/// Whether there is a set among the members of a collection, or inside one.
pub(super) fn holds_sets(collection: &Value) -> Result<bool, TooMany> {
    let mut looks = Looks::default();
    Ok(match collection {
        Value::Array(items) => !looks.none(items.iter())?,
        Value::Set(set) => !looks.has_order(set)?,
        _ => false,
    })
}

#[cfg(test)]
mod tests;
