//! Which rule refers to which (`v1/ast/compile.go`, `Graph`).

mod bindings;
mod cycles;
mod depend;
mod lookup;
mod origins;
mod selects;
mod shared;

use foldhash::HashMap;

use super::{Compiler, RuleId};
use crate::syntax::tree::{Module, Rule};
use depend::Led;
use shared::Shared;

pub(super) use depend::{Dynamic, dependencies};
pub(super) use lookup::rules_dynamic;
pub(super) use origins::{Origin, members};
pub(super) use selects::refs_to_choose;

/// The number of a rule or of an `else`: modules in order, rules as they are written, each before its `else`.
pub(crate) type Part = u32;

/// Edges between rules.
#[derive(Debug, Default)]
pub struct Graph {
    /// The number of each module's each rule.
    first: Vec<Vec<Part>>,
    /// For each rule the numbers of the rules that it refers to, ascending. Behind the rules stand lists that rules have in common, such as all rules of a package.
    edges: Vec<Vec<Edge>>,
    /// How many of them are rules.
    rules: Part,
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
        let count = Part::try_from(rules.len()).unwrap_or(Part::MAX);
        let mut graph = Self { first: numbers(&compiler.modules), rules: count, ..Self::default() };
        let mut shared = Shared::new(count);
        graph.edges = rules.iter().map(|(_, rule)| graph.edges_of(compiler, rule, &mut shared)).collect();
        graph.edges.extend(shared.lists());
        graph.back = vec![Vec::new(); graph.edges.len()];
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
    pub(crate) fn part(&self, id: RuleId) -> Option<Part> {
        self.first.get(id.module)?.get(id.rule).copied()
    }

    /// Returns the rules that a rule names itself, ascending, then the lists that it refers to.
    fn edges(&self, part: Part) -> &[Edge] {
        self.edges.get(index(part)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns one by one the rules that a rule refers to: the first that comes after the given one. Of two edges to one rule the static
    /// one counts.
    pub(super) fn next(&self, part: Part, after: Option<Part>) -> Option<Edge> {
        let own = self.edges(part);
        let lists = own.get(own.partition_point(|edge| edge.to < self.rules)..).unwrap_or_default();
        let all = lists.iter().map(|list| self.edges(list.to)).chain([own]);
        let behind = |edges: &[Edge]| edges.get(edges.partition_point(|edge| Some(edge.to) <= after)).copied();
        all.filter_map(behind).filter(|edge| edge.to < self.rules).min()
    }

    /// What refers to a rule, or to a list, ascending: rules, and lists that it is in.
    pub(crate) fn dependents(&self, part: Part) -> &[Part] {
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
        let mut by_place: Vec<Part> = (0..self.rules).collect();
        by_place.sort_by_key(place);
        let mut ranks: Vec<Part> = (0..).take(self.edges.len()).collect();
        for (rank, part) in (0..).zip(&by_place) {
            ranks.get_mut(index(*part)).into_iter().for_each(|place| *place = rank);
        }
        let rank = |part: Part| ranks.get(index(part)).copied().unwrap_or(part);
        let ranked = |part: Part| {
            let mut to: Vec<Part> = self.edges(part).iter().map(|edge| rank(edge.to)).collect();
            to.sort_unstable();
            to
        };
        let lists = (self.rules..).take(self.edges.len().saturating_sub(index(self.rules)));
        let edges: Vec<Vec<Part>> = by_place.iter().copied().chain(lists).map(ranked).collect();
        let order = cycles::post_order(&edges, self.rules);
        order.into_iter().filter_map(|rank| by_place.get(index(rank)).copied()).collect()
    }

    /// Rules of the set that a rule refers to, with those of their `else`; and lists of them that others refer to as well.
    fn edges_of(&self, compiler: &Compiler, rule: &Rule, shared: &mut Shared) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        dependencies(compiler, rule, |reference, led| match led {
            Led::ToAll => edges.extend_from_slice(shared.edges(compiler, self, reference.parts)),
            Led::To(id, is_static) => edges.extend(self.edges_to(compiler, id, is_static)),
        });
        edges.sort_unstable();
        // Of two edges to one rule the static one counts.
        edges.dedup_by_key(|edge| edge.to);
        edges
    }

    /// To a rule, and to each of its `else`.
    fn edges_to(&self, compiler: &Compiler, id: RuleId, is_static: bool) -> impl Iterator<Item = Edge> + use<> {
        let length = compiler.rule(id).map_or(0, |rule| rule.chain().count());
        let first = self.part(id).into_iter().flat_map(move |first| (first..).take(length));
        first.map(move |to| Edge { to, dynamic: !is_static })
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
