//! Rules that define sets and objects together (opa `v1/topdown/eval.go`, `evalVirtualPartial`).

use super::bindings::Bound;
use super::cache::Key;
use super::growing::{Added, Growing};
use super::rules::Matched;
use super::tree::Walk;
use super::{Leave, Next, Query, Run, Traced};
use crate::eval::Stop;
use crate::ir::GroupId;
use crate::syntax::tree::{Rule, Term};
use crate::trace::event::{Node, Op};
use crate::value::Value;

/// What of the document is known already, or is to be kept.
enum Hint {
    /// It is known, and the reference goes on from this part.
    Known(Value, usize),
    /// All of it is computed.
    Whole,
    /// What is below some keys is computed.
    Below(Option<Key>),
}

/// Whether a rule adds members to a set (opa `v1/ast/policy.go`, `RuleKind`).
fn is_multi(rule: &Rule) -> bool {
    rule.head.value.is_none() && rule.head.key.is_some()
}

/// How long a reference can be without being longer than the longest head (`maxRefLength`).
fn longest(matched: &Matched<'_>, ceiling: usize) -> usize {
    let length = |(rule, _): &(&Rule, Vec<&Rule>)| rule.head.reference.len().saturating_add(usize::from(is_multi(rule)));
    matched.rules.iter().map(length).max().unwrap_or(0).min(ceiling)
}

impl<'a> Traced<'a> {
    pub(super) fn partial(
        &mut self,
        (query, walk): (Query<'a>, &Walk<'a>),
        (id, set): (GroupId, bool),
        matched: &Matched<'a>,
        next: Next<'_, 'a>,
    ) -> Run {
        let behind = walk.at.saturating_add(1);
        if walk.parts.len() == behind {
            let value = match self.scope.cache.get(&Key::group(id)).cloned().flatten() {
                Some(value) => value,
                None => self.whole(query, walk, (id, set), matched)?,
            };
            return self.unify(query, Bound::value(value), walk.out.clone(), next);
        }
        if matched.is_empty() {
            return Ok(());
        }
        let (value, at) = match self.hint(walk, id, matched) {
            Hint::Known(value, at) => (value, at),
            Hint::Whole => (self.whole(query, walk, (id, set), matched)?, behind),
            Hint::Below(key) => {
                let value = self.below_keys(query, walk, set, matched)?;
                if let Some(key) = key
                    && let Some(below) = key.keys.iter().try_fold(&value, |value, key| value.get(key)).cloned()
                {
                    self.scope.cache.insert(key, Some(below));
                }
                (value, behind)
            }
        };
        self.values(query, walk.onwards(at), Bound::value(value), next)
    }

    /// What is known of the document, by as many keys of the reference as are known (`evalCache`).
    fn hint(&self, walk: &Walk<'a>, id: GroupId, matched: &Matched<'a>) -> Hint {
        let known = |key: &Key| self.scope.cache.get(key).cloned().flatten();
        let behind = walk.at.saturating_add(1);
        if let Some(value) = known(&Key::group(id)) {
            return Hint::Known(value, behind);
        }
        let parts = walk.parts.get(behind..longest(matched, walk.parts.len()).max(behind)).unwrap_or_default();
        if walk.parts.get(behind).is_some_and(|part| self.apply(Bound::tree(part, walk.frame)).as_var().is_some()) {
            return Hint::Whole;
        }
        let mut key = Key::group(id);
        for part in parts {
            match self.plug_tree(part, walk.frame) {
                Some(value) if key.scope.is_empty() => key.keys.push(value),
                _ if key.keys.is_empty() => break,
                None if self.apply(Bound::tree(part, walk.frame)).as_var().is_some() => key.scope.push(None),
                _ => key.scope.push(Some(self.sketch(part, walk.frame))),
            }
            if let Some(value) = known(&key) {
                return Hint::Known(value, behind.saturating_add(key.keys.len()));
            }
        }
        while key.scope.last().is_some_and(Option::is_none) {
            key.scope.pop();
        }
        Hint::Below((!key.keys.is_empty()).then_some(key))
    }

    /// All of the document (`evalAllRulesNoCache`).
    fn whole(
        &mut self,
        query: Query<'a>,
        walk: &Walk<'a>,
        (id, set): (GroupId, bool),
        matched: &Matched<'a>,
    ) -> Result<Value, Leave> {
        let mut growing = Growing::new(set);
        for (rule, _) in &matched.rules {
            self.nested(query, &rule.body, true, |eval, child| {
                eval.event(child, Op::Enter, Node::Rule(rule));
                eval.expr(child, &mut |eval| {
                    eval.event(child, Op::Exit, Node::Rule(rule));
                    eval.add(walk, rule, child, &mut growing)?;
                    eval.event(child, Op::Redo, Node::Rule(rule));
                    Ok(())
                })
            })?;
        }
        let value = growing.value();
        self.scope.cache.insert(Key::group(id), Some(value.clone()));
        Ok(value)
    }

    /// What of the document the keys of the reference allow (`evalOneRulePreUnify`).
    fn below_keys(&mut self, query: Query<'a>, walk: &Walk<'a>, set: bool, matched: &Matched<'a>) -> Result<Value, Leave> {
        let mut growing = Growing::new(set);
        for (rule, _) in &matched.rules {
            self.nested(query, &rule.body, true, |eval, child| {
                let mut defined = false;
                eval.event(child, Op::Enter, Node::Rule(rule));
                eval.unify_head(child, walk, rule, &mut |eval| {
                    defined = true;
                    eval.expr(child, &mut |eval| {
                        eval.event(child, Op::Exit, Node::Rule(rule));
                        if eval.add(walk, rule, child, &mut growing)? {
                            eval.event(child, Op::Duplicate, Node::Rule(rule));
                        }
                        eval.event(child, Op::Redo, Node::Rule(rule));
                        Ok(())
                    })
                })?;
                if !defined {
                    eval.event(child, Op::Fail, Node::Rule(rule));
                }
                Ok::<_, Leave>(())
            })?;
        }
        Ok(growing.value())
    }

    /// Unifies the keys of a reference with those of a head, and with its member (`biunifyRuleHead`).
    fn unify_head(&mut self, child: Query<'a>, walk: &Walk<'a>, rule: &'a Rule, next: Next<'_, 'a>) -> Run {
        let behind = walk.at.saturating_add(1);
        let head = &rule.head.reference;
        let mut wanted: Vec<&'a Term> = head.iter().skip(behind).collect();
        if is_multi(rule) && head.len() <= walk.parts.len() {
            wanted.extend(&rule.head.key);
        }
        let given: Vec<&'a Term> = walk.parts.iter().skip(behind).take(wanted.len()).collect();
        wanted.truncate(given.len());
        let given: Vec<_> = given.into_iter().map(|part| Bound::tree(part, walk.frame)).collect();
        let wanted: Vec<_> = wanted.into_iter().map(|part| Bound::tree(part, child.frame)).collect();
        self.unify_each(child, &given, &wanted, next)
    }

    /// Adds what a solution of a rule gives (`reduce`); returns whether it was there.
    fn add(&mut self, walk: &Walk<'a>, rule: &'a Rule, child: Query<'a>, growing: &mut Growing) -> Result<bool, Leave> {
        let behind = walk.at.saturating_add(1);
        let conflict = || Leave::from(Stop::conflict("object keys must be unique", rule.head.span));
        let keys: &'a [Term] = match growing {
            Growing::Set(_) => &[],
            _ => rule.head.reference.get(behind..).unwrap_or_default(),
        };
        let keys = keys.iter().map(|key| self.plug_tree(key, child.frame)).collect::<Option<Vec<_>>>();
        let said = match (&rule.head.value, &rule.head.key) {
            (Some(value), _) if !matches!(growing, Growing::Set(_)) => self.plug_tree(value, child.frame).map(Added::Value),
            (_, Some(key)) => self.plug_tree(key, child.frame).map(Added::Member),
            _ => None,
        };
        let (Some(keys), Some(said)) = (keys, said) else { return Ok(false) };
        self.context.account.step(1)?;
        growing.add(&keys, said).map_err(|_| conflict())
    }
}
