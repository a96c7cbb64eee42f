//! Comprehensions.

mod indexed;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

pub(super) use indexed::Table;

use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Block, Comprehension, Term};
use crate::syntax::span::Span;
use crate::value::{ObjectBuilder, Set, Value};

impl<'a> Evaluation<'a> {
    pub(super) fn comprehension(&mut self, comprehension: &'a Comprehension, base: usize) -> Result<Val<'a>, Stop> {
        match comprehension {
            Comprehension::Array(body, value) => self.collect(body, value, base).map(|items| Val::Own(Value::array(items))),
            Comprehension::Set(body, value) => {
                let members = self.collect(body, value, base)?;
                self.set_of(members).map(Val::Own)
            }
            Comprehension::Indexed(indexed) => self.indexed(indexed, base),
            Comprehension::Object(body, key, value, span) => self.collect_object(body, (key, value), *span, base),
        }
    }

    /// The values of a term, for each solution of a body.
    pub(super) fn collect(&mut self, body: &'a Block, term: &'a Term, base: usize) -> Result<Vec<Value>, Stop> {
        let mut values = Vec::new();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                if let Some(value) = eval.term(term, base)? {
                    eval.context.account.charge(size_of::<Value>())?;
                    values.push(value.into_value());
                }
                Ok(Flow::Next)
            })
        })?;
        Ok(values)
    }

    /// A set of these, whose comparisons are paid for.
    pub(super) fn set_of(&mut self, members: Vec<Value>) -> Result<Value, Stop> {
        Ok(Value::Set(Arc::new(Set::new_within(members, &mut self.context.account)?)))
    }

    fn collect_object(
        &mut self,
        body: &'a Block,
        (key, value): (&'a Term, &'a Term),
        span: Span,
        base: usize,
    ) -> Result<Val<'a>, Stop> {
        let mut members = Members::default();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                let (Some(key), Some(value)) = (eval.term(key, base)?, eval.term(value, base)?) else { return Ok(Flow::Next) };
                eval.context.account.charge(2 * size_of::<Value>())?;
                if members.insert(key.into_value(), value.into_value()) {
                    Ok(Flow::Next)
                } else {
                    Err(Stop::conflict("object keys must be unique", span))
                }
            })
        })?;
        Ok(Val::Own(members.finish()))
    }
}

/// Members of an object that is being made: a key has one value.
pub(super) enum Members {
    /// Keys came in their order so far, as they nearly always do.
    Sorted(Vec<(Value, Value)>),
    Any(HashMap<Value, Value, foldhash::fast::RandomState>),
}

impl Default for Members {
    fn default() -> Self {
        Self::Sorted(Vec::new())
    }
}

impl Members {
    /// Returns false when the key has another value already.
    pub(super) fn insert(&mut self, key: Value, value: Value) -> bool {
        match self {
            Self::Sorted(members) => {
                let order = members.last().map_or(Ordering::Less, |(last, _)| last.cmp(&key));
                if order.is_lt() {
                    members.push((key, value));
                    return true;
                }
                *self = Self::Any(std::mem::take(members).into_iter().collect());
                self.insert(key, value)
            }
            Self::Any(members) => match members.entry(key) {
                Entry::Occupied(present) => *present.get() == value,
                Entry::Vacant(free) => {
                    free.insert(value);
                    true
                }
            },
        }
    }

    pub(super) fn finish(self) -> Value {
        match self {
            Self::Sorted(members) => ObjectBuilder::of(members).finish(),
            Self::Any(members) => ObjectBuilder::of(members.into_iter().collect()).finish(),
        }
    }
}
