//! Documents that are found once for all evaluations, and whether anything on the way depends on what was evaluated before.
//!
//! Functions, and rules at known keys, are computed once for what is equal: `f(1)` answers what `f(1.0)` did, if that was asked first.
//! Where no operand has a number that could be written otherwise, equal operands are the same, and it does not matter.

use super::Evaluation;
use super::cache::Known;
use super::head;
use super::parts::Recording;
use super::place::Prepared;
use super::val::{Val, is_name};
use crate::ir::{GroupId, GroupKind};
use crate::value::{Number, Value};

impl<'a> Evaluation<'a> {
    /// The whole document of a group, for others to begin with; `Unknown` where evaluating it ends in an error. And whether it is found
    /// whatever was evaluated before.
    pub(crate) fn prepare(&mut self, id: GroupId) -> (Prepared, bool) {
        let kind = self.policy.group(id).map(|group| group.kind);
        let value = match kind {
            Some(GroupKind::Complete) => self.complete(id),
            Some(GroupKind::Set | GroupKind::Object) => self.partial(id, &[]),
            Some(GroupKind::Function(_)) | None => return (Prepared::Unknown, false),
        };
        let prepared = match value {
            Ok(Some(value)) => Prepared::Is(value.clone()),
            Ok(None) => Prepared::Undefined,
            Err(_) => Prepared::Unknown,
        };
        let is_plain = !self.minds_order();
        if let Some(Recording { parts, made, .. }) = self.recording.take()
            && is_plain
            && !matches!(prepared, Prepared::Unknown)
        {
            parts.keep(made);
        }
        (prepared, is_plain)
    }

    /// Looks at what a function is called with, or a rule asked for.
    #[inline]
    pub(super) fn look_at(&mut self, operands: &[Val<'a>]) {
        self.met_unusual = self.met_unusual || !operands.iter().all(|operand| operand.value().is_plain());
    }

    /// Returns what this evaluation has found for a function with these operands, or a rule at these keys; `None` where it has not been asked
    /// for equal ones yet. After `f(1.0)`, `f(1)` gets the answer to `f(1.0)`, and the other way round: so where the two are written
    /// differently, the answer depends on which came first, and the evaluation may have to be done again in OPA's order ([`Self::ending`]).
    pub(super) fn recall(&mut self, id: GroupId, hash: u64, operands: &[Val<'a>]) -> Option<Known<'a>> {
        let (known, at) = self.scope.cache.keyed(id, hash, operands)?;
        let may_differ = self.met_unusual && !self.met_several && known.is_some() && !self.is_in_order();
        if may_differ && !self.scope.cache.is_written_as(at, operands) {
            self.met_several = true;
        }
        Some(known)
    }

    /// The whole document of a group, if it is known.
    #[inline]
    pub(super) fn known(&mut self, id: GroupId) -> Option<Known<'a>> {
        let (known, is_kept) = self.scope.cache.complete(id)?;
        self.used_kept = self.used_kept || is_kept;
        Some(known)
    }

    /// Looks at what a rule is asked for. Where it may read base documents, these have their keys by text, so that it finds more for a number, or
    /// text that may stand for one, than all of its document has; of sets with variables in its head it finds less. There it matters whether all
    /// of it was made before.
    #[inline]
    pub(super) fn look_at_key(&mut self, id: GroupId, keys: &[Val<'a>]) {
        let is_name = |key: &Val<'a>| is_name(key.value());
        if !self.asked_narrowly && !keys.iter().all(is_name) {
            let group = self.policy.group(id);
            let keys = group.map_or(keys, |group| head::of_members(group, keys));
            let is_base_reader = self.base_readers.get(id.index()).copied().unwrap_or_default();
            self.asked_narrowly = !keys.iter().all(is_name) && (is_base_reader || group.is_some_and(head::takes_no_value));
        }
    }

    /// Looks at what a rule is asked for with patterns among the keys.
    pub(super) fn look_at_patterns(&mut self, id: GroupId, keys: &[Val<'a>]) {
        self.look_at_key(id, keys);
        self.asked_narrowly = self.asked_narrowly || self.policy.group(id).is_some_and(head::hides_variables);
    }

    /// Whether something was asked for with a number that could be written in another way: what comes of it may depend on what was
    /// evaluated before.
    pub(crate) fn has_met_unusual(&self) -> bool {
        self.met_unusual
    }

    /// Whether what is found may depend on what was evaluated before.
    pub(crate) fn minds_order(&self) -> bool {
        self.met_unusual || self.asked_narrowly
    }

    /// Whether the answer may be another one where nothing is kept: something that is kept was used, and it matters what was evaluated before.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.minds_order() && self.used_kept
    }
}

/// The numbers inside a value that could be written in another way: no other one is written as the nearest double is, and equal to it.
pub(crate) fn unusual(value: &Value) -> impl Iterator<Item = &Number> {
    let mut waiting = vec![value];
    std::iter::from_fn(move || {
        while let Some(value) = waiting.pop() {
            match value {
                value if value.is_plain() => {}
                Value::Array(array) => waiting.extend(array.items()),
                Value::Set(set) => waiting.extend(set.members()),
                Value::Object(object) if object.shape().is_text() => waiting.extend(object.values()),
                Value::Object(object) => waiting.extend(object.keys().iter().chain(object.values())),
                Value::Number(number) => return Some(number.as_ref()),
                Value::Null | Value::False | Value::True | Value::Int(_) | Value::String(_) => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::unusual;
    use crate::value::{Value, json};

    #[test]
    fn numbers_in_keys_are_found() {
        let read = |text: &str| json::read(text.as_bytes(), 16).unwrap();
        for (key, value, count) in
            [("1", "2", 0), ("1.0", "2", 1), ("[1.0, 1e2]", "0.50", 3), ("\"1.0\"", "2.0", 1), ("1", "1.0", 1)]
        {
            let object = Value::object([(read(key), read(value))]);
            assert_eq!((unusual(&object).count(), object.is_plain()), (count, count == 0), "{key}: {value}");
        }
    }

    #[test]
    fn numbers_that_could_be_written_otherwise_are_found() {
        let plain = ["1", "0.5", "0.3333333333333333", "-7", "[1, {\"a\": 2.25}]"];
        let unusual = ["1.0", "0.50", "1e2", "-0", "-0.0", "5e-1", "0.33333333333333331", "[{\"a\": [1.0]}]", "1E400"];
        for (texts, expected) in [(&plain[..], true), (&unusual[..], false)] {
            for text in texts {
                assert_eq!(json::read(text.as_bytes(), 16).unwrap().is_plain(), expected, "{text}");
            }
        }
    }
}
