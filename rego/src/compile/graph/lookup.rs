//! The rules that a reference may lead to (`v1/ast/compile.go`, `GetRulesDynamicWithOpts`, hidden modules included).

use super::super::Compiler;
use super::super::constants::is_constant;
use super::super::rule_tree::{NodeId, RuleId, RuleTree};
use super::super::vars::DATA;
use crate::syntax::order::compare;
use crate::syntax::tree::Term;

/// All rules that a reference may lead to, ascending.
pub(crate) fn rules_dynamic(compiler: &Compiler, path: &[&Term]) -> Vec<RuleId> {
    let mut found = Vec::new();
    if let Some((first, _)) = path.split_first()
        && first.as_var() == Some(&DATA)
    {
        Lookup { compiler, path, found: &mut found }.walk(RuleTree::ROOT, 1);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The last node on the way of a reference without variables, and what is left of it there.
pub(super) fn end<'p>(compiler: &Compiler, path: &'p [Term]) -> (NodeId, &'p [Term]) {
    let (mut node, mut rest) = (RuleTree::ROOT, path.get(1..).unwrap_or_default());
    while let Some((part, behind)) = rest.split_first()
        && let Some(child) = compiler.rule_tree.child(node, part)
    {
        (node, rest) = (child, behind);
    }
    (node, rest)
}

struct Lookup<'a> {
    compiler: &'a Compiler,
    path: &'a [&'a Term],
    found: &'a mut Vec<RuleId>,
}

impl Lookup<'_> {
    fn walk(&mut self, id: NodeId, at: usize) {
        let tree = &self.compiler.rule_tree;
        let Some(part) = self.path.get(at).copied() else {
            tree.depth_first(id, |_, node| {
                self.found.extend(node.rules());
                false
            });
            return;
        };
        if is_constant(part) {
            tree.child(id, part).into_iter().for_each(|child| self.enter(child, at));
        } else if let Some(node) = tree.node(id) {
            node.children().for_each(|(_, child)| self.enter(child, at));
        }
    }

    fn enter(&mut self, child: NodeId, at: usize) {
        let below = at.saturating_add(1);
        let rules = self.compiler.rule_tree.node(child).map(|node| node.rules()).unwrap_or_default();
        for id in rules {
            if self.compiler.rule(*id).is_some_and(|rule| may_intersect(&rule.head.reference, self.path, below)) {
                self.found.push(*id);
            }
        }
        self.walk(child, below);
    }
}

/// Whether both may lead to one place, from a part on (`refsMayIntersect`).
fn may_intersect(rule: &[Term], path: &[&Term], from: usize) -> bool {
    let pairs = rule.iter().zip(path).skip(from);
    pairs.into_iter().all(|(a, b)| !is_constant(a) || !is_constant(b) || compare(a, b).is_eq())
}
