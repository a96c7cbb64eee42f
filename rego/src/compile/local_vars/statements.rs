//! Expressions that declare variables, or hold bodies.

use super::rewriter::{DeclareError, Rewriter};
use super::scope::Occurrence;
use crate::compile::names::{EQUALITY, operator};
use crate::compile::safety::output_vars;
use crate::compile::vars::{Params, VarSet, is_root_document, is_wildcard};
use crate::syntax::parse::kind_name;
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term, Var};
use crate::syntax::visit::Rewrite;

impl Rewriter<'_> {
    /// `x := …`
    pub(super) fn assignment(&mut self, expr: &mut Expr) {
        if expr.negated {
            return self.error(expr.span, "cannot assign vars inside negated expression");
        }
        let span = expr.span;
        let ExprKind::Call(parts) = &mut expr.kind else { return };
        let [called, left, right] = parts.as_mut_slice() else { return };
        self.term(right);
        expr.with.iter_mut().for_each(|with| self.term(&mut with.value));
        self.assigned(left, span);
        *called = operator(EQUALITY, called);
        expr.from_assignment = true;
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
            None => Err(DeclareError::Target(kind_name(&term.kind))),
        };
        match declared {
            Ok(local) => term.kind = Kind::Var(local),
            Err(error) => self.error(term.span, error.to_string()),
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
                    if let Err(error) = self.declare(&name, Occurrence::Declared, Some(expr.span)) {
                        self.error(span, error.to_string());
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
            if let Err(error) = self.declare(&name, Occurrence::Declared, Some(expr.span)) {
                self.error(span, error.to_string());
                return false;
            }
        }
        self.terms_of(expr);
        true
    }

    /// `every k, v in xs { … }`; without a key it gets one.
    pub(super) fn every(&mut self, expr: &mut Expr) -> bool {
        let ExprKind::Every(every) = &mut expr.kind else { return true };
        let from = self.repeats;
        self.repeats = from.saturating_add(usize::from(self.comprehensions > 0));
        self.term(&mut every.domain);
        self.scopes.push();
        let declared = match &mut every.key {
            Some(key) => self.declare_every(key),
            None => {
                every.key = Some(Term::var(every.span, self.names.generate()));
                Ok(())
            }
        };
        if let Err(error) = declared.and_then(|()| self.declare_every(&mut every.value)) {
            self.error(every.span, error.to_string());
            self.scopes.pop();
            return false;
        }
        self.statements(&[], &mut every.body);
        self.after(expr, self.repeats > from);
        self.scopes.pop();
        true
    }

    fn declare_every(&mut self, term: &mut Term) -> Result<(), DeclareError> {
        if let Kind::Var(name) = &mut term.kind
            && !is_wildcard(name)
        {
            *name = self.declare(&name.clone(), Occurrence::Declared, None)?;
        }
        Ok(())
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
