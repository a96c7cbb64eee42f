//! Makes the tree from modules.

use super::{Key, NodeId, RuleId, RuleNode, RuleTree};
use crate::compile::terms::{ground_prefix, is_empty_body, is_ground};
use crate::syntax::order::compare;
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Module, Rule, Term};

impl RuleTree {
    /// The tree of modules that are sorted, after the stage `RewriteRuleHeadRefs`.
    pub fn of(modules: &[Module]) -> Self {
        let mut tree = Self::default();
        for (module, tree_of) in modules.iter().enumerate() {
            if tree_of.rules.is_empty() {
                tree.add(&tree_of.package.path);
            }
            for (rule, defined) in tree_of.rules.iter().enumerate() {
                let id = tree.add(ground_prefix(&defined.head.reference));
                if let Some(node) = tree.nodes.get_mut(id.0) {
                    node.rules.push(RuleId { module, rule });
                }
            }
        }
        tree.finish(modules);
        tree
    }

    /// Makes all nodes of a path.
    fn add(&mut self, path: &[Term]) -> NodeId {
        path.iter().skip(1).fold(Self::ROOT, |node, part| Key::of(part).map_or(node, |key| self.add_child(node, key)))
    }

    fn add_child(&mut self, parent: NodeId, key: Key) -> NodeId {
        let new = NodeId(self.nodes.len());
        let Some(node) = self.nodes.get_mut(parent.0) else { return parent };
        if let Some(child) = node.children.get(&key) {
            return *child;
        }
        node.children.insert(key.clone(), new);
        node.sorted.push((key, new));
        self.nodes.push(RuleNode::default());
        new
    }

    /// Sorts keys, and says what rules of a path are together.
    fn finish(&mut self, modules: &[Module]) {
        let find = |id: &RuleId| modules.get(id.module)?.rules.get(id.rule);
        for node in &mut self.nodes {
            node.rules.sort_by_key(|id| package_depth(modules, id.module));
            node.sorted.sort_by(|(a, _), (b, _)| compare(&a.term(), &b.term()));
            let rules: Vec<&Rule> = node.rules.iter().filter_map(find).collect();
            node.arity = rules.first().map(|rule| rule.head.args.as_ref().map_or(0, Vec::len));
            node.known = is_known(&rules);
        }
    }
}

/// How deep the package of a module lies: rules of one path come in the order of that, and modules of one package in theirs (opa
/// `v1/ast/compile.go`, `NewRuleTree`, goes through the tree of packages).
pub(in crate::compile) fn package_depth(modules: &[Module], module: usize) -> usize {
    modules.get(module).map_or(0, |module| module.package.path.len())
}

/// Whether rules of one path always give a value together.
fn is_known(rules: &[&Rule]) -> bool {
    let Some((first, rest)) = rules.split_first() else { return false };
    if first.head.is_function() {
        return false;
    }
    if first.default || first.head.value.is_none() {
        return true;
    }
    if rest.is_empty() { is_constant(first) } else { rest.iter().any(|rule| rule.default) }
}

/// Whether a rule is a ground value without a body (`isConstantRule`).
fn is_constant(rule: &Rule) -> bool {
    let value = rule.head.value.as_ref();
    is_empty_body(&rule.body)
        && value.is_some_and(|value| match &value.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => true,
            Kind::Array(_) | Kind::Object(_) | Kind::Set(_) => is_ground(value),
            _ => false,
        })
}

impl Key {
    /// As a term.
    fn term(&self) -> Term {
        let kind = match self {
            Self::Null => Kind::Null,
            Self::Bool(value) => Kind::Bool(*value),
            Self::Number(text) => Kind::Number(text.clone()),
            Self::String(text) => Kind::String(text.clone()),
        };
        Term::new(Span::default(), kind)
    }
}
