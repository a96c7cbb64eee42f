//! Rules with one value.

use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Definition, Group, GroupId, Rule};
use crate::value::Value;

impl<'a> Evaluation<'a> {
    /// The value of a complete rule, computed once.
    pub(super) fn complete(&mut self, id: GroupId) -> Result<Option<&'a Value>, Stop> {
        if let Some(known) = self.scope.cache.complete(id) {
            return Ok(known);
        }
        let Some(group) = self.policy.group(id) else { return Ok(None) };
        let value = self.deeper(|eval| eval.first_value(group, &[]))?;
        let value = value.map(|value| self.kept(value));
        self.scope.cache.set_complete(id, value);
        Ok(value)
    }

    /// A value that lives until the evaluation ends.
    pub(super) fn kept(&self, value: Val<'a>) -> &'a Value {
        match value {
            Val::Ref(value) => value,
            Val::Own(value) => self.keep(value),
        }
    }

    /// The one value of complete rules and of functions with these operands: an error if there are two.
    pub(super) fn first_value(&mut self, group: &'a Group, operands: &[Val<'a>]) -> Result<Option<Val<'a>>, Stop> {
        let mut found = None;
        for rule in &group.rules {
            for branch in std::iter::once(rule).chain(&rule.otherwise) {
                if self.branch(group, branch, operands, &mut found)? {
                    break;
                }
            }
            if group.early_exit && found.is_some() {
                return Ok(found);
            }
        }
        if let (None, Some(default)) = (&found, &group.default) {
            self.branch(group, default, operands, &mut found)?;
        }
        Ok(found)
    }

    /// Evaluates a rule, or an `else`; returns whether it has a value.
    fn branch(
        &mut self,
        group: &'a Group,
        rule: &'a Rule,
        operands: &[Val<'a>],
        found: &mut Option<Val<'a>>,
    ) -> Result<bool, Stop> {
        let Some(definition) = rule.definitions.first() else { return Ok(false) };
        let base = self.push(definition.slots);
        let result = self.branch_in(group, (rule, definition), operands, found, base);
        self.slots.truncate(base);
        result
    }

    fn branch_in(
        &mut self,
        group: &'a Group,
        (rule, definition): (&'a Rule, &'a Definition),
        operands: &[Val<'a>],
        found: &mut Option<Val<'a>>,
        base: usize,
    ) -> Result<bool, Stop> {
        for (pattern, operand) in rule.args.iter().zip(operands) {
            if !self.matches(pattern, operand.clone(), base)? {
                return Ok(false);
            }
        }
        let mut defined = false;
        self.run(&definition.body, base, &mut |eval| {
            let Some(value) = eval.term(&definition.value, base)? else { return Ok(Flow::Next) };
            defined = true;
            match found {
                Some(first) if first.value() != value.value() => return Err(conflict(group, rule)),
                Some(_) => {}
                None => *found = Some(value),
            }
            Ok(if group.early_exit { Flow::Enough } else { Flow::Next })
        })?;
        Ok(defined)
    }
}

fn conflict(group: &Group, rule: &Rule) -> Stop {
    let message = match group.kind {
        crate::ir::GroupKind::Function(_) => {
            format!("function {} produced conflicting values for the same inputs", group.name)
        }
        _ => format!("rule {} produced conflicting values", group.name),
    };
    Stop::conflict(message, rule.span)
}
