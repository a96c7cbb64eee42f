//! Bounded search for sets, and bounded ranking of values.

use regorus::Value;
use regorus::value::Set;

/// Values looked at in search of a set.
pub(super) const LOOKED_AT: usize = 16_000_000;
/// Values put into OPA's order at once.
pub(super) const ORDERED: usize = 1_000_000;

/// Shared parts count each time, so a small policy can make a value that nobody could go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("would put more than {0} values into order")]
pub(in crate::rego) struct TooMany(pub(super) usize);

/// A bounded search for sets.
pub(super) struct Looks {
    left: usize,
}

impl Default for Looks {
    fn default() -> Self {
        Self { left: LOOKED_AT }
    }
}

impl Looks {
    pub(super) fn in_order(&mut self, value: &Value, deep: bool) -> Result<bool, TooMany> {
        self.look()?;
        Ok(match value {
            Value::Set(set) => self.keys_in_order(|| set.iter_sorted())? && (!deep || self.all_in_order(set.iter_sorted())?),
            Value::Object(members) => {
                let keys = || members.iter_sorted().map(|(key, _)| key);
                self.keys_in_order(keys)? && (!deep || self.all_in_order(members.iter_sorted().map(|(_, value)| value))?)
            }
            Value::Array(items) => !deep || self.all_in_order(items.iter())?,
            _ => true,
        })
    }

    /// Sets alone are in order; it is what stands beside them that is not.
    pub(super) fn keys_in_order<'v, K>(&mut self, keys: impl Fn() -> K) -> Result<bool, TooMany>
    where
        K: DoubleEndedIterator<Item = &'v Value>,
    {
        if has_scalars_only(keys()) || self.none(keys())? {
            return Ok(true);
        }
        let mut ranks = Ranks::default();
        Ok(keys().map(|key| ranks.of(key)).collect::<Result<Vec<_>, _>>()?.is_sorted())
    }

    fn all_in_order<'v>(&mut self, values: impl Iterator<Item = &'v Value>) -> Result<bool, TooMany> {
        for value in values {
            if !self.in_order(value, true)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no member of a set holds a set: they are in OPA's order as they come.
    pub(super) fn has_order(&mut self, set: &Set) -> Result<bool, TooMany> {
        self.none(set.iter_sorted())
    }

    fn look(&mut self) -> Result<(), TooMany> {
        self.left = self.left.checked_sub(1).ok_or(TooMany(LOOKED_AT))?;
        Ok(())
    }

    pub(super) fn none<'v>(&mut self, values: impl Iterator<Item = &'v Value>) -> Result<bool, TooMany> {
        for value in values {
            if self.has_set(value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn has_set(&mut self, value: &Value) -> Result<bool, TooMany> {
        self.look()?;
        Ok(match value {
            Value::Set(_) => true,
            Value::Array(items) => !self.none(items.iter())?,
            Value::Object(members) => !self.none(members.iter_sorted().flat_map(|(key, value)| [key, value]))?,
            _ => false,
        })
    }
}

/// Whether keys, in order, are all scalars: these come first. So a lookup costs no look at every key.
pub(super) fn has_scalars_only<'v>(mut keys: impl DoubleEndedIterator<Item = &'v Value>) -> bool {
    keys.next_back().is_none_or(|last| !is_composite(last))
}

pub(super) fn is_composite(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_) | Value::Set(_))
}

/// A value by its place in OPA's order: that of the variants, then that of what is inside.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank<'v> {
    Scalar(&'v Value),
    Array(Vec<Self>),
    Object(Vec<(Self, Self)>),
    Set(Vec<Self>),
}

/// Ranks values, a bounded number.
pub(super) struct Ranks {
    left: usize,
}

impl Default for Ranks {
    fn default() -> Self {
        Self { left: ORDERED }
    }
}

impl Ranks {
    pub(super) fn of<'v>(&mut self, value: &'v Value) -> Result<Rank<'v>, TooMany> {
        self.left = self.left.checked_sub(1).ok_or(TooMany(ORDERED))?;
        Ok(match value {
            Value::Array(items) => Rank::Array(items.iter().map(|item| self.of(item)).collect::<Result<_, _>>()?),
            Value::Set(members) => {
                let mut members = members.iter_sorted().map(|member| self.of(member)).collect::<Result<Vec<_>, _>>()?;
                members.sort();
                Rank::Set(members)
            }
            Value::Object(members) => {
                let members = members.iter_sorted().map(|(key, value)| Ok((self.of(key)?, self.of(value)?)));
                let mut members = members.collect::<Result<Vec<_>, _>>()?;
                members.sort();
                Rank::Object(members)
            }
            scalar => Rank::Scalar(scalar),
        })
    }
}
