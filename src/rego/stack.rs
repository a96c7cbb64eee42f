//! How much stack an evaluation may need: the interpreter recurses along rules that use rules, and along nested expressions,
//! and a stack overflow ends the process. So the need is estimated from the syntax trees, generously; what does not fit
//! into an ordinary thread is evaluated on a thread of its own, and what would need too much is refused.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::Diagnostic;
use regorus::unstable::{Expr, Rule};

use super::parse::ParsedModule;
use super::reads::{self, Names};
use super::{syntax, walk};

/// Bytes for entering a rule or function: twice what was measured on a build without optimisation.
const RULE: usize = 8 << 10;
/// Bytes for each expression inside another.
const EXPRESSION: usize = 7 << 10;
/// Bytes for each iteration inside another.
const LOOP: usize = 4 << 10;

/// What callers must have left of their stack: threads of 2 MiB do.
const ORDINARY: usize = 1 << 20;
/// More is refused.
const MOST: usize = 64 << 20;
/// For everything around the evaluation.
const BASE: usize = 1 << 20;

/// The stack that a set needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stack(usize);

impl Stack {
    /// Estimates a set, or says where it is too deep.
    pub(super) fn of(modules: &[ParsedModule]) -> Result<Self, Vec<Diagnostic>> {
        let graph = Graph::of(modules);
        let deepest = graph.depths().into_iter().enumerate().max_by_key(|(_, depth)| *depth);
        let Some((place, depth)) = deepest else { return Ok(Self::default()) };
        match graph.rules.get(place) {
            Some(node) if depth > MOST => Err(vec![node.too_deep()]),
            _ => Ok(Self(depth)),
        }
    }

    /// What one needs that calls the other.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Runs on this thread, or on one with enough stack.
    pub(super) fn run<T: Send>(self, work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
        if self.0 <= ORDINARY {
            return Ok(work());
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("deep-evaluation".to_owned()).stack_size(self.0.saturating_add(BASE));
            let counted = || {
                super::limits::count_to_the_end();
                work()
            };
            let running = thread.spawn_scoped(scope, counted)?;
            running.join().or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// One definition of a rule.
struct Node<'a> {
    module: &'a ParsedModule,
    rule: &'a Rule,
    /// Bytes for the rule itself.
    own: usize,
    /// Rules that it may use.
    uses: BTreeSet<usize>,
}

impl Node<'_> {
    fn too_deep(&self) -> Diagnostic {
        let message = "rules and functions use one another through too many levels: evaluation would overflow the stack";
        self.module.diagnostic("rego_compile_error", message, syntax::head(self.rule).span().start)
    }
}

struct Graph<'a> {
    rules: Vec<Node<'a>>,
}

impl<'a> Graph<'a> {
    fn of(modules: &'a [ParsedModule]) -> Self {
        let mut rules: Vec<Node<'a>> = Vec::new();
        let mut places: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for module in modules {
            let package = syntax::package(&module.ast);
            for rule in &module.ast.policy {
                let names = syntax::path(syntax::head(rule)).map(|path| path.names).unwrap_or_default();
                places.entry(package.iter().cloned().chain(names).collect()).or_default().push(rules.len());
                rules.push(Node { module, rule, own: Depth::of(rule), uses: BTreeSet::new() });
            }
        }
        for node in &mut rules {
            let paths = reads::rule_references(node.module, node.rule, Names::All);
            node.uses = paths.iter().flat_map(|path| meeting(&places, path)).collect();
        }
        Self { rules }
    }

    /// The need of each rule with all that it uses. Rules in a circle, which the estimate sees more often than they are
    /// there, count together.
    fn depths(&self) -> Vec<usize> {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.rules.len()];
        for (place, node) in self.rules.iter().enumerate() {
            for used in &node.uses {
                users.get_mut(*used).into_iter().for_each(|users| users.push(place));
            }
        }
        let mut waiting: Vec<usize> = self.rules.iter().map(|node| node.uses.len()).collect();
        let mut below: Vec<usize> = vec![0; self.rules.len()];
        let mut done: Vec<Option<usize>> = vec![None; self.rules.len()];
        let mut open: Vec<usize> = (0..self.rules.len()).filter(|place| waiting.get(*place) == Some(&0)).collect();
        while let Some(place) = open.pop() {
            let own = self.rules.get(place).map_or(0, |node| node.own);
            let depth = below.get(place).copied().unwrap_or(0).saturating_add(own);
            done.get_mut(place).into_iter().for_each(|slot| *slot = Some(depth));
            for user in users.get(place).into_iter().flatten() {
                below.get_mut(*user).into_iter().for_each(|slot| *slot = depth.max(*slot));
                if let Some(left) = waiting.get_mut(*user) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        open.push(*user);
                    }
                }
            }
        }
        let circles: usize = self.rules.iter().zip(&done).filter(|(_, done)| done.is_none()).map(|(node, _)| node.own).sum();
        let together = circles.saturating_add(below.iter().copied().max().unwrap_or(0));
        done.into_iter().map(|depth| depth.unwrap_or(together)).collect()
    }
}

/// Rules at, above or below a path.
fn meeting(places: &BTreeMap<Vec<String>, Vec<usize>>, path: &[String]) -> Vec<usize> {
    let below = places.range(path.to_vec()..).take_while(|(rule, _)| rule.starts_with(path));
    let above = (0..path.len()).filter_map(|length| places.get_key_value(path.get(..length)?));
    below.chain(above).flat_map(|(_, rules)| rules.iter().copied()).collect()
}

/// The bytes for the deepest place inside a rule.
#[derive(Default)]
struct Depth {
    deepest: usize,
    current: usize,
    loops: usize,
}

impl Depth {
    fn of(rule: &Rule) -> usize {
        let mut depth = Self::default();
        walk::rule(rule, &mut depth);
        RULE.saturating_add(depth.deepest.saturating_mul(EXPRESSION)).saturating_add(depth.loops.saturating_mul(LOOP))
    }
}

impl walk::Visitor for Depth {
    fn expr(&mut self, expr: &Expr) -> bool {
        self.current = self.current.saturating_add(1);
        self.deepest = self.deepest.max(self.current);
        if let Expr::RefBrack { index, .. } = expr {
            self.loops = self.loops.saturating_add(usize::from(matches!(index.as_ref(), Expr::Var { .. })));
        }
        true
    }

    fn leave(&mut self) {
        self.current = self.current.saturating_sub(1);
    }

    fn iteration(&mut self) {
        self.loops = self.loops.saturating_add(1);
    }
}

#[cfg(test)]
mod tests;
