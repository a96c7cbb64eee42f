//! Terms: what has at most one value.

use super::val::{Val, below_base};
use super::{Evaluation, Stop};
use crate::ir::{Head, Reference, Term};
use crate::value::{ObjectBuilder, Value};

impl<'a> Evaluation<'a> {
    /// The value of a term; `None` when it is undefined.
    pub(super) fn term(&mut self, term: &'a Term, base: usize) -> Result<Option<Val<'a>>, Stop> {
        Ok(Some(match term {
            Term::Constant(value) => Val::Ref(value),
            Term::Slot(slot) => self.slot(base, *slot).clone(),
            Term::Input => return Ok(self.scope.input.map(Val::Ref)),
            Term::Reference(reference) => return self.reference(reference, base),
            Term::Comprehension(comprehension) => return self.comprehension(comprehension, base).map(Some),
            Term::Array(items) => match self.deeper(|eval| eval.terms(items, base))? {
                Some(items) => Val::Own(Value::array(items)),
                None => return Ok(None),
            },
            Term::Set(items) => match self.deeper(|eval| eval.terms(items, base))? {
                Some(items) => Val::Own(self.set_of(items)?),
                None => return Ok(None),
            },
            Term::Object(members) => return self.deeper(|eval| eval.object_term(members, base)),
        }))
    }

    /// The values of all of them, if all are defined.
    pub(super) fn terms(&mut self, terms: &'a [Term], base: usize) -> Result<Option<Vec<Value>>, Stop> {
        self.context.account.charge(terms.len().saturating_mul(size_of::<Value>()))?;
        let mut values = Vec::with_capacity(terms.len());
        for term in terms {
            match self.term(term, base)? {
                Some(value) => values.push(value.into_value()),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn object_term(&mut self, members: &'a [(Term, Term)], base: usize) -> Result<Option<Val<'a>>, Stop> {
        self.context.account.charge(members.len().saturating_mul(2 * size_of::<Value>()))?;
        let mut builder = ObjectBuilder::default();
        for (key, value) in members {
            let (Some(key), Some(value)) = (self.term(key, base)?, self.term(value, base)?) else { return Ok(None) };
            builder.insert(key.into_value(), value.into_value());
        }
        Ok(Some(Val::Own(builder.finish())))
    }

    /// What a reference finds whose keys are all known.
    fn reference(&mut self, reference: &'a Reference, base: usize) -> Result<Option<Val<'a>>, Stop> {
        self.context.account.step(1)?;
        let value = match &reference.head {
            Head::Input => self.scope.input.map(Val::Ref),
            Head::Base if self.scope.is_replaced() => return self.documents(&[], &reference.keys, base),
            Head::Base => self.scope.data.map(Val::Ref),
            Head::Term(term) => self.term(term, base)?,
            Head::Data => return self.documents(&[], &reference.keys, base),
            Head::Group(group) if self.scope.is_replaced() => {
                let path = self.policy.group(*group).map(|group| &*group.path).unwrap_or_default();
                return self.documents(path, &reference.keys, base);
            }
            Head::Group(group) => return self.group_document(*group, &reference.keys, base),
        };
        let step = if matches!(reference.head, Head::Base) { below_base } else { Value::get };
        match value {
            // Nearly all that policies read is borrowed: pointers alone are moved on the way.
            Some(Val::Ref(value)) => Ok(self.borrowed(value, &reference.keys, step, base)?.map(Val::Ref)),
            Some(Val::Own(value)) => Ok(self.owned(&value, &reference.keys, base)?.map(Val::Own)),
            None => Ok(None),
        }
    }

    fn borrowed(
        &mut self,
        mut value: &'a Value,
        keys: &'a [Term],
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
        base: usize,
    ) -> Result<Option<&'a Value>, Stop> {
        for key in keys {
            let found = match key {
                Term::Constant(key) => step(value, key),
                key => match self.term(key, base)? {
                    Some(key) => step(value, key.value()),
                    None => None,
                },
            };
            match found {
                Some(found) => value = found,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }

    fn owned(&mut self, value: &Value, keys: &'a [Term], base: usize) -> Result<Option<Value>, Stop> {
        let mut value = value;
        for key in keys {
            let Some(key) = self.term(key, base)? else { return Ok(None) };
            match value.get(key.value()) {
                Some(found) => value = found,
                None => return Ok(None),
            }
        }
        Ok(Some(value.clone()))
    }

    fn documents(&mut self, path: &'a [Value], keys: &'a [Term], base: usize) -> Result<Option<Val<'a>>, Stop> {
        let mut all: Vec<_> = path.iter().skip(1).map(Val::Ref).collect();
        for key in keys {
            match self.term(key, base)? {
                Some(key) => all.push(key),
                None => return Ok(None),
            }
        }
        self.data(&all)
    }
}
