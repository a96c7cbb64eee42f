//! Rules that cannot stand side by side (`v1/ast/compile.go`, `checkRuleConflicts`; `v1/ast/conflicts.go`).

mod data;
mod packages;

use std::collections::BTreeSet;

use super::rule_tree::{NodeId, RuleNode, RuleTree};
use super::terms::is_ground;
use super::{Compiler, written};
use crate::error::{Code, Error};
use crate::syntax::order::compare;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Rule, Term};

/// The stage `CheckRuleConflicts`.
pub(super) fn check_rule_conflicts(compiler: &mut Compiler) {
    let mut errors = Vec::new();
    compiler.rule_tree.depth_first(RuleTree::ROOT, |id, node| {
        errors.extend(of_node(compiler, id, node));
        false
    });
    data::conflicts(compiler, &mut errors);
    packages::conflicts(compiler, &mut errors);
    compiler.findings.stop_all(errors);
}

/// A place as messages show it: a file and a line.
pub(super) fn place(compiler: &Compiler, span: Span) -> String {
    compiler.sources.get(span.source).map_or_else(String::new, |source| {
        let position = source.position(span.start);
        if source.name.is_empty() {
            format!("{}:{}", position.row, position.col)
        } else {
            format!("{}:{}", source.name, position.row)
        }
    })
}

fn path_is_ground(path: &[Term]) -> bool {
    path.iter().skip(1).all(is_ground)
}

/// What the rules of one path are together.
#[derive(Default)]
struct Kinds {
    single: bool,
    multi: bool,
    complete: bool,
    partial: bool,
    set: bool,
    object: bool,
    arities: BTreeSet<usize>,
}

impl Kinds {
    fn of(rules: &[&Rule]) -> Self {
        let mut kinds = Self::default();
        for rule in rules {
            let ground = path_is_ground(&rule.head.reference);
            let single = rule.head.value.is_some();
            kinds.single |= single;
            kinds.multi |= !single;
            kinds.complete |= single && ground;
            kinds.partial |= !(single && ground);
            kinds.set |= !single && ground;
            kinds.object |= !single && !ground;
            kinds.arities.insert(rule.head.args.as_ref().map_or(0, Vec::len));
        }
        kinds
    }

    fn conflict(&self) -> bool {
        (self.single && self.multi) || (self.complete && self.partial) || (self.set && self.object) || self.arities.len() > 1
    }
}

fn of_node(compiler: &Compiler, id: NodeId, node: &RuleNode) -> Option<Error> {
    let rules: Vec<&Rule> = node.rules().iter().filter_map(|id| compiler.rule(*id)).collect();
    let (first, last) = (rules.first()?, rules.last()?);
    let name = written::reference(&compiler.rewritten, &last.head.reference);
    let below = below(compiler, id, &rules);
    if !below.is_empty() {
        let listed: Vec<String> = below
            .iter()
            .map(|rule| {
                let name = written::reference(&compiler.rewritten, &rule.head.reference);
                format!("\n  rule {name} at {}", place(compiler, rule.span))
            })
            .collect();
        return Some(Error::new(Code::Type, first.span, format!("rule {name} conflicts with:{}", listed.concat())));
    }
    if Kinds::of(&rules).conflict() {
        return Some(Error::new(Code::Type, first.span, format!("conflicting rules {name} found")));
    }
    several_defaults(compiler, node, &name)
}

/// Rules below the path that may not be there: any below a ground path, functions below others.
fn below<'c>(compiler: &'c Compiler, id: NodeId, rules: &[&Rule]) -> Vec<&'c Rule> {
    let ground = rules.iter().any(|rule| path_is_ground(&rule.head.reference));
    let mut found: Vec<&Rule> = Vec::new();
    compiler.rule_tree.depth_first(id, |at, node| {
        if at != id {
            let rules = node.rules().iter().filter_map(|id| compiler.rule(*id));
            found.extend(rules.filter(|rule| ground || rule.head.is_function()));
        }
        false
    });
    found.sort_by(|a, b| paths(&a.head.reference, &b.head.reference));
    let mut kept: Vec<&Rule> = Vec::new();
    for rule in found {
        let path = &rule.head.reference;
        let known = kept.last().is_some_and(|last| {
            let prefix = &last.head.reference;
            prefix.len() <= path.len() && prefix.iter().zip(path).all(|(a, b)| compare(a, b).is_eq())
        });
        if !known {
            kept.push(rule);
        }
    }
    kept
}

fn paths(a: &[Term], b: &[Term]) -> std::cmp::Ordering {
    let differs = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
    differs.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn several_defaults(compiler: &Compiler, node: &RuleNode, name: &str) -> Option<Error> {
    let defaults = node.rules().iter().filter_map(|id| Some((*id, compiler.rule(*id).filter(|rule| rule.default)?)));
    let defaults: Vec<_> = defaults.collect();
    let [(first, _), _, ..] = defaults.as_slice() else { return None };
    let package = compiler.modules.get(first.module).map(|module| module.package.span)?;
    let places: Vec<String> = defaults.iter().map(|(_, rule)| place(compiler, rule.span)).collect();
    Some(Error::new(Code::Type, package, format!("multiple default rules {name} found at {}", places.join(", "))))
}

/// What a rule is called in its package.
pub(super) fn relative(compiler: &Compiler, module: usize, rule: &Rule) -> String {
    let prefix = compiler.modules.get(module).map_or(0, |module| module.package.path.len());
    print::reference(rule.head.reference.get(prefix..).unwrap_or_default())
}
