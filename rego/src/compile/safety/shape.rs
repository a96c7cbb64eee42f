//! Where the closures of a body are, and which variables occur in them: labels that stay when expressions change places.

use std::collections::HashMap;
use std::ops::Range;

use crate::syntax::tree::{Body, Expr, ExprKind, Kind, TemplatePart, Term, Var};

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
        let Some((first, _)) = ranges.first() else { return };
        rest = rest.get(from(rest, first.start)..).unwrap_or_default();
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
        self.expr(expr, &mut closures);
        closures
    }

    fn expr(&mut self, expr: &Expr, into: &mut Vec<Closure>) {
        match &expr.kind {
            ExprKind::Term(term) => self.term(term, into),
            ExprKind::Call(parts) => self.terms(parts, into),
            ExprKind::Some(some) => self.terms(&some.symbols, into),
            ExprKind::Every(every) => {
                // What the domain closes over does not count, nor is it ordered.
                self.terms(every.key.iter().chain([&every.value, &every.domain]), &mut Vec::new());
                self.closure(&[], &every.body, into);
            }
            ExprKind::Not(not) => self.closure(&[], &not.body, into),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.closure(&[], &logical.left, into);
                self.closure(&[], &logical.right, into);
            }
        }
        for with in &expr.with {
            self.terms([&with.target, &with.value], into);
        }
    }

    fn closure(&mut self, heads: &[&Term], body: &[Expr], into: &mut Vec<Closure>) {
        let start = self.next;
        self.depth = self.depth.saturating_add(1);
        self.terms(heads.iter().copied(), &mut Vec::new());
        let shape = self.body(body);
        self.depth = self.depth.saturating_sub(1);
        into.push(Closure { range: start..self.next, shape });
    }

    fn terms<'a>(&mut self, terms: impl IntoIterator<Item = &'a Term>, into: &mut Vec<Closure>) {
        terms.into_iter().for_each(|term| self.term(term, into));
    }

    fn term(&mut self, term: &Term, into: &mut Vec<Closure>) {
        match &term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
            Kind::Var(name) => self.var(name),
            Kind::Ref(terms) | Kind::Array(terms) | Kind::Set(terms) | Kind::Call(terms) => self.terms(terms, into),
            Kind::Object(members) => members.iter().for_each(|(key, value)| self.terms([key, value], into)),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.closure(&[&inner.term], &inner.body, into),
            Kind::ObjectCompr(inner) => self.closure(&[&inner.key, &inner.value], &inner.body, into),
            Kind::Template(template) => {
                for part in &template.parts {
                    match part {
                        TemplatePart::Text(term) => self.term(term, into),
                        TemplatePart::Expr(expr) => self.expr(expr, into),
                    }
                }
            }
        }
    }

    fn var(&mut self, name: &Var) {
        if self.depth > 0 {
            let number = self.next;
            self.next = number.saturating_add(1);
            self.of.entry(name.clone()).or_default().push(number);
        }
    }
}
