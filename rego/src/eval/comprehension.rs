//! Comprehensions.

mod indexed;

use std::sync::Arc;

pub(super) use indexed::Table;

use super::keyed::Keyed;
use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Block, Comprehension, Term};
use crate::limits::{Account, Halt};
use crate::syntax::span::Span;
use crate::value::{Items, Set, Value};

impl<'a> Evaluation<'a> {
    pub(super) fn comprehension(&mut self, comprehension: &'a Comprehension, base: usize) -> Result<Val<'a>, Stop> {
        if self.recording.is_some()
            && let Some(value) = self.pieced(comprehension, base)?
        {
            return Ok(Val::Own(value));
        }
        match comprehension {
            Comprehension::Array(body, value) => {
                self.collect::<Items>(body, value, base).map(|items| Val::Own(Value::list(items)))
            }
            Comprehension::Set(body, value) => {
                let members = self.collect::<Vec<_>>(body, value, base)?;
                self.set_of(members).map(Val::Own)
            }
            Comprehension::Indexed(indexed) => self.indexed(indexed, base),
            Comprehension::Object(body, key, value, span) => self.collect_object(body, (key, value), *span, base),
        }
    }

    /// The values of a term, for each solution of a body.
    fn collect<C: Default + Extend<Value>>(&mut self, body: &'a Block, term: &'a Term, base: usize) -> Result<C, Stop> {
        let mut values = C::default();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                if let Some(value) = eval.term(term, base)? {
                    eval.context.account.charge(size_of::<Value>())?;
                    values.extend([value.into_value()]);
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
        let mut members = Keyed::default();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                let (Some(key), Some(value)) = (eval.term(key, base)?, eval.term(value, base)?) else { return Ok(Flow::Next) };
                eval.context.account.charge(2 * size_of::<Value>())?;
                let account = &mut eval.context.account;
                match insert(&mut members, &key.into_value(), value.into_value(), account)? {
                    true => Ok(Flow::Next),
                    false => Err(Stop::conflict("object keys must be unique", span)),
                }
            })
        })?;
        Ok(Val::Own(members.finish(&mut self.context.account, |value, _| Ok(value))?))
    }
}

/// Gives a key its value; returns false when it has another one already. An equal one takes the place of the one before: it may be written
/// otherwise (opa `v1/topdown/eval.go`, `biunifyComprehensionObject`; rules keep the first).
pub(super) fn insert(members: &mut Keyed<Value>, key: &Value, value: Value, account: &mut Account) -> Result<bool, Halt> {
    let mut value = Some(value);
    let present = members.entry(key, || value.take().unwrap_or(Value::Null), account)?;
    match (present, value) {
        (Some(present), Some(value)) => {
            let is_equal = present.equal_within(&value, account)?;
            if is_equal {
                *present = value;
            }
            Ok(is_equal)
        }
        (_, None) => Ok(true),
        (None, Some(_)) => Ok(false),
    }
}
