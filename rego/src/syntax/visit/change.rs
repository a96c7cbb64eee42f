//! Walks that change what they meet.

use foldhash::HashMap;

use super::Rewrite;
use crate::syntax::order::sort;
use crate::syntax::span::Span;
use crate::syntax::steps;
use crate::syntax::tree::{Body, Expr, Head, Rule, Term, With};

/// A node of a tree that may be changed.
#[derive(Debug)]
pub enum Mutable<'a> {
    /// A rule, its `else` included.
    Rule(&'a mut Rule),
    /// A head.
    Head(&'a mut Head),
    /// A body.
    Body(&'a mut Body),
    /// An expression.
    Expr(&'a mut Expr),
    /// `with`.
    With(&'a mut With),
    /// A term.
    Term(&'a mut Term),
}

/// Visits a node and all that it holds after it was visited, in the order of the text. What is below a node for which `visit` says
/// `true` is left out. Objects and sets keep their order: for changes after which no key differs.
pub fn walk_mut<F: FnMut(Mutable<'_>) -> bool>(node: Mutable<'_>, visit: &mut F) {
    Walk { visit, sorts: false, shared: HashMap::default() }.node(node);
}

/// As [`walk_mut`], and the references of heads first; objects and sets are sorted again after what they hold was visited.
pub fn transform<F: FnMut(Mutable<'_>) -> bool>(node: Mutable<'_>, visit: &mut F) {
    Walk { visit, sorts: true, shared: HashMap::default() }.node(node);
}

struct Walk<'f, F> {
    visit: &'f mut F,
    sorts: bool,
    /// Expressions of a body that were made from one share its `with`, as they do in OPA: it is changed once.
    shared: HashMap<Span, With>,
}

impl<F: FnMut(Mutable<'_>) -> bool> Walk<'_, F> {
    fn node(&mut self, node: Mutable<'_>) {
        match node {
            Mutable::Rule(rule) => self.rule(rule),
            Mutable::Head(head) => self.head(head),
            Mutable::Body(body) => self.body(body),
            Mutable::Expr(expr) => self.expr(expr),
            Mutable::With(with) => self.with(with),
            Mutable::Term(term) => self.term(term),
        }
    }

    fn rule(&mut self, rule: &mut Rule) {
        if (self.visit)(Mutable::Rule(rule)) {
            return;
        }
        self.head(&mut rule.head);
        self.body(&mut rule.body);
        if let Some(otherwise) = &mut rule.otherwise {
            self.rule(otherwise);
        }
    }

    fn head(&mut self, head: &mut Head) {
        if (self.visit)(Mutable::Head(head)) {
            return;
        }
        if self.sorts {
            self.terms(&mut head.reference);
        }
        self.terms(head.args.iter_mut().flatten());
        self.terms(head.key.iter_mut().chain(&mut head.value));
    }
}

impl<F: FnMut(Mutable<'_>) -> bool> Rewrite for Walk<'_, F> {
    fn body(&mut self, body: &mut Body) {
        if !(self.visit)(Mutable::Body(body)) {
            let outside = std::mem::take(&mut self.shared);
            body.iter_mut().for_each(|expr| self.expr(expr));
            self.shared = outside;
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if !(self.visit)(Mutable::Expr(expr)) {
            self.inside_expr(expr);
        }
    }

    fn with(&mut self, with: &mut With) {
        if let Some(known) = self.shared.get(&with.span).filter(|_| self.sorts) {
            *with = known.clone();
            return;
        }
        if !(self.visit)(Mutable::With(with)) {
            self.terms([&mut with.target, &mut with.value]);
        }
        if self.sorts {
            self.shared.insert(with.span, with.clone());
        }
    }

    fn term(&mut self, term: &mut Term) {
        steps::one();
        if !(self.visit)(Mutable::Term(term)) {
            self.inside_term(term);
            if self.sorts {
                sort(&mut term.kind);
            }
        }
    }
}
