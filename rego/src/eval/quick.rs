//! Terms whose values are borrowed: nearly all that policies read. A pointer in a register is all that is moved for them.

use super::val::{Val, below_base};
use super::{Evaluation, Stop};
use crate::ir::{Head, Pattern, Reference, Term};
use crate::value::Value;

/// What is known of a term without making anything.
#[derive(Clone, Copy)]
pub(super) enum Quick<'a> {
    /// It lives until the evaluation ends.
    Is(&'a Value),
    /// It has no value.
    Undefined,
    /// Nothing was evaluated: its value has to be made, or is owned by a variable.
    Unknown,
}

impl<'a> Evaluation<'a> {
    /// The value of a term, if it is borrowed.
    #[inline]
    pub(super) fn quick(&mut self, term: &'a Term, base: usize) -> Result<Quick<'a>, Stop> {
        match term {
            Term::Reference(reference) => self.quick_reference(reference, base),
            term => Ok(self.at_hand(term, base)),
        }
    }

    /// The value of a term of which so much is known.
    #[inline]
    pub(super) fn completed(&mut self, known: Quick<'a>, term: &'a Term, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match known {
            Quick::Is(value) => Ok(Some(Val::Ref(value))),
            Quick::Undefined => Ok(None),
            Quick::Unknown => self.term(term, base),
        }
    }

    /// The value of a term that is no reference, if it is borrowed.
    #[inline]
    fn at_hand(&self, term: &'a Term, base: usize) -> Quick<'a> {
        match term {
            Term::Constant(value) => Quick::Is(value),
            Term::Slot(slot) => match self.slot(base, *slot) {
                Val::Ref(value) => Quick::Is(value),
                Val::Own(_) => Quick::Unknown,
            },
            Term::Input => self.scope.input.map_or(Quick::Undefined, Quick::Is),
            _ => Quick::Unknown,
        }
    }

    /// What a reference finds, if that is borrowed.
    pub(super) fn quick_reference(&mut self, reference: &'a Reference, base: usize) -> Result<Quick<'a>, Stop> {
        let value = match &reference.head {
            Head::Input => self.scope.input,
            Head::Base if !self.scope.is_replaced() => Some(self.scope.stored),
            Head::Group(group) if !self.scope.is_replaced() => {
                self.context.account.step(1)?;
                let found = self.group_document(*group, &reference.keys, base)?;
                return Ok(found.map_or(Quick::Undefined, Quick::Is));
            }
            Head::Term(term) => match self.at_hand(term, base) {
                Quick::Is(value) => Some(value),
                Quick::Undefined => None,
                Quick::Unknown => return Ok(Quick::Unknown),
            },
            Head::Base | Head::Data | Head::Group(_) => return Ok(Quick::Unknown),
        };
        self.context.account.step(1)?;
        let Some(value) = value else { return Ok(Quick::Undefined) };
        let step = if matches!(reference.head, Head::Base) { below_base } else { Value::get };
        Ok(self.borrowed(value, &reference.keys, step, base)?.map_or(Quick::Undefined, Quick::Is))
    }

    /// What lies below a value at keys.
    pub(super) fn borrowed(
        &mut self,
        mut value: &'a Value,
        keys: &'a [Term],
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
        base: usize,
    ) -> Result<Option<&'a Value>, Stop> {
        for key in keys {
            match self.step_below(value, key, step, base)? {
                Some(found) => value = found,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }

    /// One step below a value.
    #[inline]
    pub(super) fn step_below(
        &mut self,
        value: &'a Value,
        key: &'a Term,
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
        base: usize,
    ) -> Result<Option<&'a Value>, Stop> {
        if let Term::Constant(key) = key {
            return Ok(self.one_below(value, key, step));
        }
        match self.quick(key, base)? {
            Quick::Is(key) => Ok(self.found_below(value, key, step)?.map(|found| asked(value, found, key))),
            Quick::Undefined => Ok(None),
            Quick::Unknown => match self.term(key, base)? {
                Some(key) => {
                    let found = self.found_below(value, key.value(), step)?;
                    Ok(found.map(|found| self.as_asked(value, found, key.value())))
                }
                None => Ok(None),
            },
        }
    }

    /// One step below a value; a key that is a collection may be larger than anybody could compare.
    #[inline]
    fn found_below(
        &mut self,
        value: &'a Value,
        key: &Value,
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
    ) -> Result<Option<&'a Value>, Stop> {
        match key.as_collection() {
            Some(_) => Ok(value.get_within(key, &mut self.context.account)?),
            None => Ok(step(value, key)),
        }
    }

    /// One step below a value, at a key that stands in a policy.
    #[inline]
    pub(super) fn one_below(
        &mut self,
        value: &'a Value,
        key: &'a Value,
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
    ) -> Option<&'a Value> {
        match (value, key) {
            (Value::Object(object), Value::String(_)) => self.places.find(object, key),
            _ => step(value, key).map(|found| asked(value, found, key)),
        }
    }

    /// Returns the same as [`asked`], for a key that does not live as long as the evaluation.
    pub(super) fn as_asked(&self, collection: &Value, found: &'a Value, key: &Value) -> &'a Value {
        let may_differ = matches!(collection, Value::Set(_)) && !(found.is_plain() && key.is_plain());
        if may_differ { self.keep(key.clone()) } else { found }
    }

    /// Whether a borrowed value fits, after binding what the pattern binds.
    #[inline]
    pub(super) fn fits(&mut self, pattern: &'a Pattern, value: &'a Value, base: usize) -> Result<bool, Stop> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Bind(slot) => {
                self.bind(base, *slot, Val::Ref(value));
                Ok(true)
            }
            Pattern::Equal(term) => self.equals(term, value, base),
            pattern => self.matches(pattern, Val::Ref(value), base),
        }
    }
}

/// Returns the value of a reference one step below a collection: of a set the key as it is asked for, `{1.0}[1]` is 1; else `found` (opa
/// `v1/topdown/eval.go`, `evalTerm.get`).
fn asked<'a>(collection: &Value, found: &'a Value, key: &'a Value) -> &'a Value {
    if matches!(collection, Value::Set(_)) { key } else { found }
}
