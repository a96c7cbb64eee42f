//! Functions of policies (opa `v1/topdown/eval.go`, `evalFunc`).

use super::bindings::{Bound, Item};
use super::cache::Key;
use super::complete::{Progress, head_value};
use super::leave::suppressed;
use super::rules::Matched;
use super::{Leave, Next, Query, Run, Traced};
use crate::eval::Stop;
use crate::ir::GroupId;
use crate::syntax::tree::{Rule, Term};
use crate::trace::event::{Node, Op};
use crate::value::Value;

/// A call: what is called, with what, and perhaps what the answer must be.
pub(super) struct Call<'a> {
    pub(super) group: GroupId,
    pub(super) operands: &'a [Term],
    pub(super) arity: usize,
    pub(super) key: Option<Key>,
    pub(super) find_one: bool,
}

impl<'a> Traced<'a> {
    pub(super) fn function(&mut self, query: Query<'a>, id: GroupId, operands: &'a [Term], next: Next<'_, 'a>) -> Run {
        let Some(path) = self.policy.group(id).and_then(|group| group.path.get(1..)) else { return Ok(()) };
        let bound: Vec<_> = operands.iter().map(|operand| Bound::tree(operand, query.frame)).collect();
        let matched = self.matched(query, id, path, &bound)?;
        if matched.is_empty() {
            return Ok(());
        }
        let arity = matched.arity();
        let keys = bound.iter().take(arity).map(|operand| self.plug(operand)).collect::<Option<Vec<_>>>();
        let key = keys.map(|keys| Key { keys, is_answer: true, ..Key::group(id) });
        if let Some(Some(known)) = key.as_ref().and_then(|key| self.scope.cache.get(key).cloned()) {
            return self.answer(query, operands.get(arity), Bound::value(known), next);
        }
        let call = Call { group: id, operands, arity, key, find_one: matched.early_exit };
        suppressed(self.call_definitions(query, &call, &matched, next))
    }

    /// Goes on with an answer, if it is what it must be.
    pub(super) fn answer(&mut self, query: Query<'a>, out: Option<&'a Term>, answer: Bound<'a>, next: Next<'_, 'a>) -> Run {
        match out {
            Some(out) => self.unify(query, Bound::tree(out, query.frame), answer, next),
            None if matches!(answer.item, Item::Value(Value::False)) => Ok(()),
            None => next(self),
        }
    }

    fn call_definitions(&mut self, query: Query<'a>, call: &Call<'a>, matched: &Matched<'a>, next: Next<'_, 'a>) -> Run {
        let mut progress = Progress::default();
        for (rule, otherwise) in &matched.rules {
            for rule in std::iter::once(rule).chain(otherwise) {
                let answer = self.call_definition((query, call), rule, &progress.value, next);
                let taken = progress.take(answer);
                if taken.map_err(|leave| self.conflict(query, (leave, rule), (call.group, matched), call.operands))? {
                    break;
                }
            }
        }
        match matched.default {
            Some(default) if progress.value.is_none() => self.call_definition((query, call), default, &None, next).1,
            _ => progress.finish(),
        }
    }

    fn call_definition(
        &mut self,
        (query, call): (Query<'a>, &Call<'a>),
        rule: &'a Rule,
        before: &Option<Value>,
        next: Next<'_, 'a>,
    ) -> (Option<Value>, Run) {
        let mut before = before.clone();
        let mut result = None;
        let run = self.nested(query, &rule.body, true, |eval, child| {
            let child = Query { find_one: call.find_one, ..child };
            eval.event(child, Op::Enter, Node::Rule(rule));
            eval.unify_operands((query, call.operands), (child, rule), &mut |eval| {
                eval.expr(child, &mut |eval| eval.called(call, (rule, child), (&mut before, &mut result), next))
            })
        });
        (result, run)
    }

    /// Unifies the operands of a call, and what its answer must be, with the head of a rule.
    pub(super) fn unify_operands(
        &mut self,
        (query, operands): (Query<'a>, &'a [Term]),
        (child, rule): (Query<'a>, &'a Rule),
        next: Next<'_, 'a>,
    ) -> Run {
        let given: Vec<_> = operands.iter().map(|operand| Bound::tree(operand, query.frame)).collect();
        let mut wanted: Vec<_> = rule.head.args.iter().flatten().map(|arg| Bound::tree(arg, child.frame)).collect();
        if given.len() == wanted.len().saturating_add(1) {
            wanted.push(head_value(rule, child.frame));
        }
        self.unify_each(child, &given, &wanted, next)
    }

    /// A definition holds.
    fn called(
        &mut self,
        call: &Call<'a>,
        (rule, child): (&'a Rule, Query<'a>),
        (before, result): (&mut Option<Value>, &mut Option<Value>),
        next: Next<'_, 'a>,
    ) -> Result<(), Leave> {
        self.event_exit(child, Node::Rule(rule));
        let Some(value) = self.plug(&head_value(rule, child.frame)) else { return Ok(()) };
        *result = Some(value.clone());
        if let Some(key) = &call.key {
            self.scope.cache.insert(key.clone(), Some(value.clone()));
        }
        if let Some(before) = before
            && !before.equal_within(&value, &mut self.context.account)?
        {
            return Err(Stop::conflict("functions must not produce multiple outputs for same inputs", rule.span).into());
        }
        if call.operands.len() == call.arity && matches!(value, Value::False) {
            *before = Some(value);
            return Ok(());
        }
        if before.is_none() {
            *before = Some(value);
            next(self)?;
        }
        self.event(child, Op::Redo, Node::Rule(rule));
        Ok(())
    }
}
