//! Terms: what has at most one value.

use std::sync::Arc;

use smallvec::SmallVec;

use super::val::{Val, below_base};
use super::{Evaluation, Stop};
use crate::ir::{Head, Members, Reference, Shaped, Term};
use crate::value::{Object, ObjectBuilder, Value};

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

    fn object_term(&mut self, members: &'a Members, base: usize) -> Result<Option<Val<'a>>, Stop> {
        self.context.account.charge(members.len().saturating_mul(2 * size_of::<Value>()))?;
        if let Some(shaped) = members.shape() {
            return self.shaped_term(members, shaped, base);
        }
        let mut builder = ObjectBuilder::with_capacity(members.len());
        for (key, value) in members.iter() {
            let (Some(key), Some(value)) = (self.term(key, base)?, self.term(value, base)?) else { return Ok(None) };
            builder.insert(key.into_value(), value.into_value());
        }
        Ok(Some(Val::Own(builder.finish())))
    }

    /// Values are evaluated as they are written, and stand in the order of the keys.
    fn shaped_term(&mut self, members: &'a Members, shaped: &Shaped, base: usize) -> Result<Option<Val<'a>>, Stop> {
        let mut written = SmallVec::<[Value; 8]>::with_capacity(members.len());
        for (_, value) in members.iter() {
            match self.term(value, base)? {
                Some(value) => written.push(value.into_value()),
                None => return Ok(None),
            }
        }
        let values = shaped.order.iter().filter_map(|at| Some(std::mem::replace(written.get_mut(*at)?, Value::Null))).collect();
        Ok(Object::with_shape(shaped.shape.clone(), values).map(|object| Val::Own(Value::Object(Arc::new(object)))))
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
                Term::Constant(key) => self.one_below(value, key, step),
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

    /// One step below a value that is borrowed, at a key that stands in a policy.
    #[inline]
    pub(super) fn one_below(
        &mut self,
        value: &'a Value,
        key: &'a Value,
        step: fn(&'a Value, &Value) -> Option<&'a Value>,
    ) -> Option<&'a Value> {
        match (value, key) {
            (Value::Object(object), Value::String(_)) => self.places.find(object, key),
            _ => step(value, key),
        }
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
