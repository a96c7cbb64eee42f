//! What METADATA labels rules with (opa `v1/ast/annotations.go`, `MergedLabels`).

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use crate::compile::{Compiled, Part, RuleId, lower};
use crate::ir::{self, Policy};
use crate::syntax::tree::{Annotations, Rule};
use crate::value::{Object, Value, json};

/// Labels that were met, and which rules have some.
#[derive(Default)]
struct Given {
    all: Vec<Value>,
    /// By what they are written as: OPA tells them apart by that.
    numbers: HashMap<String, usize>,
    rules: Vec<Part>,
}

/// Gives rules their labels, and finds for which groups such rules are evaluated.
pub(super) fn give(policy: &mut Policy, compiled: &Compiled) {
    let mut annotations = compiled.modules.iter().flat_map(|module| &module.annotations);
    if !annotations.any(|annotations| labels(annotations).is_some()) {
        return;
    }
    let mut given = Given::default();
    let groups = lower::places(&compiled.modules);
    for (group, places) in policy.groups.iter_mut().zip(&groups) {
        let mut rules = group.rules.iter_mut();
        for id in ids(places) {
            let Some(rule) = compiled.rule(id) else { continue };
            let lowered = if rule.default { group.default.as_mut() } else { rules.next() };
            lowered.into_iter().for_each(|lowered| given.give(compiled, id, rule, lowered));
        }
    }
    let reaching = reaching(compiled, given.rules);
    let is_labelled = |id| {
        let length = compiled.rule(id).map_or(0, |rule| rule.chain().count());
        let mut parts = compiled.graph.part(id).into_iter().flat_map(|first| (first..).take(length));
        parts.any(|part| reaching.contains(&part))
    };
    policy.labelled = groups.iter().map(|places| ids(places).any(is_labelled)).collect();
    policy.labels = given.all;
}

fn ids(places: &[(usize, usize)]) -> impl Iterator<Item = RuleId> + '_ {
    places.iter().map(|(module, rule)| RuleId { module: *module, rule: *rule })
}

fn labels(annotations: &Annotations) -> Option<&Object> {
    annotations.fields.as_object()?.member("labels")?.as_object()
}

impl Given {
    fn give(&mut self, compiled: &Compiled, id: RuleId, rule: &Rule, lowered: &mut ir::Rule) {
        let lowered = std::iter::once(&mut lowered.labels).chain(lowered.otherwise.iter_mut().map(|branch| &mut branch.labels));
        for (depth, (branch, place)) in rule.chain().zip(lowered).enumerate() {
            *place = self.number(compiled, id, branch, depth > 0);
            if place.is_some() {
                self.rules.extend(compiled.graph.part(id));
            }
        }
    }

    /// The labels of a rule, those that are said nearest to it first.
    fn number(&mut self, compiled: &Compiled, id: RuleId, rule: &Rule, is_else: bool) -> Option<usize> {
        let chain = compiled.annotations.chain(&compiled.modules, id, rule, is_else);
        let outwards = chain.into_iter().rev().filter_map(|link| labels(link.annotations?));
        let merged: BTreeMap<_, _> = outwards.flat_map(Object::iter).map(|(name, value)| (name.clone(), value.clone())).collect();
        if merged.is_empty() {
            return None;
        }
        let merged = Value::object(merged);
        let next = self.all.len();
        let number = *self.numbers.entry(json::write(&merged, usize::MAX).ok()?).or_insert(next);
        if number == next {
            self.all.push(merged);
        }
        Some(number)
    }
}

/// All rules that are among these or refer to one of them, with the lists in which rules are referred to.
fn reaching(compiled: &Compiled, mut waiting: Vec<Part>) -> HashSet<Part> {
    let mut found = HashSet::default();
    while let Some(part) = waiting.pop() {
        if found.insert(part) {
            waiting.extend_from_slice(compiled.graph.dependents(part));
        }
    }
    found
}
