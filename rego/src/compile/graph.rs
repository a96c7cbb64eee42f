//! Which rule refers to which (`v1/ast/compile.go`, `Graph`).

mod bindings;
mod cycles;
mod depend;
mod lookup;
mod origins;
mod selects;

use std::collections::HashMap;

use super::{Compiler, RuleId};
use crate::syntax::tree::{Module, Rule};

pub(super) use depend::{Dynamic, dependencies};
pub(super) use lookup::rules_dynamic;
pub(super) use origins::{Origin, members};
pub(super) use selects::refs_to_choose;

/// The number of a rule or of an `else`: modules in order, rules as they are written, each before its `else`.
pub(super) type Part = u32;

/// Edges between rules.
#[derive(Debug, Default)]
pub struct Graph {
    /// The number of each module's each rule.
    first: Vec<Vec<Part>>,
    /// What each refers to, ascending.
    edges: Vec<Vec<Edge>>,
    /// What each is referred to by, ascending.
    back: Vec<Vec<Part>>,
    /// The group of those that depend on themselves, and on each other.
    groups: HashMap<Part, usize>,
    /// References of those that choose rules by the value of a variable.
    dynamic: HashMap<Part, Vec<Dynamic>>,
}

/// To another rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// Which one.
    pub to: Part,
    /// Only if a variable has a certain value.
    pub dynamic: bool,
}

/// A rule or an `else`, and its module's index.
pub(super) type Numbered<'a> = (usize, &'a Rule);

/// All rules by number.
pub(super) fn numbered(modules: &[Module]) -> Vec<Numbered<'_>> {
    let mut all = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        all.extend(chains(module).map(|rule| (index, rule)));
    }
    all
}

fn chains(module: &Module) -> impl Iterator<Item = &Rule> {
    module.rules.iter().flat_map(Rule::chain)
}

/// The stage `SetGraph`.
pub(super) fn set_graph(compiler: &mut Compiler) {
    compiler.graph = Graph::of(compiler);
}

impl Graph {
    fn of(compiler: &Compiler) -> Self {
        let rules = numbered(&compiler.modules);
        let mut graph = Self { first: numbers(&compiler.modules), ..Self::default() };
        graph.edges = rules.iter().map(|(_, rule)| graph.edges_of(compiler, rule)).collect();
        graph.back = vec![Vec::new(); rules.len()];
        for (from, edges) in (0..).zip(&graph.edges) {
            for edge in edges {
                graph.back.get_mut(index(edge.to)).into_iter().for_each(|back| back.push(from));
            }
        }
        graph.groups = cycles::groups(&graph.edges);
        for part in graph.groups.keys() {
            if let Some((_, rule)) = rules.get(index(*part))
                && graph.edges(*part).iter().any(|edge| edge.dynamic)
            {
                graph.dynamic.insert(*part, depend::dynamic(compiler, rule));
            }
        }
        graph
    }

    /// The number of a rule.
    pub(super) fn part(&self, id: RuleId) -> Option<Part> {
        self.first.get(id.module)?.get(id.rule).copied()
    }

    /// What a rule refers to, ascending.
    pub(super) fn edges(&self, part: Part) -> &[Edge] {
        self.edges.get(index(part)).map(Vec::as_slice).unwrap_or_default()
    }

    /// What refers to a rule, ascending.
    pub(super) fn dependents(&self, part: Part) -> &[Part] {
        self.back.get(index(part)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The group of rules that depend on each other, for a rule that depends on itself.
    pub(super) fn group(&self, part: Part) -> Option<usize> {
        self.groups.get(&part).copied()
    }

    /// References of a rule that choose rules by the value of a variable, if the rule depends on itself.
    pub(super) fn dynamic(&self, part: Part) -> &[Dynamic] {
        self.dynamic.get(&part).map(Vec::as_slice).unwrap_or_default()
    }

    /// All numbers, each behind those it refers to, else by place (`Graph.Sort`).
    pub(super) fn sorted(&self, rules: &[Numbered<'_>]) -> Vec<Part> {
        let place = |part: &Part| rules.get(index(*part)).map(|(module, rule)| (*module, rule.span.start));
        let edges: Vec<Vec<Part>> = (self.edges.iter())
            .map(|edges| {
                let mut to: Vec<Part> = edges.iter().map(|edge| edge.to).collect();
                to.sort_by_key(place);
                to
            })
            .collect();
        let mut roots: Vec<Part> = (0..).take(rules.len()).collect();
        roots.sort_by_key(place);
        cycles::post_order(&edges, &roots)
    }

    /// Rules of the set that a rule refers to, with those of their `else`.
    fn edges_of(&self, compiler: &Compiler, rule: &Rule) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        dependencies(compiler, rule, |_, id, is_static| {
            let length = compiler.rule(id).map_or(0, |rule| rule.chain().count());
            let first = self.part(id).into_iter().flat_map(|first| (first..).take(length));
            edges.extend(first.map(|to| Edge { to, dynamic: !is_static }));
        });
        edges.sort_unstable();
        // Of two edges to one rule the static one counts.
        edges.dedup_by_key(|edge| edge.to);
        edges
    }
}

/// A number as an index.
pub(super) fn index(part: Part) -> usize {
    usize::try_from(part).unwrap_or(usize::MAX)
}

fn numbers(modules: &[Module]) -> Vec<Vec<Part>> {
    let mut next: Part = 0;
    let mut number = |rule: &Rule| {
        let this = next;
        next = next.saturating_add(Part::try_from(rule.chain().count()).unwrap_or(Part::MAX));
        this
    };
    modules.iter().map(|module| module.rules.iter().map(&mut number).collect()).collect()
}
