//! Calls of `rego.metadata.*` become constants (`v1/ast/compile.go`, `rewriteRegoMetadataCalls`).

use std::mem;

use super::annotations::Link;
use super::names::equality;
use super::terms::{append, generated, operands};
use super::{Compiler, RuleId};
use crate::syntax::order::sort;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Annotations, Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Mutable, Node, walk_exprs, walk_mut};
use crate::value::{Object, Value};

const CHAIN: &str = "rego.metadata.chain";
const RULE: &str = "rego.metadata.rule";

/// The variables that hold what is said of one rule.
#[derive(Default)]
struct Constants {
    chain: Option<Var>,
    rule: Option<Var>,
}

/// The stage `RewriteRegoMetadataCalls`.
pub(super) fn rewrite_rego_metadata_calls(compiler: &mut Compiler) {
    for module in 0..compiler.modules.len() {
        let rules = compiler.modules.get(module).map_or(0, |module| module.rules.len());
        for rule in 0..rules {
            rewrite_chain(compiler, RuleId { module, rule });
        }
    }
}

/// A rule and its `else`.
fn rewrite_chain(compiler: &mut Compiler, id: RuleId) {
    let terms: Vec<[Option<Term>; 2]> = match compiler.rule(id) {
        Some(rule) if calls(rule).iter().any(Option::is_some) => {
            rule.chain().enumerate().map(|(depth, rule)| said(compiler, id, rule, depth > 0)).collect()
        }
        _ => return,
    };
    let Compiler { modules, names, .. } = compiler;
    let mut next = modules.get_mut(id.module).and_then(|module| module.rules.get_mut(id.rule));
    for [chain, own] in terms {
        let Some(rule) = next else { return };
        let mut constants = Constants::default();
        let mut body = Body::new();
        for (term, slot) in [(chain, &mut constants.chain), (own, &mut constants.rule)] {
            let Some(term) = term else { continue };
            let (local, expr) = names.equality(term);
            *slot = local.as_var().cloned();
            append(&mut body, [expr]);
        }
        if !body.is_empty() {
            append(&mut body, mem::take(&mut rule.body));
            rule.body = body;
            replace(rule, &constants);
        }
        next = rule.otherwise.as_deref_mut();
    }
}

/// Where a rule, or its `else`, first calls each of both.
fn calls(rule: &Rule) -> [Option<Span>; 2] {
    let mut first = [None, None];
    walk_exprs(Node::Rule(rule), |expr| {
        if let Some(slot) = called(expr).and_then(|which| first.get_mut(which)) {
            slot.get_or_insert(expr.span);
        }
        first.iter().all(Option::is_some)
    });
    first
}

/// Which one an expression calls.
fn called(expr: &Expr) -> Option<usize> {
    let ExprKind::Call(parts) = &expr.kind else { return None };
    let name = print::term(parts.first()?);
    [CHAIN, RULE].iter().position(|known| *known == name)
}

/// What is said of a rule, where it calls for it.
fn said(compiler: &Compiler, id: RuleId, rule: &Rule, is_else: bool) -> [Option<Term>; 2] {
    let [chain, own] = calls(rule);
    let links = || compiler.annotations.chain(&compiler.modules, id, rule, is_else);
    let of_rule = || {
        let all = if is_else { Vec::new() } else { compiler.annotations.of_rule(&compiler.modules, id) };
        // The outermost block counts here, as in OPA.
        all.last().map_or_else(|| Kind::Object(Vec::new()), |annotations| told(annotations))
    };
    [
        chain.map(|span| Term::new(span, Kind::Array(links().iter().map(|one| link(one, span)).collect()))),
        own.map(|span| Term::new(span, of_rule())),
    ]
}

fn link(link: &Link<'_>, span: Span) -> Term {
    let path = link.path.iter().skip(1).map(|part| Term::new(span, part.kind.clone())).collect();
    let annotations = link.annotations.map(|one| (Term::string(span, "annotations"), Term::new(span, told(one))));
    let members = annotations.into_iter().chain([(Term::string(span, "path"), Term::new(span, Kind::Array(path)))]);
    Term::new(span, Kind::Object(members.collect()))
}

/// What a block says, but for `compile`, which OPA leaves out here (`v1/ast/annotations.go`, `toTerm`).
fn told(annotations: &Annotations) -> Kind {
    let fields = annotations.fields.as_object().into_iter().flat_map(Object::iter);
    let fields = fields.filter(|(name, _)| name.as_str().is_none_or(|name| name.as_str() != "compile"));
    constant(&Value::object(fields.map(|(name, value)| (name.clone(), value.clone()))))
}

/// A value as a term.
fn constant(value: &Value) -> Kind {
    let term = |value: &Value| Term::new(Span::default(), constant(value));
    let mut kind = match value {
        Value::Null => Kind::Null,
        Value::False => Kind::Bool(false),
        Value::True => Kind::Bool(true),
        Value::Int(_) | Value::Number(_) => Kind::Number(value.to_string().into()),
        Value::String(text) => Kind::String(text.to_arc_str()),
        Value::Array(array) => Kind::Array(array.items().iter().map(term).collect()),
        Value::Set(set) => Kind::Set(set.members().iter().map(term).collect()),
        Value::Object(object) => Kind::Object(object.iter().map(|(key, value)| (term(key), term(value))).collect()),
    };
    sort(&mut kind);
    kind
}

/// Replaces all calls of a rule, those of its `else` left out.
fn replace(rule: &mut Rule, constants: &Constants) {
    let mut visit = |node: Mutable<'_>| {
        if let Mutable::Body(body) = node {
            body.iter_mut().for_each(|expr| replace_call(expr, constants));
        }
        false
    };
    walk_mut(Mutable::Head(&mut rule.head), &mut visit);
    walk_mut(Mutable::Body(&mut rule.body), &mut visit);
}

fn replace_call(expr: &mut Expr, constants: &Constants) {
    let var = match called(expr) {
        Some(0) => constants.chain.as_ref(),
        Some(_) => constants.rule.as_ref(),
        None => None,
    };
    let Some(var) = var else { return };
    let known = Term::var(expr.span, var.clone());
    let kind = match operands(expr).first() {
        Some(answer) => equality(answer.clone(), known).kind,
        None => ExprKind::Term(known),
    };
    *expr = generated(expr.span, kind);
}
