//! Arguments that are the same.

use super::super::super::ast::{Argument, Value, ValueKind};
use super::super::Validator;
use crate::limits::Halt;

impl<'a> Validator<'_, 'a> {
    /// Whether two fields are given the same, in any order.
    pub(super) fn same_arguments(&mut self, a: &'a [Argument<'a>], b: &'a [Argument<'a>]) -> Result<bool, Halt> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for argument in a {
            let mut found = false;
            for other in b {
                self.account.step(1)?;
                found = argument.name == other.name && self.same_value(&argument.value, &other.value)?;
                if found {
                    break;
                }
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fields of objects may stand in any order.
    fn same_value(&mut self, a: &'a Value<'a>, b: &'a Value<'a>) -> Result<bool, Halt> {
        self.account.step(1)?;
        if a.kind != b.kind || a.raw != b.raw || a.children.len() != b.children.len() {
            return Ok(false);
        }
        self.account.charge(a.children.len().saturating_mul(2 * size_of::<&Argument<'_>>()))?;
        let (mut in_a, mut in_b): (Vec<_>, Vec<_>) = (a.children.iter().collect(), b.children.iter().collect());
        if a.kind == ValueKind::Object {
            in_a.sort_by_key(|child| child.name);
            in_b.sort_by_key(|child| child.name);
        }
        for (child, other) in in_a.into_iter().zip(in_b) {
            if child.name != other.name || !self.down(|validator| validator.same_value(&child.value, &other.value))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
