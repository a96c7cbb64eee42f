//! The rule tree: packages, and at which node the rules of a path are (opa `v1/ast/compile.go`, `NewRuleTree`, `buildRuleIndices`).

use std::collections::BTreeMap;

use super::{GroupId, group_id};
use crate::compile::constants::value as constant;
use crate::compile::rule_tree::package_depth;
use crate::ir::{GroupKind, Node, NodeId};
use crate::syntax::tree::{Module, Rule};
use crate::value::Value;

/// A rule: its module and its index there.
pub(super) type Place = (usize, usize);

/// The tree while it grows.
pub(super) struct Tree {
    nodes: Vec<Growing>,
}

#[derive(Default)]
struct Growing {
    node: Node,
    /// The node above, and the key that leads here.
    above: Option<(NodeId, Value)>,
    rules: Vec<Place>,
}

/// Rules that define one thing.
pub(super) struct Gathered {
    pub(super) path: Vec<Value>,
    pub(super) kind: GroupKind,
    pub(super) rules: Vec<Place>,
}

impl Tree {
    pub(super) fn of(modules: &[Module]) -> Self {
        let mut tree = Self { nodes: vec![Growing::default()] };
        for (index, module) in modules.iter().enumerate() {
            tree.enter(&module.package.path.iter().skip(1).filter_map(constant).collect::<Vec<_>>());
            for (rule_index, rule) in module.rules.iter().enumerate() {
                let node = tree.enter(&prefix(rule));
                if let Some(node) = tree.nodes.get_mut(node.index()) {
                    node.rules.push((index, rule_index));
                }
            }
        }
        tree.nodes.iter_mut().for_each(|node| node.rules.sort_by_key(|(module, _)| package_depth(modules, *module)));
        tree.hide_system();
        tree.gather(modules);
        tree
    }

    /// The node at a path below `data`.
    fn enter(&mut self, path: &[Value]) -> NodeId {
        let mut at = NodeId::ROOT;
        for key in path {
            let next = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
            let Some(here) = self.nodes.get_mut(at.index()) else { return at };
            let found = *here.node.children.entry(key.clone()).or_insert(next);
            if found == next {
                self.nodes.push(Growing { above: Some((at, key.clone())), ..Growing::default() });
            }
            at = found;
        }
        at
    }

    fn hide_system(&mut self) {
        let system = self.nodes.first().and_then(|root| root.node.children.get(&Value::from("system"))).copied();
        if let Some(system) = system.and_then(|system| self.nodes.get_mut(system.index())) {
            system.node.hidden = true;
        }
    }

    /// Where a head has variables, all rules below are of one group: those here first, then in the order of the keys below.
    fn gather(&mut self, modules: &[Module]) {
        for index in 0..self.nodes.len() {
            let Some(here) = self.nodes.get(index) else { break };
            if here.rules.iter().all(|place| is_ground(modules, *place)) {
                continue;
            }
            let mut below: Vec<_> = here.node.children.values().rev().copied().collect();
            let mut rules = Vec::new();
            while let Some(id) = below.pop() {
                if let Some(node) = self.nodes.get_mut(id.index()) {
                    rules.append(&mut node.rules);
                    below.extend(node.node.children.values().rev());
                }
            }
            if let Some(here) = self.nodes.get_mut(index) {
                here.rules.append(&mut rules);
                here.node.children = BTreeMap::new();
            }
        }
        let mut next = 0;
        for here in self.nodes.iter_mut().filter(|here| !here.rules.is_empty()) {
            here.node.group = Some(group_id(next));
            next = next.saturating_add(1);
        }
    }

    /// In the order of their numbers.
    pub(super) fn groups(&self, modules: &[Module]) -> Vec<Gathered> {
        let groups = self.nodes.iter().filter(|node| !node.rules.is_empty());
        groups
            .map(|node| Gathered { path: self.path(node), kind: kind(modules, &node.rules), rules: node.rules.clone() })
            .collect()
    }

    fn path(&self, node: &Growing) -> Vec<Value> {
        let above = |(id, _): &&(NodeId, Value)| self.nodes.get(id.index())?.above.as_ref();
        let keys = std::iter::successors(node.above.as_ref(), above).map(|(_, key)| key.clone());
        let mut path: Vec<Value> = keys.chain([Value::from("data")]).collect();
        path.reverse();
        path
    }

    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes.into_iter().map(|here| here.node).collect()
    }
}

impl Gathered {
    /// Its path, number and arity, if it can be called: functions, and rules with one value.
    pub(super) fn function(&self, index: usize) -> Option<(Vec<Value>, (GroupId, usize))> {
        let arity = match self.kind {
            GroupKind::Function(arity) => arity,
            GroupKind::Complete => 0,
            GroupKind::Set | GroupKind::Object => return None,
        };
        Some((self.path.clone(), (group_id(index), arity)))
    }
}

pub(super) fn rule(modules: &[Module], (module, rule): Place) -> Option<&Rule> {
    modules.get(module)?.rules.get(rule)
}

/// The constant keys at the beginning of a head, below `data`.
fn prefix(rule: &Rule) -> Vec<Value> {
    rule.head.reference.iter().skip(1).map_while(constant).collect()
}

fn is_ground(modules: &[Module], place: Place) -> bool {
    rule(modules, place).is_none_or(|rule| rule.head.reference.iter().skip(1).all(|part| constant(part).is_some()))
}

fn kind(modules: &[Module], rules: &[Place]) -> GroupKind {
    let ground = rules.iter().all(|place| is_ground(modules, *place));
    let Some(first) = rules.first().and_then(|place| rule(modules, *place)) else { return GroupKind::Complete };
    match (first.head.args.as_ref().filter(|args| !args.is_empty()), is_multi(first), ground) {
        (Some(args), ..) => GroupKind::Function(args.len()),
        (None, true, true) => GroupKind::Set,
        (None, false, true) => GroupKind::Complete,
        (None, _, false) => GroupKind::Object,
    }
}

/// Whether a rule adds members to a set (opa `v1/ast/policy.go`, `RuleKind`).
pub(super) fn is_multi(rule: &Rule) -> bool {
    rule.head.value.is_none() && rule.head.key.is_some()
}
