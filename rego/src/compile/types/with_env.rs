//! What `with` makes of types (`v1/ast/check.go`, `withEnv`).

use std::collections::BTreeSet;
use std::rc::Rc;

use foldhash::HashSet;

use super::super::graph::{index, numbered, rules_dynamic};
use super::super::terms::{ground_prefix, is_ground};
use super::checker::Checker;
use super::join::or;
use super::lattice::{Type, any};
use super::tree::Tree;
use crate::syntax::order::compare;
use crate::syntax::print;
use crate::syntax::tree::{Expr, Kind, Term};

impl<'t> Checker<'_, 't> {
    /// Opens the scopes of an expression's `with`: what is replaced may be of the replacement's type, and rules that depend on it
    /// may be anything. Says how many scopes.
    pub(super) fn push_with(&mut self, expr: &'t Expr) -> usize {
        let mut layers: Vec<Rc<Tree>> = Vec::new();
        let mut replaced = Tree::default();
        let mut any_replaced = false;
        for with in &expr.with {
            let Kind::Ref(target) = &with.target.kind else { continue };
            let of = self.type_of_ref(target);
            let function = matches!(of, Some(Type::Function(_)));
            layers.extend(self.relaxed(target, function));
            if !function {
                let value = of.filter(|_| is_ground(&with.target)).and_then(|of| {
                    let value = self.type_of(&with.value)?;
                    or(Some(of), Some(value))
                });
                replaced.put(ground_prefix(target), Some(value.unwrap_or_else(any)));
                any_replaced = true;
            }
        }
        layers.extend(any_replaced.then(|| Rc::new(replaced)));
        let count = layers.len();
        layers.into_iter().for_each(|layer| self.scopes.push_paths(layer));
        count
    }

    /// The rules that depend on a target, as anything.
    fn relaxed(&mut self, target: &[Term], function: bool) -> Option<Rc<Tree>> {
        let key = (function, print::reference(target));
        if let Some(known) = self.shared.relaxed.get(&key) {
            return known.clone();
        }
        let mut tree = Tree::default();
        let mut some = false;
        for path in self.dependents(target) {
            let itself = path.len() == target.len() && path.iter().zip(target).all(|(a, b)| compare(a, b).is_eq());
            if !(function && itself) {
                tree.put(path, Some(any()));
                some = true;
            }
        }
        let relaxed = some.then(|| Rc::new(tree));
        self.shared.relaxed.insert(key, relaxed.clone());
        relaxed
    }

    /// The paths of the rules that a target may lead to, and of all that depend on them (`dependentRuleRefs`).
    fn dependents(&self, target: &[Term]) -> Vec<&'t [Term]> {
        let path: Vec<&Term> = target.iter().collect();
        let graph = &self.compiler.graph;
        let mut rest: Vec<_> = rules_dynamic(self.compiler, &path).into_iter().filter_map(|id| graph.part(id)).collect();
        if rest.is_empty() {
            return Vec::new();
        }
        let rules = numbered(&self.compiler.modules);
        let mut seen: HashSet<_> = rest.iter().copied().collect();
        while let Some(part) = rest.pop() {
            rest.extend(graph.dependents(part).iter().filter(|other| seen.insert(**other)));
        }
        let sorted: BTreeSet<_> = seen.into_iter().collect();
        sorted
            .into_iter()
            .filter_map(|part| rules.get(index(part)))
            .map(|(_, rule)| ground_prefix(&rule.head.reference))
            .collect()
    }
}
