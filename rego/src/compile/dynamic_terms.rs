//! References and comprehensions inside of other terms (`v1/ast/compile.go`, `rewriteDynamics`): they are evaluated before what holds
//! them. `foo(data.bar) = 1` becomes `__local0__ = data.bar; foo(__local0__) = 1`.

use super::Compiler;
use super::names::Names;
use super::terms::{append, each_rule, is_comprehension, is_equality};
use crate::syntax::order::sort;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Term, With};

/// The stage `RewriteDynamicTerms`.
pub(super) fn rewrite_dynamic_terms(compiler: &mut Compiler) {
    let Compiler { modules, names, .. } = compiler;
    each_rule(modules, |rule| Dynamics(names).body(&mut rule.body));
}

/// The same for a query.
pub(super) fn rewrite_query(body: &mut Body) {
    let mut names = Names::for_query(body);
    Dynamics(&mut names).body(body);
}

/// The stage `RewriteTestRulesForTracing`: sides of equalities in tests are bound to variables, so that a trace shows their values.
pub(super) fn rewrite_test_rules_for_tracing(compiler: &mut Compiler) {
    let Compiler { modules, names, options, .. } = compiler;
    if !options.test_tracing {
        return;
    }
    each_rule(modules, |rule| {
        if rule.head.name.starts_with("test_") {
            Dynamics(names).test(&mut rule.body);
        }
    });
}

struct Dynamics<'a>(&'a mut Names);

/// Where expressions go that come before another one, and the `with` that they share with it.
struct Before<'a> {
    out: &'a mut Body,
    with: &'a [With],
}

impl Dynamics<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.len());
        for expr in std::mem::take(body) {
            self.expr(expr, &mut out);
        }
        *body = out;
    }

    fn expr(&mut self, mut expr: Expr, out: &mut Body) {
        let equality = is_equality(&expr);
        let before = &mut Before { out, with: &expr.with };
        match &mut expr.kind {
            ExprKind::Call(parts) if equality => match parts.as_mut_slice() {
                [_, left, right] => {
                    self.outermost(left, before);
                    self.outermost(right, before);
                }
                _ => return append(out, [expr]),
            },
            ExprKind::Call(parts) => self.terms(parts.iter_mut().skip(1), before),
            // What it goes through is a variable already.
            ExprKind::Every(every) => self.body(&mut every.body),
            ExprKind::Not(not) => self.body(&mut not.body),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.body(&mut logical.left);
                self.body(&mut logical.right);
            }
            ExprKind::Term(term) => self.outermost(term, before),
            ExprKind::Some(_) => {}
        }
        out.push(expr);
    }

    /// A term that stands alone or beside `=`: only what it holds comes before it.
    fn outermost(&mut self, term: &mut Term, before: &mut Before<'_>) {
        match &mut term.kind {
            Kind::Ref(parts) => self.terms(parts.iter_mut().skip(1), before),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.body(&mut inner.body),
            Kind::ObjectCompr(inner) => self.body(&mut inner.body),
            _ => self.term(term, before),
        }
    }

    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>, before: &mut Before<'_>) {
        terms.into_iter().for_each(|term| self.term(term, before));
    }

    fn term(&mut self, term: &mut Term, before: &mut Before<'_>) {
        match &mut term.kind {
            Kind::Ref(parts) => {
                self.terms(parts.iter_mut().skip(1), before);
                self.bind(term, before);
            }
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
                self.body(&mut inner.body);
                self.bind(term, before);
            }
            Kind::ObjectCompr(inner) => {
                self.body(&mut inner.body);
                self.bind(term, before);
            }
            Kind::Array(items) => self.terms(items, before),
            Kind::Set(members) => {
                self.terms(members, before);
                sort(&mut term.kind);
            }
            Kind::Object(members) => {
                members.iter_mut().for_each(|(key, value)| self.terms([key, value], before));
                sort(&mut term.kind);
            }
            _ => {}
        }
    }

    fn bind(&mut self, term: &mut Term, before: &mut Before<'_>) {
        let (local, mut expr) = self.0.equality(std::mem::replace(term, Term::new(Span::default(), Kind::Null)));
        *term = local;
        expr.with = before.with.to_vec();
        before.out.push(expr);
    }

    fn test(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.len());
        for mut expr in std::mem::take(body) {
            if !expr.negated && !expr.generated {
                let equality = is_equality(&expr);
                let before = &mut Before { out: &mut out, with: &expr.with };
                match &mut expr.kind {
                    ExprKind::Call(parts) if equality => {
                        let shown = |term: &&mut Term| matches!(term.kind, Kind::Ref(_)) || is_comprehension(term);
                        parts.iter_mut().skip(1).take(2).filter(shown).for_each(|term| self.bind(term, before));
                    }
                    ExprKind::Every(every) => self.test(&mut every.body),
                    _ => {}
                }
            }
            append(&mut out, [expr]);
        }
        *body = out;
    }
}
