//! What many rules refer to by the same name, such as all rules of a package: listed once, and each of them refers to the list. Otherwise
//! a thousand rules that read a package of a thousand rules would be a million edges.

use foldhash::HashMap;

use super::super::Compiler;
use super::super::rule_tree::NodeId;
use super::lookup::{end, rules_dynamic};
use super::{Edge, Graph, Part};
use crate::syntax::print;
use crate::syntax::tree::Term;

/// So many rules are referred to one by one.
const FEW: usize = 4;

/// Lists of rules, and references that are known.
pub(super) struct Shared {
    /// The number of the first list.
    first: Part,
    lists: Vec<Vec<Edge>>,
    /// What references lead to, by the last node on their way and what is left of them there.
    known: HashMap<(NodeId, String), Vec<Edge>>,
}

impl Shared {
    /// Without any, behind so many rules.
    pub(super) fn new(rules: Part) -> Self {
        Self { first: rules, lists: Vec::new(), known: HashMap::default() }
    }

    /// All lists, by number.
    pub(super) fn lists(self) -> Vec<Vec<Edge>> {
        self.lists
    }

    /// The rules that a reference without variables leads to, or their list.
    pub(super) fn edges(&mut self, compiler: &Compiler, graph: &Graph, parts: &[Term]) -> &[Edge] {
        let (node, rest) = end(compiler, parts);
        let key = (node, rest.iter().map(print::term).collect::<Vec<_>>().join("\n"));
        self.known.entry(key).or_insert_with(|| {
            let path: Vec<&Term> = parts.iter().collect();
            let rules = rules_dynamic(compiler, &path);
            // Ascending, as rules are numbered.
            let edges: Vec<Edge> = rules.into_iter().flat_map(|id| graph.edges_to(compiler, id, true)).collect();
            if edges.len() <= FEW {
                return edges;
            }
            let number = Part::try_from(self.lists.len()).unwrap_or(Part::MAX);
            self.lists.push(edges);
            vec![Edge { to: self.first.saturating_add(number), dynamic: false }]
        })
    }
}
