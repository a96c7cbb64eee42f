//! Templates as calls (`v1/ast/compile.go`, `rewriteTemplateStrings`): `$"a {x.y}"` becomes
//! `internal.template_string(["a ", {__local0__ | __local0__ = x.y}])`: what is undefined leaves a hole, and no rule undefined.

mod rewrite;

use std::collections::HashMap;

use super::names::Names;
use super::safety::output_vars;
use super::vars::{Globals, Params, VarSet};
use super::{Arity, Compiler};
use crate::error::Error;
use crate::syntax::tree::{Body, Every, Expr, ExprKind, Kind, Rule, TemplatePart, Term, Var};
use crate::syntax::visit::{Node, any_term};

/// Rewrites templates.
struct Templates<'a> {
    names: &'a mut Names,
    arity: Arity<'a>,
    rewritten: &'a HashMap<Var, Var>,
    errors: Vec<Error>,
    /// What is bound.
    safe: Globals,
}

/// The stage `RewriteTemplateStrings`.
pub(super) fn rewrite_template_strings(compiler: &mut Compiler) {
    let Compiler { modules, names, options, rule_tree, rewritten, findings, .. } = compiler;
    let mut templates = Templates {
        names,
        arity: Arity::new(options, rule_tree),
        rewritten,
        errors: Vec::new(),
        safe: Globals::of(&VarSet::reserved()),
    };
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
    let mut templates = Templates {
        names: &mut names,
        arity: compiler.arity(),
        rewritten,
        errors: Vec::new(),
        safe: Globals::of(&VarSet::reserved()),
    };
    if has_template(Node::Body(body)) {
        templates.body(body);
    }
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
        let mark = self.safe.mark();
        self.add_vars(rule.head.args.iter().flatten());
        // As in OPA, the head sees what the body binds only where the body has a template.
        if has_template(Node::Body(&rule.body)) {
            self.body(&mut rule.body);
        }
        let head = &mut rule.head;
        self.terms(head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value));
        self.safe.undo(mark);
    }

    fn add_vars<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>) {
        let mut vars = VarSet::default();
        vars.add_terms(terms, Params::ALL);
        self.safe.extend(vars.iter());
    }

    /// A body; what it binds stays bound.
    fn body(&mut self, body: &mut Body) {
        let bound = output_vars::of_body(body, self.arity, &|var| self.safe.contains(var));
        self.safe.extend(bound.iter());
        self.exprs(body);
    }

    fn exprs(&mut self, body: &mut Body) {
        body.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(parts) => self.terms(parts),
            ExprKind::Some(some) => self.terms(&mut some.symbols),
            ExprKind::Every(every) => self.every(every),
            ExprKind::Not(not) => self.exprs(&mut not.body),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.exprs(&mut logical.left);
                self.exprs(&mut logical.right);
            }
        }
        for with in &mut expr.with {
            self.terms([&mut with.target, &mut with.value]);
        }
    }

    fn every(&mut self, every: &mut Every) {
        self.direct(&mut every.domain);
        let mark = self.safe.mark();
        self.add_vars(every.key.iter().chain([&every.value]));
        self.body(&mut every.body);
        self.safe.undo(mark);
        self.term(&mut every.domain);
    }

    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>) {
        terms.into_iter().for_each(|term| self.term(term));
    }

    fn term(&mut self, term: &mut Term) {
        self.direct(term);
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => self.terms(parts),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value])),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.comprehension(&mut [&mut inner.term], &mut inner.body),
            Kind::ObjectCompr(inner) => {
                self.comprehension(&mut [&mut inner.key, &mut inner.value], &mut inner.body);
            }
            // One that could not be rewritten.
            Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
                TemplatePart::Text(term) => self.term(term),
                TemplatePart::Expr(expr) => self.expr(expr),
            }),
        }
    }

    /// The head sees what the body binds; what the head holds deeper does not, as in OPA.
    fn comprehension(&mut self, terms: &mut [&mut Term], body: &mut Body) {
        let mark = self.safe.mark();
        self.body(body);
        terms.iter_mut().for_each(|term| self.direct(term));
        self.safe.undo(mark);
        terms.iter_mut().for_each(|term| self.term(term));
    }
}
