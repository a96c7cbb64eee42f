//! Terms: what is declared gets its new name.

use super::rewriter::Rewriter;
use super::scope::{Entry, Occurrence};
use crate::compile::vars::{INPUT, is_root_document};
use crate::syntax::order::sort;
use crate::syntax::print;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Template, TemplatePart, Term, Var, With};
use crate::syntax::visit::{Node, walk_terms};

impl Rewriter<'_> {
    /// All terms of an expression, bodies included.
    pub(super) fn expr(&mut self, expr: &mut Expr) {
        self.kind(&mut expr.kind, true);
        expr.with.iter_mut().for_each(|with| self.with(with));
    }

    fn kind(&mut self, kind: &mut ExprKind, withs: bool) {
        match kind {
            ExprKind::Term(term) => self.term(term, withs),
            ExprKind::Call(parts) => self.terms(parts, withs),
            ExprKind::Some(some) => self.terms(&mut some.symbols, withs),
            ExprKind::Every(every) => {
                self.terms(every.key.iter_mut().chain([&mut every.value, &mut every.domain]), withs);
                self.exprs(&mut every.body, withs);
            }
            ExprKind::Not(not) => self.exprs(&mut not.body, withs),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.exprs(&mut logical.left, withs);
                self.exprs(&mut logical.right, withs);
            }
        }
    }

    fn exprs(&mut self, body: &mut Body, withs: bool) {
        for expr in body {
            self.kind(&mut expr.kind, withs);
            for with in &mut expr.with {
                if withs { self.with(with) } else { self.terms([&mut with.target, &mut with.value], false) }
            }
        }
    }

    /// A `with`. What is called `input` here may be shadowed, but its target never is.
    pub(super) fn with(&mut self, with: &mut With) {
        self.term(&mut with.target, false);
        if let Some(shadow) = self.scopes.declared(&INPUT) {
            match &mut with.target.kind {
                Kind::Var(name) if name == shadow => {
                    let input = Term::var(with.target.span, INPUT);
                    with.target.kind = Kind::Ref(vec![input]);
                }
                Kind::Ref(parts) => {
                    if let Some(Term { kind: Kind::Var(name), .. }) = parts.first_mut()
                        && name == shadow
                    {
                        *name = INPUT;
                    }
                }
                _ => {}
            }
        }
        self.term(&mut with.value, false);
    }

    pub(super) fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>, withs: bool) {
        terms.into_iter().for_each(|term| self.term(term, withs));
    }

    /// A term and all below it; `withs`: a `with` in a template is treated as one in a body.
    pub(super) fn term(&mut self, term: &mut Term, withs: bool) {
        if is_root_document(term).is_some() {
            return self.root_document(term);
        }
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => return,
            Kind::Var(name) => return self.var(name),
            Kind::Call(parts) => {
                if let Some(message) = parts.first().and_then(|called| self.shadowed_call(called)) {
                    self.error(term.span, message);
                }
                self.terms(parts, withs);
            }
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) => self.terms(parts, withs),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value], withs)),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.comprehension(&mut [&mut inner.term], &mut inner.body),
            Kind::ObjectCompr(inner) => self.comprehension(&mut [&mut inner.key, &mut inner.value], &mut inner.body),
            Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
                TemplatePart::Text(_) => {}
                TemplatePart::Expr(expr) if withs => self.expr(expr),
                TemplatePart::Expr(expr) => {
                    self.kind(&mut expr.kind, false);
                    expr.with.iter_mut().for_each(|with| self.terms([&mut with.target, &mut with.value], false));
                }
            }),
        }
        sort(&mut term.kind);
    }

    fn var(&mut self, name: &mut Var) {
        match self.scopes.mention(name, true) {
            Some(local) => *name = local,
            None => self.scopes.insert(self.rewritten, name.clone(), Entry::new(name.clone(), Occurrence::Seen, None)),
        }
    }

    /// `input` or `data`, which may be shadowed.
    fn root_document(&mut self, term: &mut Term) {
        let Some(name) = is_root_document(term).cloned() else { return };
        if self.scopes.occurrence_anywhere(&name).is_some_and(|occurrence| occurrence != Occurrence::Seen)
            && let Some(local) = self.scopes.mention(&name, false)
            && local != name
        {
            term.kind = Kind::Var(local);
        }
    }

    /// A function cannot be a variable.
    fn shadowed_call(&self, called: &Term) -> Option<String> {
        let mut shadowed = false;
        walk_terms(Node::Term(called), |term| {
            shadowed |= term.as_var().is_some_and(|name| self.scopes.declared(name).is_some_and(|local| local != name));
            false
        });
        shadowed.then(|| format!("called function {} shadowed", print::term(called)))
    }

    /// A comprehension has a scope of its own.
    pub(super) fn comprehension(&mut self, terms: &mut [&mut Term], body: &mut Body) {
        self.scopes.push();
        self.comprehensions = self.comprehensions.saturating_add(1);
        let used: Vec<&Term> = terms.iter().map(|term| &**term).collect();
        self.body(&used, body);
        terms.iter_mut().for_each(|term| self.term(term, false));
        self.comprehensions = self.comprehensions.saturating_sub(1);
        self.scopes.pop();
    }

    /// A template in a head: each of its expressions has a scope of its own.
    pub(super) fn template(&mut self, template: &mut Template) {
        for part in &mut template.parts {
            if let TemplatePart::Expr(expr) = part {
                self.scopes.push();
                self.expr(expr);
                self.scopes.pop();
            }
        }
    }
}
