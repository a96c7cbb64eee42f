//! Rules.

use super::scope::Scope;
use super::tree::{self, Gathered};
use super::{Lower, cheap, constant};
use crate::compile::rule_index;
use crate::ir::{Definition, Group, GroupKind, NodeId, Pattern, Rule, RuleIndex, Term};
use crate::syntax::print;
use crate::syntax::tree::{self as syntax};
use crate::value::Value;

impl Lower<'_> {
    /// Returns the rules of one path, ready for evaluation; with `asked` also for calls that give the answer (`f(x, 2)`), and not as cheap.
    pub(super) fn group(&mut self, gathered: &Gathered, asked: bool) -> Group {
        let mut group = Group {
            path: gathered.path.clone().into(),
            name: name(self.modules, gathered).into(),
            kind: gathered.kind,
            rules: Vec::new(),
            default: None,
            index: RuleIndex::default(),
            is_cheap: false,
        };
        let modules = self.modules;
        for place in &gathered.rules {
            let Some(rule) = tree::rule(modules, *place) else { continue };
            let lowered = self.rule(rule, (gathered.path.len(), gathered.kind), asked);
            if rule.default {
                group.default = Some(lowered);
            } else {
                group.rules.push(lowered);
            }
        }
        let rules = gathered.rules.iter().filter_map(|place| Some((place.0, tree::rule(modules, *place)?)));
        group.index = rule_index::build(rules.filter(|(_, rule)| !rule.default), &|path| self.is_virtual(path));
        group.is_cheap = !asked && cheap::is_cheap(&group);
        group
    }

    /// Whether there are rules at a path below `data`, above it or below it (opa `v1/ast/compile.go`, `isVirtual`).
    fn is_virtual(&self, path: &[Value]) -> bool {
        let mut node = self.node(NodeId::ROOT);
        for key in path {
            node = node.and_then(|node| self.node(*node.children.get(key)?));
            match node {
                None => return false,
                Some(node) if node.group.is_some() => return true,
                Some(_) => {}
            }
        }
        true
    }

    /// A rule whose group's path is so many parts of its head.
    fn rule(&mut self, rule: &syntax::Rule, of: (usize, GroupKind), asked: bool) -> Rule {
        let mut otherwise = Vec::new();
        let mut next = &rule.otherwise;
        while let Some(branch) = next {
            otherwise.push(self.branch(branch, of, asked));
            next = &branch.otherwise;
        }
        Rule { otherwise, ..self.branch(rule, of, asked) }
    }

    fn branch(&mut self, rule: &syntax::Rule, (above, kind): (usize, GroupKind), asked: bool) -> Rule {
        let keys = rule.head.reference.get(above..).unwrap_or_default();
        let multi = tree::is_multi(rule);
        let known = match kind {
            GroupKind::Complete | GroupKind::Function(_) => 0,
            GroupKind::Set | GroupKind::Object => keys.len().saturating_add(usize::from(multi)),
        };
        let mut args = Vec::new();
        let definitions = (0..=known).map(|known| self.definition(rule, keys, known, &mut args)).collect();
        Rule {
            span: rule.span,
            head: rule.head.span,
            args: args.into(),
            multi,
            keys: keys.len(),
            definitions,
            asked: if asked { self.asked(rule) } else { None },
            otherwise: Vec::new(),
            labels: None,
        }
    }

    /// Returns how a rule is evaluated for a call that gives the answer; `None` where the head's value is a constant.
    fn asked(&mut self, rule: &syntax::Rule) -> Option<Box<Definition>> {
        let value = rule.head.value.as_ref().filter(|value| constant(value).is_none())?;
        let mut scope = Scope::default();
        rule.head.args.iter().flatten().for_each(|arg| drop(self.pattern(arg, &mut scope)));
        let known = [self.pattern(value, &mut scope)].into();
        let body = self.body(&rule.body, &mut scope);
        let value = self.term(value, &mut scope);
        Some(Box::new(Definition { slots: scope.len(), known, body, path: Box::default(), value }))
    }

    fn definition(&mut self, rule: &syntax::Rule, keys: &[syntax::Term], known: usize, args: &mut Vec<Pattern>) -> Definition {
        let mut scope = Scope::default();
        *args = rule.head.args.iter().flatten().map(|arg| self.pattern(arg, &mut scope)).collect();
        let member = rule.head.key.as_ref().filter(|_| tree::is_multi(rule));
        let known = keys.iter().chain(member).take(known).map(|part| self.pattern(part, &mut scope)).collect();
        let body = self.body(&rule.body, &mut scope);
        let path = keys.iter().map(|key| self.term(key, &mut scope)).collect();
        let value = match (member, &rule.head.value) {
            (Some(value), _) | (None, Some(value)) => self.term(value, &mut scope),
            (None, None) => Term::Constant(Value::True),
        };
        Definition { slots: scope.len(), known, body, path, value }
    }
}

/// What messages call a group: the reference that its first rule is written with, up to its first variable (opa `v1/topdown/errors.go`,
/// `rulePath`).
fn name(modules: &[syntax::Module], gathered: &Gathered) -> String {
    let first = gathered.rules.first().and_then(|place| tree::rule(modules, *place));
    let path = first.and_then(|rule| rule.head.reference.get(..gathered.path.len()));
    print::reference(path.unwrap_or_default())
}
