//! Walks that change what they meet.

use std::collections::HashMap;

use crate::syntax::order::sort;
use crate::syntax::span::Span;
use crate::syntax::steps;
use crate::syntax::tree::{Body, Expr, ExprKind, Head, Kind, Rule, TemplatePart, Term, With};

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
    Walk { visit, sorts: false }.node(node);
}

/// As [`walk_mut`], and the references of heads first; objects and sets are sorted again after what they hold was visited.
pub fn transform<F: FnMut(Mutable<'_>) -> bool>(node: Mutable<'_>, visit: &mut F) {
    Walk { visit, sorts: true }.node(node);
}

struct Walk<'f, F> {
    visit: &'f mut F,
    sorts: bool,
}

impl<F: FnMut(Mutable<'_>) -> bool> Walk<'_, F> {
    fn node(&mut self, node: Mutable<'_>) {
        match node {
            Mutable::Rule(rule) => self.rule(rule),
            Mutable::Head(head) => self.head(head),
            Mutable::Body(body) => self.body(body),
            Mutable::Expr(expr) => self.expr(expr, &mut HashMap::new()),
            Mutable::With(with) => self.with(with, &mut HashMap::new()),
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

    fn body(&mut self, body: &mut Body) {
        if !(self.visit)(Mutable::Body(body)) {
            let mut shared = HashMap::new();
            body.iter_mut().for_each(|expr| self.expr(expr, &mut shared));
        }
    }

    fn expr(&mut self, expr: &mut Expr, shared: &mut HashMap<Span, With>) {
        if (self.visit)(Mutable::Expr(expr)) {
            return;
        }
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(parts) => self.terms(parts),
            ExprKind::Some(some) => self.terms(&mut some.symbols),
            ExprKind::Every(every) => {
                self.terms(every.key.iter_mut().chain([&mut every.value, &mut every.domain]));
                self.body(&mut every.body);
            }
            ExprKind::Not(not) => self.body(&mut not.body),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.body(&mut logical.left);
                self.body(&mut logical.right);
            }
        }
        expr.with.iter_mut().for_each(|with| self.with(with, shared));
    }

    /// Expressions that were made from one share its `with`, as they do in OPA: it is changed once.
    fn with(&mut self, with: &mut With, shared: &mut HashMap<Span, With>) {
        if let Some(known) = shared.get(&with.span).filter(|_| self.sorts) {
            *with = known.clone();
            return;
        }
        if !(self.visit)(Mutable::With(with)) {
            self.terms([&mut with.target, &mut with.value]);
        }
        if self.sorts {
            shared.insert(with.span, with.clone());
        }
    }

    fn terms<'a>(&mut self, terms: impl IntoIterator<Item = &'a mut Term>) {
        terms.into_iter().for_each(|term| self.term(term));
    }

    fn term(&mut self, term: &mut Term) {
        steps::one();
        if (self.visit)(Mutable::Term(term)) {
            return;
        }
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => self.terms(parts),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value])),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
                self.term(&mut inner.term);
                self.body(&mut inner.body);
            }
            Kind::ObjectCompr(inner) => {
                self.terms([&mut inner.key, &mut inner.value]);
                self.body(&mut inner.body);
            }
            Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
                TemplatePart::Text(term) => self.term(term),
                TemplatePart::Expr(expr) => self.expr(expr, &mut HashMap::new()),
            }),
        }
        if self.sorts {
            sort(&mut term.kind);
        }
    }
}
