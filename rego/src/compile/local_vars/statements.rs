//! Expressions that declare variables, or hold bodies.

use super::rewriter::Rewriter;
use super::scope::Occurrence;
use crate::compile::names::{ASSIGN, EQUALITY, operator};
use crate::compile::safety::output_vars;
use crate::compile::terms::calls;
use crate::compile::vars::{Params, VarSet, is_root_document, is_wildcard};
use crate::syntax::parse::kind_name;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Logical, Term, Var};
use crate::syntax::visit::Rewrite;

/// OPA rewrites what `every`, `not {}`, `and` and `or` hold once more for each of them that is around it. That gives new names to `every`
/// in comprehensions, and nothing else; twice as often with each level. We follow it so far.
const PASSES: usize = 6;

impl Rewriter<'_> {
    /// `x := …`
    pub(super) fn assignment(&mut self, expr: &mut Expr) {
        if expr.negated {
            return self.error(expr.span, "cannot assign vars inside negated expression");
        }
        let (span, known) = (expr.span, self.errors.len());
        let ExprKind::Call(parts) = &mut expr.kind else { return };
        let [called, left, right] = parts.as_mut_slice() else { return };
        self.term(right);
        expr.with.iter_mut().for_each(|with| self.term(&mut with.value));
        self.assigned(left, span);
        if self.errors.len() == known {
            *called = operator(EQUALITY, called);
            expr.from_assignment = true;
        }
    }

    /// The left side: variables, in arrays and values of objects.
    fn assigned(&mut self, term: &mut Term, span: Span) {
        let name = match &mut term.kind {
            Kind::Var(name) => Some(name.clone()),
            Kind::Array(items) => return items.iter_mut().for_each(|item| self.assigned(item, span)),
            Kind::Object(members) => return members.iter_mut().for_each(|(_, value)| self.assigned(value, span)),
            _ => is_root_document(term).cloned(),
        };
        let declared = match name {
            Some(name) => self.declare(&name, Occurrence::Assigned, Some(span)),
            None => Err(format!("cannot assign to {}", kind_name(&term.kind))),
        };
        match declared {
            Ok(local) => term.kind = Kind::Var(local),
            Err(message) => self.error(term.span, message),
        }
    }

    /// `some x` leaves nothing behind; `some x in xs` becomes `x = xs[_]`.
    pub(super) fn some(&mut self, expr: &mut Expr) -> bool {
        let ExprKind::Some(some) = &mut expr.kind else { return true };
        let span = some.span;
        let symbols = std::mem::take(&mut some.symbols);
        for symbol in symbols {
            match symbol.kind {
                Kind::Var(name) => {
                    if let Err(message) = self.declare(&name, Occurrence::Declared, Some(expr.span)) {
                        self.error(span, message);
                        return false;
                    }
                }
                Kind::Call(parts) => return self.some_in(expr, parts, span),
                _ => {}
            }
        }
        false
    }

    fn some_in(&mut self, expr: &mut Expr, mut parts: Vec<Term>, span: Span) -> bool {
        let (Some(domain), Some(value)) = (parts.pop(), parts.pop()) else { return false };
        let key = parts.into_iter().nth(1).unwrap_or_else(|| Term::var(domain.span, self.names.generate()));
        let before = bound_before(&key, &value, &domain);
        if !before.is_empty() {
            before.iter().for_each(|name| self.error(span, format!("var {name} assigned before")));
            return false;
        }
        let mut safe = VarSet::default();
        safe.add_term(&domain, Params::ALL);
        let place = domain.span;
        let rows = match domain.kind {
            Kind::Ref(mut path) => {
                path.push(key);
                path
            }
            kind => vec![Term::new(place, kind), key],
        };
        let rows = Term::new(place, Kind::Ref(rows));
        expr.kind = ExprKind::Call(vec![operator(EQUALITY, &rows), value, rows]);
        for name in output_vars::of_equality(expr, &safe).sorted() {
            if let Err(message) = self.declare(&name, Occurrence::Declared, Some(expr.span)) {
                self.error(span, message);
                return false;
            }
        }
        self.terms_of(expr);
        true
    }

    /// `every k, v in xs { … }`; without a key it gets one.
    pub(super) fn every(&mut self, expr: &mut Expr) -> bool {
        let ExprKind::Every(every) = &mut expr.kind else { return true };
        let from = self.everies;
        self.everies = from.saturating_add(usize::from(self.comprehensions > 0));
        self.term(&mut every.domain);
        self.scopes.push();
        let declared = match &mut every.key {
            Some(key) => self.declare_every(key),
            None => {
                every.key = Some(Term::var(every.span, self.names.generate()));
                Ok(())
            }
        };
        if let Err(message) = declared.and_then(|()| self.declare_every(&mut every.value)) {
            self.error(every.span, message);
            self.scopes.pop();
            return false;
        }
        self.statements(&[], &mut every.body);
        self.after(expr, from);
        self.scopes.pop();
        true
    }

    fn declare_every(&mut self, term: &mut Term) -> Result<(), String> {
        if let Kind::Var(name) = &mut term.kind
            && !is_wildcard(name)
        {
            *name = self.declare(&name.clone(), Occurrence::Declared, None)?;
        }
        Ok(())
    }

    /// `not {}`; without braces it may not assign.
    pub(super) fn not(&mut self, expr: &mut Expr) {
        let (from, known) = (self.everies, self.errors.len());
        let ExprKind::Not(not) = &mut expr.kind else { return };
        if not.explicit {
            self.scopes.push();
            self.statements(&[], &mut not.body);
            self.after(expr, from);
            return self.scopes.pop();
        }
        self.implicit(&mut not.body, "cannot assign vars inside negated expression");
        if self.errors.len() == known {
            self.after(expr, from);
        }
    }

    /// `and`, `or`.
    pub(super) fn logical(&mut self, expr: &mut Expr) {
        let (from, known) = (self.everies, self.errors.len());
        let word = if matches!(expr.kind, ExprKind::And(_)) { "and" } else { "or" };
        let (ExprKind::And(logical) | ExprKind::Or(logical)) = &mut expr.kind else { return };
        let message = format!("cannot assign vars inside implicit {word} operand");
        let Logical { left, right, explicit_left, explicit_right, .. } = logical.as_mut();
        for (body, explicit) in [(left, *explicit_left), (right, *explicit_right)] {
            if explicit {
                self.scopes.push();
                self.statements(&[], body);
                self.scopes.pop();
            } else {
                self.implicit(body, &message);
            }
        }
        if self.errors.len() == known {
            self.after(expr, from);
        }
    }

    /// A body without braces: it may not assign.
    fn implicit(&mut self, body: &mut Body, message: &str) {
        for expr in body {
            match &expr.kind {
                _ if calls(expr, &ASSIGN) => self.error(expr.span, message),
                ExprKind::Not(_) => self.not(expr),
                ExprKind::And(_) | ExprKind::Or(_) => self.logical(expr),
                _ => {}
            }
        }
    }

    /// What is left to do after the bodies of a statement: as OPA does, all of it once more, if that makes a difference.
    fn after(&mut self, expr: &mut Expr, from: usize) {
        if self.everies > from && self.passes < PASSES {
            self.passes = self.passes.saturating_add(1);
            self.terms_of(expr);
            self.passes = self.passes.saturating_sub(1);
            return;
        }
        let implicit: &mut [(&mut Body, bool)] = match &mut expr.kind {
            ExprKind::Not(not) => &mut [(&mut not.body, not.explicit)],
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                let Logical { left, right, explicit_left, explicit_right, .. } = logical.as_mut();
                &mut [(left, *explicit_left), (right, *explicit_right)]
            }
            _ => &mut [],
        };
        for (body, _) in implicit.iter_mut().filter(|(_, explicit)| !explicit) {
            let plain = |expr: &&mut Expr| !matches!(expr.kind, ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_));
            body.iter_mut().filter(plain).for_each(|expr| self.terms_of(expr));
        }
        expr.with.iter_mut().for_each(|with| self.shadowed_with(with));
    }
}

/// Variables that `some k, v in xs` binds and that `xs` mentions.
fn bound_before(key: &Term, value: &Term, domain: &Term) -> Vec<Var> {
    let mut bound = VarSet::default();
    let params = Params { skip_ref_head: true, skip_object_keys: true, skip_closures: true, ..Params::ALL };
    bound.add_terms([key, value], params);
    let mut mentioned = VarSet::default();
    mentioned.add_term(domain, Params { skip_closures: true, ..Params::ALL });
    bound.sorted().into_iter().filter(|name| mentioned.contains(name) && !is_wildcard(name)).collect()
}
