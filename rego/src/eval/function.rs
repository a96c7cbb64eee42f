//! Functions of policies.

use super::cache::Cache;
use super::rule::{Given, Wanted};
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::GroupId;

impl<'a> Evaluation<'a> {
    /// The answer of a function, computed once for equal operands.
    pub(super) fn function(
        &mut self,
        id: GroupId,
        operands: &[Val<'a>],
        wanted: Option<Wanted<'a>>,
    ) -> Result<Option<Val<'a>>, Stop> {
        let mut found = None;
        self.function_each(id, operands, wanted, &mut |_, value| {
            found = Some(value);
            Ok(Flow::Next)
        })?;
        Ok(found)
    }

    /// Gives the answer of a function on as soon as it is there. What it was asked for as an answer that it has to be, is its answer for whoever
    /// calls it later; before, it may have answered something else (opa `v1/topdown/eval.go`, `evalFunc`).
    pub(super) fn function_each(
        &mut self,
        id: GroupId,
        operands: &[Val<'a>],
        wanted: Option<Wanted<'a>>,
        given: Given<'_, 'a>,
    ) -> Found {
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        self.asked_narrowly = self.asked_narrowly || wanted.is_some();
        // What functions that are called instead of others find out is known outside of them, cheap or not.
        if group.is_cheap && !self.is_observed() && !self.scope.is_mocked() {
            return self.deeper(|eval| eval.value_of(group, operands, wanted, given));
        }
        self.look_at(operands);
        let kept = if wanted.is_some() { None } else { self.kept_as(id, operands) };
        if let Some(known) = kept.and_then(|kept| self.kept_answer(id, kept, operands)) {
            self.context.account.step(1)?;
            return match known {
                Some(value) => given(self, Val::Ref(value)),
                None => Ok(Flow::Next),
            };
        }
        let hash = Cache::hash(id, operands);
        // Base documents have keys by their text: where one number finds nothing, an equal one may.
        let is_plain = || operands.iter().all(|operand| operand.value().is_plain());
        match self.scope.cache.keyed(id, hash, operands) {
            Some(Some(value)) => return given(self, Val::Ref(value)),
            Some(None) if is_plain() => return Ok(Flow::Next),
            Some(None) | None => {}
        }
        let mut answer = None;
        let flow = self.deeper(|eval| {
            eval.value_of(group, operands, wanted, &mut |eval, value| {
                let value = eval.kept(value);
                if answer.is_none() {
                    answer = Some(value);
                    eval.scope.cache.set_keyed(id, hash, operands, Some(value));
                }
                given(eval, Val::Ref(value))
            })
        })?;
        // Where somebody listens, what OPA does not remember says again what it prints.
        if answer.is_none() && wanted.is_none() && !self.is_in_order() && is_plain() {
            self.scope.cache.set_keyed(id, hash, operands, None);
        }
        if let Some(kept) = kept {
            self.keep_answer(id, kept, operands, answer);
        }
        Ok(flow)
    }
}
