//! Rules with one value (opa `v1/topdown/eval.go`, `evalVirtualComplete`).

use super::bindings::Bound;
use super::cache::Key;
use super::leave::{Early, suppressed};
use super::rules::Matched;
use super::tree::Walk;
use super::{Leave, Next, Query, Run, Traced};
use crate::eval::Stop;
use crate::ir::GroupId;
use crate::syntax::tree::Rule;
use crate::trace::event::{Node, Op};
use crate::value::Value;

/// How far the definitions of a document, or of a function's answer, have come.
#[derive(Default)]
pub(super) struct Progress {
    /// The value, once there is one.
    pub(super) value: Option<Value>,
    deferred: Option<Early>,
}

impl Progress {
    /// Takes notice of what became of a definition; returns whether it had a value.
    pub(super) fn take(&mut self, (value, run): (Option<Value>, Run)) -> Result<bool, Leave> {
        match run {
            Err(Leave::Early(early)) if early.is_deferred() => {
                self.deferred.get_or_insert(early);
            }
            other => other?,
        }
        let defined = value.is_some();
        self.value = value.or(self.value.take());
        Ok(defined)
    }

    pub(super) fn finish(self) -> Run {
        self.deferred.map_or(Ok(()), |early| Err(Leave::Early(early)))
    }
}

/// What a rule's head says; `true` when it says nothing.
pub(super) fn head_value<'a>(rule: &'a Rule, frame: usize) -> Bound<'a> {
    match &rule.head.value {
        Some(value) => Bound::tree(value, frame),
        None => Bound::value(Value::True),
    }
}

impl<'a> Traced<'a> {
    pub(super) fn complete(
        &mut self,
        (query, walk): (Query<'a>, &Walk<'a>),
        id: GroupId,
        matched: &Matched<'a>,
        next: Next<'_, 'a>,
    ) -> Run {
        if matched.is_empty() {
            return Ok(());
        }
        let key = Key::group(id);
        match self.scope.cache.get(&key).cloned() {
            None => suppressed(self.definitions((query, walk), &key, matched, next)),
            Some(None) => Ok(()),
            Some(Some(value)) => self.values(query, walk.onwards(walk.at.saturating_add(1)), Bound::value(value), next),
        }
    }

    fn definitions(
        &mut self,
        (query, walk): (Query<'a>, &Walk<'a>),
        key: &Key,
        matched: &Matched<'a>,
        next: Next<'_, 'a>,
    ) -> Run {
        let mut progress = Progress::default();
        for (rule, otherwise) in &matched.rules {
            for rule in std::iter::once(rule).chain(otherwise) {
                let answer = self.definition((query, walk), (key, rule), (&progress.value, matched.early_exit), next);
                let taken = progress.take(answer);
                if taken.map_err(|leave| self.conflict(query, (leave, rule), (key.group, matched), &[]))? {
                    break;
                }
            }
        }
        if let (Some(default), None) = (matched.default, &progress.value) {
            return self.definition((query, walk), (key, default), (&None, matched.early_exit), next).1;
        }
        if progress.value.is_none() {
            self.scope.cache.insert(key.clone(), None);
        }
        progress.finish()
    }

    fn definition(
        &mut self,
        (query, walk): (Query<'a>, &Walk<'a>),
        (key, rule): (&Key, &'a Rule),
        (before, find_one): (&Option<Value>, bool),
        next: Next<'_, 'a>,
    ) -> (Option<Value>, Run) {
        let mut before = before.clone();
        let mut result = None;
        let run = self.nested(query, &rule.body, true, |eval, child| {
            let child = Query { find_one, ..child };
            eval.event(child, Op::Enter, Node::Rule(rule));
            eval.expr(child, &mut |eval| {
                eval.event_exit(child, Node::Rule(rule));
                let head = head_value(rule, child.frame);
                let Some(value) = eval.plug(&head) else { return Ok(()) };
                result = Some(value.clone());
                if let Some(before) = &before {
                    if !before.equal_within(&value, &mut eval.context.account)? {
                        return Err(Stop::conflict("rules produced conflicting values", rule.span).into());
                    }
                } else {
                    before = Some(value.clone());
                    eval.scope.cache.insert(key.clone(), Some(value));
                    let head = eval.apply(head);
                    eval.values(query, walk.onwards(walk.at.saturating_add(1)), head, next)?;
                }
                eval.event(child, Op::Redo, Node::Rule(rule));
                Ok(())
            })
        });
        (result, run)
    }
}
