//! Templates as calls (`v1/ast/compile.go`, `rewriteTemplateStrings`): `$"a {x.y}"` becomes
//! `internal.template_string(["a ", {__local0__ | __local0__ = x.y}])`: what is undefined leaves a hole, and no rule undefined.

mod rewrite;

use foldhash::HashMap;

use super::names::Names;
use super::safety::output_vars;
use super::terms::each_rule;
use super::vars::{Globals, Params, VarSet};
use super::{Arity, Compiler};
use crate::error::Error;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Node, Rewrite, any_term};

/// Errors after which no body is gone through again: OPA ends at ten.
const MANY: usize = 64;

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
    each_rule(modules, |rule| templates.rule(rule));
    findings.stop_all(templates.errors);
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
    templates.bind(body);
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
        self.bind(&mut rule.body);
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
    fn bind(&mut self, body: &mut Body) {
        let bound = output_vars::of_body(body, self.arity, &|var| self.safe.contains(var));
        self.safe.extend(bound.iter());
        self.body(body);
    }

    /// Goes through an inner body once more if there are more errors than the `known` ones of before, as if it bound nothing: templates that
    /// are wrong are told again, as in OPA. Not where there are many: they double with each body around.
    fn again(&mut self, body: &mut Body, known: usize) {
        if self.errors.len() > known && self.errors.len() <= MANY {
            self.body(body);
        }
    }
}

impl Rewrite for Templates<'_> {
    fn term(&mut self, term: &mut Term) {
        // One that could not be rewritten is gone through as well.
        self.direct(term);
        self.inside_term(term);
    }

    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Every(every) = &mut expr.kind else { return self.inside_expr(expr) };
        self.direct(&mut every.domain);
        let (mark, known) = (self.safe.mark(), self.errors.len());
        self.add_vars(every.key.iter().chain([&every.value]));
        self.bind(&mut every.body);
        self.safe.undo(mark);
        self.again(&mut every.body, known);
        self.term(&mut every.domain);
        expr.with.iter_mut().for_each(|with| self.with(with));
    }

    /// The head sees what the body binds; what the head holds deeper does not, as in OPA.
    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        let (mark, known) = (self.safe.mark(), self.errors.len());
        self.bind(body);
        heads.iter_mut().for_each(|term| self.direct(term));
        self.safe.undo(mark);
        self.again(body, known);
        heads.iter_mut().for_each(|term| self.term(term));
    }
}
