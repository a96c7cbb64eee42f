//! What a conflict says: evaluation ends at the first one, and the definitions are then evaluated again, for all values that differ
//! (opa `v1/topdown/conflicts.go`). Their events are told, too.

use super::complete::head_value;
use super::rules::Matched;
use super::{Leave, Query, Run, Traced};
use crate::eval::{EvalCode, MOST_CONFLICTS, Stop, listed};
use crate::ir::{GroupId, GroupKind};
use crate::syntax::span::Span;
use crate::syntax::tree::{Rule, Term};
use crate::trace::event::{Node, Op};
use crate::value::Value;

/// Values that differ from the first one.
#[derive(Default)]
struct Values {
    found: Vec<(Span, Value)>,
    /// There are more than are listed.
    more: bool,
}

impl Values {
    /// Fails with a value that is in conflict.
    fn add(&mut self, span: Span, value: Value) -> Run {
        if self.found.first().is_some_and(|(_, first)| *first == value) {
            return Ok(());
        }
        if self.found.len() == MOST_CONFLICTS {
            self.more = true;
            return Err(Leave::Conflict);
        }
        self.found.push((span, value));
        if self.found.len() == 1 { Ok(()) } else { Err(Leave::Conflict) }
    }
}

impl<'a> Traced<'a> {
    /// The error of a conflict that a rule was found to make; other errors as they are.
    pub(super) fn conflict(
        &mut self,
        query: Query<'a>,
        (leave, rule): (Leave, &'a Rule),
        (id, matched): (GroupId, &Matched<'a>),
        operands: &'a [Term],
    ) -> Leave {
        let error = if let Leave::Stop(stop) = &leave { stop.as_error() } else { None };
        if !error.is_some_and(|error| error.code == EvalCode::Conflict && error.span == Some(rule.span)) {
            return leave;
        }
        let Some(group) = self.policy.group(id) else { return leave };
        let stack = error.map(|error| error.stack.clone()).unwrap_or_default();
        let mut message = match group.kind {
            GroupKind::Function(_) => format!("function {} produced conflicting values for the same inputs", group.name),
            _ => format!("rule {} produced conflicting values", group.name),
        };
        let failed = self.failed.clone();
        let values = self.conflicting(query, matched, operands);
        self.failed = failed;
        // What depends on chance may not show the conflict again.
        if values.found.len() > 1 {
            let found = values.found.iter().map(|(span, value)| (*span, value));
            message.push_str(&listed(found, values.more, &self.policy.sources));
        }
        Stop::conflict(message, rule.span).with_stack(|| stack).into()
    }

    fn conflicting(&mut self, query: Query<'a>, matched: &Matched<'a>, operands: &'a [Term]) -> Values {
        let mut values = Values::default();
        for (rule, otherwise) in &matched.rules {
            for rule in std::iter::once(rule).chain(otherwise) {
                let (defined, run) = self.values_of_rule(query, rule, (operands, matched.early_exit), &mut values);
                match run {
                    Err(Leave::Conflict) if !values.more => {}
                    Err(Leave::Early(early)) if early.is_deferred() => {}
                    Err(_) => return values,
                    Ok(()) => {}
                }
                if defined {
                    break;
                }
            }
        }
        values
    }

    fn values_of_rule(
        &mut self,
        query: Query<'a>,
        rule: &'a Rule,
        (operands, find_one): (&'a [Term], bool),
        values: &mut Values,
    ) -> (bool, Run) {
        let mut defined = false;
        let run = self.nested(query, &rule.body, true, |eval, child| {
            let child = Query { find_one, ..child };
            eval.event(child, Op::Enter, Node::Rule(rule));
            eval.unify_operands((query, operands), (child, rule), &mut |eval| {
                eval.expr(child, &mut |eval| {
                    eval.event_exit(child, Node::Rule(rule));
                    defined = true;
                    if let Some(value) = eval.plug(&head_value(rule, child.frame)) {
                        values.add(rule.span, value)?;
                    }
                    eval.event(child, Op::Redo, Node::Rule(rule));
                    Ok(())
                })
            })
        });
        (defined, run)
    }
}
