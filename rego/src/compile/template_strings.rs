//! Templates as calls (`v1/ast/compile.go`, `rewriteTemplateStrings`): `$"a {x.y}"` becomes
//! `internal.template_string(["a ", {__local0__ | __local0__ = x.y}])`: what is undefined leaves a hole, and no rule undefined.

mod rewrite;

use std::collections::HashMap;

use super::names::Names;
use super::safety::output_vars;
use super::vars::{Params, VarSet};
use super::{Arity, Compiler};
use crate::error::Error;
use crate::syntax::tree::{Body, Every, Expr, ExprKind, Head, Kind, Rule, TemplatePart, Term, Var};
use crate::syntax::visit::{Node, any_term};

/// Rewrites templates.
struct Templates<'a> {
    names: &'a mut Names,
    arity: Arity<'a>,
    rewritten: &'a HashMap<Var, Var>,
    errors: Vec<Error>,
}

/// The stage `RewriteTemplateStrings`.
pub(super) fn rewrite_template_strings(compiler: &mut Compiler) {
    let Compiler { modules, names, options, rule_tree, rewritten, findings, .. } = compiler;
    let mut templates = Templates { names, arity: Arity::new(options, rule_tree), rewritten, errors: Vec::new() };
    for rule in modules.iter_mut().flat_map(|module| &mut module.rules) {
        let mut next = Some(rule);
        while let Some(rule) = next {
            templates.rule(rule);
            next = rule.otherwise.as_deref_mut();
        }
    }
    templates.errors.into_iter().for_each(|error| _ = findings.stop(error));
}

/// The same for a query.
pub(super) fn rewrite_query(compiler: &Compiler, body: &mut Body) -> Vec<Error> {
    let mut names = Names::for_query(body);
    let rewritten = &compiler.rewritten;
    let mut templates = Templates { names: &mut names, arity: compiler.arity(), rewritten, errors: Vec::new() };
    templates.body(&VarSet::reserved(), body);
    templates.errors
}

fn has_template(node: Node<'_>) -> bool {
    any_term(node, |term| matches!(term.kind, Kind::Template(_)))
}

impl Templates<'_> {
    fn rule(&mut self, rule: &mut Rule) {
        if !has_template(Node::Head(&rule.head)) && !has_template(Node::Body(&rule.body)) {
            return;
        }
        let mut safe = VarSet::reserved();
        safe.add_terms(rule.head.args.iter().flatten(), Params::ALL);
        let safe = self.body(&safe, &mut rule.body);
        self.head(&safe, &mut rule.head);
    }

    fn head(&mut self, safe: &VarSet, head: &mut Head) {
        for term in head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value) {
            self.term(safe, term);
        }
    }

    /// A body; what is bound in it, and what was bound before.
    fn body(&mut self, globals: &VarSet, body: &mut Body) -> VarSet {
        let mut safe = output_vars::of_body(body, self.arity, globals);
        safe.extend(globals);
        self.exprs(&safe, body);
        safe
    }

    fn exprs(&mut self, safe: &VarSet, body: &mut Body) {
        body.iter_mut().for_each(|expr| self.expr(safe, expr));
    }

    fn expr(&mut self, safe: &VarSet, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(safe, term),
            ExprKind::Call(parts) => self.terms(safe, parts),
            ExprKind::Some(some) => self.terms(safe, &mut some.symbols),
            ExprKind::Every(every) => self.every(safe, every),
            ExprKind::Not(not) => self.exprs(safe, &mut not.body),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.exprs(safe, &mut logical.left);
                self.exprs(safe, &mut logical.right);
            }
        }
        for with in &mut expr.with {
            self.terms(safe, [&mut with.target, &mut with.value]);
        }
    }

    fn every(&mut self, safe: &VarSet, every: &mut Every) {
        self.direct(safe, &mut every.domain);
        let mut inside = safe.clone();
        inside.add_terms(every.key.iter().chain([&every.value]), Params::ALL);
        if has_template(Node::Body(&every.body)) {
            self.body(&inside, &mut every.body);
        }
        self.term(safe, &mut every.domain);
    }

    fn terms<'t>(&mut self, safe: &VarSet, terms: impl IntoIterator<Item = &'t mut Term>) {
        terms.into_iter().for_each(|term| self.term(safe, term));
    }

    fn term(&mut self, safe: &VarSet, term: &mut Term) {
        self.direct(safe, term);
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => self.terms(safe, parts),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms(safe, [key, value])),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.comprehension(safe, &mut [&mut inner.term], &mut inner.body),
            Kind::ObjectCompr(inner) => {
                self.comprehension(safe, &mut [&mut inner.key, &mut inner.value], &mut inner.body);
            }
            // One that could not be rewritten.
            Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
                TemplatePart::Text(term) => self.term(safe, term),
                TemplatePart::Expr(expr) => self.expr(safe, expr),
            }),
        }
    }

    /// The head sees what the body binds; what the head holds deeper does not, as in OPA.
    fn comprehension(&mut self, safe: &VarSet, terms: &mut [&mut Term], body: &mut Body) {
        if terms.iter().any(|term| has_template(Node::Term(term))) || has_template(Node::Body(body)) {
            let inside = self.body(safe, body);
            terms.iter_mut().for_each(|term| self.direct(&inside, term));
            terms.iter_mut().for_each(|term| self.term(safe, term));
        }
    }
}
