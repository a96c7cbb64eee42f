//! Patterns: what a value must be, and what is bound to its parts.

use super::quick::Quick;
use super::val::Val;
use super::{Evaluation, Stop};
use crate::ir::{Pattern, Term};
use crate::value::Value;

impl<'a> Evaluation<'a> {
    /// Whether a value fits, after binding what the pattern binds. Of what does not fit, some may be bound.
    #[inline]
    pub(super) fn matches(&mut self, pattern: &'a Pattern, value: Val<'a>, base: usize) -> Result<bool, Stop> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Never => Ok(false),
            Pattern::Bind(slot) => {
                self.bind(base, *slot, value);
                Ok(true)
            }
            Pattern::Equal(term) => self.equals(term, value.value(), base),
            Pattern::Array(items) => self.items(items, &value, base),
            Pattern::Object(members) => self.members(members, &value, base),
        }
    }

    pub(super) fn equals(&mut self, term: &'a Term, value: &Value, base: usize) -> Result<bool, Stop> {
        if let Term::Comprehension(comprehension) = term
            && !comprehension.may_equal(value)
        {
            return Ok(false);
        }
        match self.quick(term, base)? {
            Quick::Is(wanted) => Ok(wanted.equal_within(value, &mut self.context.account)?),
            known => match self.completed(known, term, base)? {
                Some(wanted) => Ok(wanted.value().equal_within(value, &mut self.context.account)?),
                None => Ok(false),
            },
        }
    }

    fn items(&mut self, items: &'a [Pattern], value: &Val<'a>, base: usize) -> Result<bool, Stop> {
        if !matches!(value.value(), Value::Array(array) if array.items().len() == items.len()) {
            return Ok(false);
        }
        for (index, item) in items.iter().enumerate() {
            let Some((_, part)) = value.entry(index) else { return Ok(false) };
            if !self.matches(item, part, base)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn members(&mut self, members: &'a [(Term, Pattern)], value: &Val<'a>, base: usize) -> Result<bool, Stop> {
        if !matches!(value.value(), Value::Object(object) if object.len() == members.len()) {
            return Ok(false);
        }
        for (key, member) in members {
            let Some(key) = self.term(key, base)? else { return Ok(false) };
            let Some(part) = value.get_within(key.value(), &mut self.context.account)? else { return Ok(false) };
            if !self.matches(member, part, base)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
