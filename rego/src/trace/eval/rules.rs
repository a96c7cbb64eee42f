//! Rules by where they are, and which of them may hold (opa `v1/topdown/eval.go`, `getRules`, `evalVirtual`).

use super::bindings::Bound;
use super::leave::Run;
use super::tree::{Walk, reference};
use super::{Leave, Next, Query, Traced};
use crate::compile::{Compiled, lower};
use crate::eval::{Candidates, Known};
use crate::ir::{self, GroupId, GroupKind};
use crate::syntax::tree::Rule;
use crate::trace::event::{Node, Op};
use crate::value::Value;

/// The rules of each group as the compiler has left them.
#[derive(Debug, Default)]
pub(super) struct Rules<'a>(Vec<Group<'a>>);

#[derive(Debug, Default)]
struct Group<'a> {
    rules: Vec<&'a Rule>,
    default: Option<&'a Rule>,
}

/// Rules that may hold (`ast.IndexResult`).
pub(super) struct Matched<'a> {
    /// Each with its `else`.
    pub(super) rules: Vec<(&'a Rule, Vec<&'a Rule>)>,
    pub(super) default: Option<&'a Rule>,
    /// One that holds is enough.
    pub(super) early_exit: bool,
}

impl<'a> Rules<'a> {
    pub(super) fn of(compiled: &'a Compiled) -> Self {
        let rule = |(module, rule): &(usize, usize)| compiled.modules.get(*module)?.rules.get(*rule);
        let group = |places: Vec<_>| {
            let (defaults, rules) = places.iter().filter_map(rule).partition::<Vec<_>, _>(|rule| rule.default);
            Group { rules, default: defaults.last().copied() }
        };
        Self(lower::places(&compiled.modules).into_iter().map(group).collect())
    }
}

impl Matched<'_> {
    /// Whether there is nothing to evaluate.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.default.is_none()
    }

    /// How many operands the first of them takes.
    pub(super) fn arity(&self) -> usize {
        let first = self.rules.first().map(|(rule, _)| *rule).or(self.default);
        first.and_then(|rule| rule.head.args.as_ref()).map_or(0, Vec::len)
    }
}

impl<'a> Traced<'a> {
    /// The rules of a group that may hold; of a function, for some operands.
    pub(super) fn matched(
        &mut self,
        query: Query<'a>,
        id: GroupId,
        path: &[Value],
        operands: &[Bound<'a>],
    ) -> Result<Matched<'a>, Leave> {
        let mut matched = Matched { rules: Vec::new(), default: None, early_exit: false };
        let policy = self.policy;
        let Some(group) = policy.group(id) else { return Ok(matched) };
        let candidates = self.candidates(group, operands)?;
        let Some(here) = self.rules.0.get(id.index()) else { return Ok(matched) };
        let mut last = None;
        for entry in candidates.iter().filter_map(|number| group.index.entries.get(number)) {
            let branch = here
                .rules
                .get(entry.rule)
                .and_then(|rule| std::iter::successors(Some(*rule), |rule| rule.otherwise.as_deref()).nth(entry.branch));
            match (branch, matched.rules.last_mut()) {
                (Some(branch), Some((_, otherwise))) if last == Some(entry.rule) => otherwise.push(branch),
                (Some(branch), _) => matched.rules.push((branch, Vec::new())),
                (None, _) => {}
            }
            last = Some(entry.rule);
        }
        matched.default = here.default;
        matched.early_exit = candidates.early_exit;
        self.event_index(query, path, &matched);
        Ok(matched)
    }

    /// Of a function that is not called, nothing is known of the operands.
    fn candidates(&mut self, group: &'a ir::Group, operands: &[Bound<'a>]) -> Result<Candidates, Leave> {
        if matches!(group.kind, GroupKind::Function(arity) if operands.len() < arity) {
            return Ok(Candidates::all(&group.index));
        }
        let operands: Vec<Value> = operands.iter().map(|operand| self.plug(operand).unwrap_or(Value::Null)).collect();
        let (input, stored) = (self.scope.input.as_ref(), &self.scope.stored);
        let is_replaced = |path: &[Value]| self.scope.replaced.contains(path);
        let known = Known::new(input, stored, &operands).replaced(self.scope.documents(), &is_replaced);
        let mut steps = 0;
        let candidates = group.index.lookup(&known, &mut steps);
        self.context.account.step(steps)?;
        Ok(candidates)
    }

    fn event_index(&mut self, query: Query<'a>, path: &[Value], matched: &Matched<'a>) {
        let count = match matched.rules.len() {
            1 => "1 rule".to_owned(),
            count => format!("{count} rules"),
        };
        let message = format!("(matched {count}{})", if matched.early_exit { ", early exit" } else { "" });
        let node = query.expr().map_or(Node::None, |expr| Node::Expr(expr, query.index));
        self.event_of(query, (Op::Index, node), &message, Some(&reference(path)));
    }

    /// What the rules of a group define, from a reference to it or into it.
    pub(super) fn virtual_document(&mut self, query: Query<'a>, walk: Walk<'a>, id: GroupId, next: Next<'_, 'a>) -> Run {
        let matched = self.matched(query, id, &walk.path, &[])?;
        match self.policy.group(id).map(|group| group.kind) {
            Some(kind @ (GroupKind::Set | GroupKind::Object)) => {
                self.partial((query, &walk), (id, kind == GroupKind::Set), &matched, next)
            }
            Some(GroupKind::Complete) => self.complete((query, &walk), id, &matched, next),
            Some(GroupKind::Function(_)) | None => Ok(()),
        }
    }
}
