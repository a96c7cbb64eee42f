//! Functions of policies.

use super::cache::Cache;
use super::rule::{Expected, Given};
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::GroupId;

impl<'a> Evaluation<'a> {
    /// The answer of a function, computed once for equal operands.
    pub(super) fn function(
        &mut self,
        id: GroupId,
        operands: &[Val<'a>],
        expected: Option<Expected<'a>>,
    ) -> Result<Option<Val<'a>>, Stop> {
        let mut found = None;
        self.function_each(id, operands, expected, &mut |_, value| {
            found = Some(value);
            Ok(Flow::Next)
        })?;
        Ok(found)
    }

    /// Gives the answer of a function on as soon as it is there. An answer that was asked for is the function's answer for all calls after it,
    /// though another one would have been found without (opa `v1/topdown/eval.go`, `evalFunc`).
    pub(super) fn function_each(
        &mut self,
        id: GroupId,
        operands: &[Val<'a>],
        expected: Option<Expected<'a>>,
        given: Given<'_, 'a>,
    ) -> Found {
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        self.asked_narrowly = self.asked_narrowly || expected.is_some();
        // What functions that are called instead of others find out is known outside of them, cheap or not.
        if group.is_cheap && !self.is_observed() && !self.scope.is_mocked() {
            return self.deeper(|eval| Ok(eval.value_of(group, operands, expected, given)?.0));
        }
        self.look_at(operands);
        let kept = if expected.is_some() { None } else { self.kept_as(id, operands) };
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
        match self.recall(id, hash, operands) {
            Some(Some(value)) => return given(self, Val::Ref(value)),
            Some(None) if expected.is_none() && is_plain() => return Ok(Flow::Next),
            Some(None) | None => {}
        }
        let mut answer = None;
        let (flow, last) = self.deeper(|eval| {
            eval.value_of(group, operands, expected, &mut |eval, value| {
                let value = eval.kept(value);
                if answer.is_none() {
                    answer = Some(value);
                    eval.scope.cache.set_keyed(id, hash, operands, Some(value));
                }
                given(eval, Val::Ref(value))
            })
        })?;
        // Each solution is remembered in the place of the one before (`onBodyDone`): whoever calls later gets the last one.
        if last.is_some() {
            self.scope.cache.set_keyed(id, hash, operands, last);
        }
        // Where somebody listens, what OPA does not remember says again what it prints.
        if answer.is_none() && expected.is_none() && !self.is_in_order() && is_plain() {
            self.scope.cache.set_keyed(id, hash, operands, None);
        }
        if let Some(kept) = kept {
            self.keep_answer(id, kept, operands, answer);
        }
        Ok(flow)
    }
}
