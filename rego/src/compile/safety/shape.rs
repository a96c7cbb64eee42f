//! Where the closures of a body are, and which variables occur in them: labels that stay when expressions change places.

use std::ops::Range;

use foldhash::HashMap;

use crate::syntax::tree::{Body, Expr, Kind, Term, Var};
use crate::syntax::visit::{Node, below};

/// The closures of each expression of a body.
pub(super) type Shape = Vec<Vec<Closure>>;

/// One closure: a comprehension, or a body of `every`, `not`, `and` or `or`.
#[derive(Debug)]
pub(super) struct Closure {
    /// The numbers of the occurrences inside.
    pub(super) range: Range<usize>,
    /// Its body.
    pub(super) shape: Shape,
}

/// The numbers of each variable's occurrences in closures, ascending.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    of: HashMap<Var, Vec<usize>>,
    next: usize,
    depth: usize,
}

/// Numbers the occurrences of a body.
pub(super) fn of_body(body: &Body) -> (Shape, Occurrences) {
    let mut occurrences = Occurrences::default();
    let shape = occurrences.body(body);
    (shape, occurrences)
}

impl Occurrences {
    /// Calls with the index of each range that a variable occurs in; ranges ascend and do not overlap.
    pub(super) fn ranges_with(&self, var: &Var, ranges: &[(Range<usize>, usize)], mut found: impl FnMut(usize)) {
        let Some(mut rest) = self.of.get(var).map(Vec::as_slice) else { return };
        let from = |rest: &[usize], at: usize| rest.partition_point(|number| *number < at);
        while let Some(number) = rest.first() {
            let at = ranges.partition_point(|(range, _)| range.end <= *number);
            let Some((range, index)) = ranges.get(at) else { return };
            let next = if range.contains(number) { range.end } else { range.start };
            if range.contains(number) {
                found(*index);
            }
            rest = rest.get(from(rest, next)..).unwrap_or_default();
        }
    }

    fn body(&mut self, body: &[Expr]) -> Shape {
        body.iter().map(|expr| self.closures(expr)).collect()
    }

    fn closures(&mut self, expr: &Expr) -> Vec<Closure> {
        let mut closures = Vec::new();
        self.node(Node::Expr(expr), &mut closures);
        closures
    }

    fn node(&mut self, node: Node<'_>, into: &mut Vec<Closure>) {
        match node {
            Node::Every(every) => {
                // What the domain closes over does not count, nor is it ordered.
                self.terms(every.key.iter().chain([&every.value, &every.domain]));
                self.closure(&[], &every.body, into);
            }
            Node::Body(body) => self.closure(&[], body, into),
            Node::Term(Term { kind: Kind::Var(name), .. }) => self.var(name),
            Node::Term(Term { kind: Kind::ArrayCompr(inner) | Kind::SetCompr(inner), .. }) => {
                self.closure(&[&inner.term], &inner.body, into);
            }
            Node::Term(Term { kind: Kind::ObjectCompr(inner), .. }) => {
                self.closure(&[&inner.key, &inner.value], &inner.body, into);
            }
            node => below(node, |node| self.node(node, into)),
        }
    }

    fn closure(&mut self, heads: &[&Term], body: &[Expr], into: &mut Vec<Closure>) {
        let start = self.next;
        self.depth = self.depth.saturating_add(1);
        self.terms(heads.iter().copied());
        let shape = self.body(body);
        self.depth = self.depth.saturating_sub(1);
        into.push(Closure { range: start..self.next, shape });
    }

    fn terms<'a>(&mut self, terms: impl IntoIterator<Item = &'a Term>) {
        terms.into_iter().for_each(|term| self.node(Node::Term(term), &mut Vec::new()));
    }

    fn var(&mut self, name: &Var) {
        if self.depth > 0 {
            let number = self.next;
            self.next = number.saturating_add(1);
            self.of.entry(name.clone()).or_default().push(number);
        }
    }
}
