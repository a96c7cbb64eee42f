//! Functions of policies.

use super::val::Val;
use super::{Evaluation, Stop};
use crate::ir::GroupId;

impl<'a> Evaluation<'a> {
    /// The answer of a function, computed once for equal operands.
    pub(super) fn function(&mut self, id: GroupId, operands: Vec<Val<'a>>) -> Result<Option<Val<'a>>, Stop> {
        let key = (id, operands.iter().map(|operand| operand.value().clone()).collect());
        if let Some(known) = self.scope.cache.keyed(&key) {
            return Ok(known.map(Val::Ref));
        }
        let Some(group) = self.policy.group(id) else { return Ok(None) };
        let value = self.deeper(|eval| eval.first_value(group, &operands))?;
        let value = value.map(|value| self.kept(value));
        self.scope.cache.set_keyed(key, value);
        Ok(value.map(Val::Ref))
    }
}
