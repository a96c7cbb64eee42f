//! Rules.

use super::Lower;
use super::scope::Scope;
use super::tree::{self, Gathered};
use crate::ir::{Definition, Group, GroupKind, Pattern, Rule, Term};
use crate::syntax::tree as syntax;
use crate::value::Value;

impl Lower<'_> {
    pub(super) fn group(&mut self, gathered: &Gathered) -> Group {
        let mut group = Group {
            path: gathered.path.clone().into(),
            name: written(&gathered.path).into(),
            kind: gathered.kind,
            rules: Vec::new(),
            default: None,
            early_exit: false,
        };
        let modules = self.modules;
        for place in &gathered.rules {
            let Some(rule) = tree::rule(modules, *place) else { continue };
            let lowered = self.rule(rule, gathered.path.len(), gathered.kind);
            if rule.default {
                group.default = Some(lowered);
            } else {
                group.rules.push(lowered);
            }
        }
        group.early_exit = may_exit_early(&group);
        group
    }

    /// A rule whose group's path is so many parts of its head.
    fn rule(&mut self, rule: &syntax::Rule, above: usize, kind: GroupKind) -> Rule {
        let mut otherwise = Vec::new();
        let mut next = &rule.otherwise;
        while let Some(branch) = next {
            otherwise.push(self.branch(branch, above, kind));
            next = &branch.otherwise;
        }
        Rule { otherwise, ..self.branch(rule, above, kind) }
    }

    fn branch(&mut self, rule: &syntax::Rule, above: usize, kind: GroupKind) -> Rule {
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
            otherwise: Vec::new(),
        }
    }

    fn definition(&mut self, rule: &syntax::Rule, keys: &[syntax::Term], known: usize, args: &mut Vec<Pattern>) -> Definition {
        let mut scope = Scope::default();
        *args = rule.head.args.iter().flatten().map(|arg| self.pattern(arg, &mut scope)).collect();
        let member = rule.head.key.as_ref().filter(|_| tree::is_multi(rule));
        let parts = keys.iter().chain(member).take(known);
        let known = parts.map(|part| self.pattern(part, &mut scope)).collect();
        let body = self.body(&rule.body, &mut scope);
        let path = keys.iter().map(|key| self.term(key, &mut scope)).collect();
        let value = match (member, &rule.head.value) {
            (Some(value), _) | (None, Some(value)) => self.term(value, &mut scope),
            (None, None) => Term::Constant(Value::Bool(true)),
        };
        Definition { slots: scope.len(), known, body, path, value }
    }
}

/// Whether all rules have one constant for a value (opa `v1/ast/index.go`, `mayEarlyExit`).
fn may_exit_early(group: &Group) -> bool {
    if !matches!(group.kind, GroupKind::Complete | GroupKind::Function(_)) {
        return false;
    }
    let all = || group.rules.iter().flat_map(|rule| std::iter::once(rule).chain(&rule.otherwise));
    let value = |rule: &Rule| match rule.definitions.first() {
        Some(Definition { value: Term::Constant(value), .. }) => Some(value.clone()),
        _ => None,
    };
    let first = all().next().and_then(value);
    first.is_some() && all().all(|rule| value(rule) == first)
}

/// A path as OPA writes a reference.
fn written(path: &[Value]) -> String {
    let mut text = String::new();
    for key in path {
        match key {
            Value::String(name) if text.is_empty() => text.push_str(name),
            Value::String(name) if is_plain(name) => {
                text.push('.');
                text.push_str(name);
            }
            other => text.push_str(&format!("[{other}]")),
        }
    }
    text
}

fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
