//! Calls inside of terms (`v1/ast/compile.go`, `rewriteExprTerms`): `f(g(x))` becomes `g(x, __local0__); f(__local0__)`, and what a
//! reference begins with becomes a variable: `[1, 2][i]` is `__local0__ = [1, 2]; __local0__[i]`.

use foldhash::HashMap;

use super::Compiler;
use super::names::{Names, equality};
use super::terms::{append, each_rule, generated};
use crate::syntax::order::sort;
use crate::syntax::tree::{Body, Comprehension, Expr, ExprKind, Kind, ObjectComprehension, Rule, Term, Var, With};

/// OPA flattens what it has put into a body once more with the body. That gives new names to the domains of `every` in it, and nothing
/// else; twice as often with each level. We follow it so far.
const PASSES: usize = 6;
/// What a variable stands for is kept for messages, but not what stands deeper in something that is kept.
const SUBJECTS: usize = 16;

/// Flattens terms.
struct Flattener<'a> {
    names: &'a mut Names,
    subjects: &'a mut HashMap<Var, Kind>,
    /// How many `every` were met.
    everies: usize,
    passes: usize,
    depth: usize,
}

/// The stage `RewriteExprTerms`.
pub(super) fn rewrite_expr_terms(compiler: &mut Compiler) {
    let Compiler { modules, names, subjects, .. } = compiler;
    let mut flattener = Flattener { names, subjects, everies: 0, passes: 0, depth: 0 };
    each_rule(modules, |rule| flattener.rule(rule));
}

/// The same for a query.
pub(super) fn rewrite_query(subjects: &mut HashMap<Var, Kind>, body: &mut Body) {
    let mut names = Names::for_query(body);
    Flattener { names: &mut names, subjects, everies: 0, passes: 0, depth: 0 }.body(body, Vec::new());
}

impl Flattener<'_> {
    fn rule(&mut self, rule: &mut Rule) {
        let head = &mut rule.head;
        let mut support = Vec::new();
        let from = self.everies;
        for term in head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value) {
            self.term(term, &mut support);
        }
        self.body_again(&mut rule.body, support, from);
    }

    /// A body, and behind it what is flat already. If `every` was met since, all of it is flattened again.
    fn body_again(&mut self, body: &mut Body, flat: Vec<Expr>, from: usize) {
        if self.everies == from || self.passes >= PASSES {
            return self.body(body, flat);
        }
        append(body, flat);
        self.passes = self.passes.saturating_add(1);
        self.body(body, Vec::new());
        self.passes = self.passes.saturating_sub(1);
    }

    fn body(&mut self, body: &mut Body, flat: Vec<Expr>) {
        if !flat.is_empty() && super::terms::is_empty_body(body) {
            body.clear();
        }
        let mut out = Vec::with_capacity(body.len().saturating_add(flat.len()));
        for expr in std::mem::take(body) {
            self.expr(expr, &mut out);
        }
        out.extend(flat);
        *body = out;
    }

    fn expr(&mut self, mut expr: Expr, out: &mut Vec<Expr>) {
        let from = self.everies;
        expr.with.iter_mut().for_each(|with| self.term(&mut with.value, out));
        let first = out.len();
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, out),
            ExprKind::Call(parts) => parts.iter_mut().skip(1).for_each(|part| self.term(part, out)),
            ExprKind::Some(_) => return,
            ExprKind::Every(every) => {
                self.everies = self.everies.saturating_add(1);
                let local = Term::var(every.domain.span, self.names.generate());
                let mut domain = equality(local.clone(), std::mem::replace(&mut every.domain, local));
                domain.generated = true;
                self.domain(domain, &mut expr.with, from, out);
                self.body(&mut every.body, Vec::new());
                return out.push(expr);
            }
            ExprKind::Not(not) => self.body(&mut not.body, Vec::new()),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.body(&mut logical.left, Vec::new());
                self.body(&mut logical.right, Vec::new());
            }
        }
        if !expr.with.is_empty() {
            out.iter_mut().skip(first).for_each(|extra| extra.with = expr.with.clone());
        }
        out.push(expr);
    }

    /// What `every` goes through, under the `with` of `every`, which OPA flattens again with it.
    fn domain(&mut self, mut domain: Expr, with: &mut [With], from: usize, out: &mut Vec<Expr>) {
        if self.everies > from.saturating_add(1) && self.passes < PASSES {
            self.passes = self.passes.saturating_add(1);
            with.iter_mut().for_each(|with| self.term(&mut with.value, out));
            self.passes = self.passes.saturating_sub(1);
        }
        let first = out.len();
        if let ExprKind::Call(parts) = &mut domain.kind {
            parts.iter_mut().skip(1).for_each(|part| self.term(part, out));
        }
        out.push(domain);
        out.iter_mut().skip(first).for_each(|extra| extra.with = with.to_vec());
    }

    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>, out: &mut Vec<Expr>) {
        terms.into_iter().for_each(|term| self.term(term, out));
    }

    fn term(&mut self, term: &mut Term, out: &mut Vec<Expr>) {
        // Before the head of a reference gets a name.
        term.span = term.made_place();
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) | Kind::Template(_) => return,
            Kind::Call(parts) => {
                self.terms(parts.iter_mut().skip(1), out);
                let output = Term::var(term.span, self.names.generate());
                let mut parts = std::mem::take(parts);
                parts.push(output.clone());
                out.push(generated(term.span, ExprKind::Call(parts)));
                *term = output;
                return;
            }
            Kind::Ref(parts) => return self.reference(parts, out),
            Kind::Array(items) => return self.terms(items, out),
            Kind::Set(members) => self.terms(members, out),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value], out)),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => return self.comprehension(inner),
            Kind::ObjectCompr(inner) => return self.object_comprehension(inner),
        }
        sort(&mut term.kind);
    }

    fn comprehension(&mut self, inner: &mut Comprehension) {
        let (from, mut support) = (self.everies, Vec::new());
        self.term(&mut inner.term, &mut support);
        self.body_again(&mut inner.body, support, from);
    }

    fn object_comprehension(&mut self, inner: &mut ObjectComprehension) {
        let (from, mut support) = (self.everies, Vec::new());
        self.terms([&mut inner.key, &mut inner.value], &mut support);
        self.body_again(&mut inner.body, support, from);
    }

    fn reference(&mut self, parts: &mut [Term], out: &mut Vec<Expr>) {
        for part in parts.iter_mut() {
            let subject = matches!(part.kind, Kind::Call(_)).then(|| self.subject(part)).flatten();
            self.depth = self.depth.saturating_add(1);
            self.term(part, out);
            self.depth = self.depth.saturating_sub(1);
            if let (Kind::Var(local), Some(subject)) = (&part.kind, subject) {
                self.subjects.insert(local.clone(), subject);
            }
        }
        let Some(first) = parts.first_mut() else { return };
        if first.kind.is_collection() {
            let subject = self.subject(first);
            let span = first.span;
            let (local, expr) = self.names.equality(std::mem::replace(first, Term::new(span, Kind::Null)));
            if let (Kind::Var(name), Some(subject)) = (&local.kind, subject) {
                self.subjects.insert(name.clone(), subject);
            }
            *first = local;
            out.push(expr);
        }
    }

    fn subject(&self, term: &Term) -> Option<Kind> {
        (self.depth < SUBJECTS).then(|| term.kind.clone())
    }
}
