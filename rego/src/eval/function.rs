//! Functions of policies.

use super::cache::Cache;
use super::rule::Given;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::GroupId;
use crate::value::Value;

impl<'a> Evaluation<'a> {
    /// The answer of a function, computed once for equal operands.
    pub(super) fn function(&mut self, id: GroupId, operands: &[Val<'a>]) -> Result<Option<Val<'a>>, Stop> {
        let mut found = None;
        self.function_each(id, operands, &mut |_, value| {
            found = Some(value);
            Ok(Flow::Next)
        })?;
        Ok(found)
    }

    /// Gives the answer of a function on as soon as it is there.
    pub(super) fn function_each(&mut self, id: GroupId, operands: &[Val<'a>], given: Given<'_, 'a>) -> Found {
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        if group.is_cheap && !self.is_observed() {
            return self.deeper(|eval| eval.value_of(group, operands, given));
        }
        self.look_at(operands);
        let hash = Cache::hash(id, operands);
        if let Some(known) = self.scope.cache.keyed(id, hash, operands) {
            return match known {
                Some(value) => given(self, Val::Ref(value)),
                None => Ok(Flow::Next),
            };
        }
        if !self.is_callable(id) {
            return self.evaluated(id, hash, operands, given).map(|(flow, _)| flow);
        }
        match self.kept_answer(id, operands) {
            Some(Some(value)) => {
                let value = self.keep(value);
                self.scope.cache.set_keyed(id, hash, operands, Some(value));
                given(self, Val::Ref(value))
            }
            Some(None) => {
                self.undefined(id, hash, operands);
                Ok(Flow::Next)
            }
            None => {
                let (answer, is_plain) = self.watched(|eval| eval.evaluated(id, hash, operands, given));
                let (flow, found) = answer?;
                // What was left before its end may be in conflict with another answer.
                if is_plain && flow == Flow::Next {
                    self.answers(id, operands, found);
                }
                Ok(flow)
            }
        }
    }

    /// Evaluates a function; returns its answer, too.
    fn evaluated(
        &mut self,
        id: GroupId,
        hash: u64,
        operands: &[Val<'a>],
        given: Given<'_, 'a>,
    ) -> Result<(Flow, Option<&'a Value>), Stop> {
        let Some(group) = self.policy.group(id) else { return Ok((Flow::Next, None)) };
        let mut found = None;
        let flow = self.deeper(|eval| {
            eval.value_of(group, operands, &mut |eval, value| {
                let value = eval.kept(value);
                if found.is_none() {
                    found = Some(value);
                    eval.scope.cache.set_keyed(id, hash, operands, Some(value));
                }
                given(eval, Val::Ref(value))
            })
        })?;
        if found.is_none() {
            self.undefined(id, hash, operands);
        }
        Ok((flow, found))
    }

    /// A function has no answer. Where somebody listens, what OPA does not remember says again what it prints.
    fn undefined(&mut self, id: GroupId, hash: u64, operands: &[Val<'a>]) {
        if !self.is_in_order() {
            self.scope.cache.set_keyed(id, hash, operands, None);
        }
    }
}
