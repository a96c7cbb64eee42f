//! Functions of policies.

use super::rule::Given;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::GroupId;
use crate::value::Value;

/// A function, and what it is called with.
type Key = (GroupId, Box<[Value]>);

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
        let key: Key = (id, operands.iter().map(|operand| operand.value().clone()).collect());
        if let Some(known) = self.scope.cache.keyed(&key) {
            return match known {
                Some(value) => given(self, Val::Ref(value)),
                None => Ok(Flow::Next),
            };
        }
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        let mut key = Some(key);
        let flow = self.deeper(|eval| {
            eval.value_of(group, operands, &mut |eval, value| {
                let value = eval.kept(value);
                if let Some(key) = key.take() {
                    eval.scope.cache.set_keyed(key, Some(value));
                }
                given(eval, Val::Ref(value))
            })
        })?;
        if let Some(key) = key {
            self.scope.cache.set_keyed(key, None);
        }
        Ok(flow)
    }
}
