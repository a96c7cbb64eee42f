//! Terms: what has at most one value.

use std::sync::Arc;

use super::quick::Quick;
use super::val::Val;
use super::{Evaluation, Stop};
use crate::ir::{Head, Members, Reference, Shaped, Slot, Term};
use crate::value::{Items, Object, ObjectBuilder, Value};

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
                Some(items) => Val::Own(Value::list(items)),
                None => return Ok(None),
            },
            Term::Set(items) => match self.deeper(|eval| eval.terms(items, base))? {
                Some(items) => Val::Own(self.set_of(items.into_vec())?),
                None => return Ok(None),
            },
            Term::Object(members) => return self.deeper(|eval| eval.object_term(members, base)),
        }))
    }

    /// The values of all of them, if all are defined.
    pub(super) fn terms(&mut self, terms: &'a [Term], base: usize) -> Result<Option<Items>, Stop> {
        self.context.account.charge(terms.len().saturating_mul(size_of::<Value>()))?;
        let mut values = Items::with_capacity(terms.len());
        for term in terms {
            match self.owned_term(term, base)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    /// The value of a term, to be a part of a collection.
    #[inline]
    fn owned_term(&mut self, term: &'a Term, base: usize) -> Result<Option<Value>, Stop> {
        match term {
            Term::Constant(value) => Ok(Some(value.clone())),
            Term::Slot(slot) => Ok(Some(self.slot(base, *slot).value().clone())),
            term => Ok(self.term(term, base)?.map(Val::into_value)),
        }
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
        Ok(Some(Val::Own(builder.finish_within(&mut self.context.account)?)))
    }

    /// Values are evaluated as they are written, and stand in the order of the keys.
    fn shaped_term(&mut self, members: &'a Members, shaped: &Shaped, base: usize) -> Result<Option<Val<'a>>, Stop> {
        let mut values: Items = shaped.places.iter().map(|_| Value::Null).collect();
        for ((_, value), place) in members.iter().zip(&shaped.places) {
            match (self.owned_term(value, base)?, values.get_mut(*place)) {
                (Some(value), Some(place)) => *place = value,
                _ => return Ok(None),
            }
        }
        Ok(Object::shaped(shaped.shape.clone(), values).map(|object| Val::Own(Value::Object(Arc::new(object)))))
    }

    /// What a reference finds whose keys are all known.
    fn reference(&mut self, reference: &'a Reference, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match self.quick_reference(reference, base)? {
            Quick::Is(value) => return Ok(Some(Val::Ref(value))),
            Quick::Undefined => return Ok(None),
            Quick::Unknown => self.context.account.step(1)?,
        }
        match &reference.head {
            Head::Input | Head::Base | Head::Data => self.documents(&[], &reference.keys, base),
            Head::Group(group) => {
                let path = self.policy.group(*group).map(|group| &*group.path).unwrap_or_default();
                self.documents(path, &reference.keys, base)
            }
            Head::Term(term) => self.below_term(term, &reference.keys, base),
        }
    }

    fn below_term(&mut self, term: &'a Term, keys: &'a [Term], base: usize) -> Result<Option<Val<'a>>, Stop> {
        if let Term::Slot(slot) = term
            && let Some(found) = self.in_place(*slot, keys, base)
        {
            return Ok(found.cloned().map(Val::Own));
        }
        match self.term(term, base)? {
            Some(Val::Ref(value)) => Ok(self.borrowed(value, keys, Value::get, base)?.map(Val::Ref)),
            Some(Val::Own(value)) => Ok(self.owned(&value, keys, base)?.map(Val::Own)),
            None => Ok(None),
        }
    }

    /// What lies below a variable that owns its value, at keys that are constants or variables: only what is found is copied. Outer
    /// `None` for other keys.
    #[expect(clippy::option_option, reason = "nothing may be there")]
    fn in_place(&self, slot: Slot, keys: &'a [Term], base: usize) -> Option<Option<&Value>> {
        let mut value = self.slot(base, slot).value();
        for key in keys {
            let key = match key {
                Term::Constant(key) => key,
                Term::Slot(slot) => self.slot(base, *slot).value(),
                _ => return None,
            };
            // To be paid for.
            if key.as_collection().is_some() {
                return None;
            }
            match value.get(key) {
                // Written as it is asked for: a set has it in its own way.
                Some(found) if matches!(value, Value::Set(_)) && !(found.is_plain() && key.is_plain()) => return None,
                Some(found) => value = found,
                None => return Some(None),
            }
        }
        Some(Some(value))
    }

    fn owned(&mut self, value: &Value, keys: &'a [Term], base: usize) -> Result<Option<Value>, Stop> {
        let mut value = value;
        for (at, key) in keys.iter().enumerate() {
            let Some(key) = self.term(key, base)? else { return Ok(None) };
            match value.get_within(key.value(), &mut self.context.account)? {
                Some(_) if matches!(value, Value::Set(_)) => {
                    return self.owned(key.value(), keys.get(at.saturating_add(1)..).unwrap_or_default(), base);
                }
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
