//! Which comprehensions are computed once and then looked up (opa `v1/ast/compile.go`, `getComprehensionIndex`; the stage
//! `BuildComprehensionIndices`).
//!
//! `[y | data.pairs[y] == x]` is the same for every `x` that it stands beside, once its solutions are sorted by `x`: it is solved
//! without `x`, and what it gives is looked up by it.

use foldhash::HashMap;

use super::safety::output_vars;
use super::terms::{is_comprehension, is_equality, operands};
use super::vars::{DATA, INPUT, Params, SAFETY};
use super::{Arity, VarSet};
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Node, walk, walk_terms};

/// Expressions in front of a comprehension: what they mention may be known.
const IN_FRONT: Params<'static> = Params { skip_closures: true, skip_ref_call_head: true, ..Params::ALL };
const BELOW_HEAD: Params<'static> = Params { skip_ref_head: true, ..Params::ALL };

/// Comprehensions that are looked up, by where their terms are in memory, and by which variables: the trees must not move.
#[derive(Debug, Default)]
pub(crate) struct ComprehensionKeys(HashMap<usize, Vec<Var>>);

impl ComprehensionKeys {
    /// Those of a rule and its `else`.
    pub(crate) fn add_rule(&mut self, rule: &Rule, arity: Arity<'_>) {
        for rule in rule.chain() {
            let mut candidates = VarSet::reserved();
            candidates.add_terms(rule.head.args.iter().flatten(), Params::ALL);
            self.add_body(&rule.body, candidates, arity);
        }
    }

    /// Those of a query.
    pub(crate) fn add_query(&mut self, body: &[Expr], arity: Arity<'_>) {
        self.add_body(body, VarSet::reserved(), arity);
    }

    /// Those of a body beside which some variables are known. Variables of a body count for all that are inside of it.
    fn add_body(&mut self, body: &[Expr], mut candidates: VarSet, arity: Arity<'_>) {
        walk(Node::Body(body), &mut |node| {
            if let Node::Body(body) = node {
                for expr in body {
                    if let Some((term, keys)) = keys(expr, &candidates, arity) {
                        self.0.insert(std::ptr::from_ref(term).addr(), keys);
                    }
                    candidates.add_expr(expr, IN_FRONT);
                }
            }
            false
        });
    }

    /// The variables that a comprehension is looked up by.
    pub(crate) fn get(&self, term: &Term) -> Option<&[Var]> {
        self.0.get(&std::ptr::from_ref(term).addr()).map(Vec::as_slice)
    }
}

/// The comprehension of `x = [… | …]`, and the variables that it shares with what stands in front of it.
fn keys<'t>(expr: &'t Expr, candidates: &VarSet, arity: Arity<'_>) -> Option<(&'t Term, Vec<Var>)> {
    if !is_equality(expr) || expr.negated || !expr.with.is_empty() {
        return None;
    }
    let term = match operands(expr) {
        [Term { kind: Kind::Var(_), .. }, term] | [term, Term { kind: Kind::Var(_), .. }] if is_comprehension(term) => term,
        _ => return None,
    };
    let body = body_of(term)?;
    let outputs = output_vars::of_body(body, arity, &is_document);
    let keys: Vec<Var> = outputs.sorted().into_iter().filter(|var| candidates.contains(var)).collect();
    let mut mentioned = VarSet::default();
    mentioned.add_body(body, SAFETY);
    // What looks at comprehensions inside comes last: only few levels of those that get there are looked up.
    let looked_up = !keys.is_empty()
        && mentioned.iter().all(|var| outputs.contains(var) || is_document(var))
        && !is_worse(body, candidates)
        && !closes_over(body, candidates);
    looked_up.then_some((term, keys))
}

fn body_of(term: &Term) -> Option<&Body> {
    match &term.kind {
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => Some(&inner.body),
        Kind::ObjectCompr(inner) => Some(&inner.body),
        _ => None,
    }
}

fn is_document(var: &Var) -> bool {
    *var == INPUT || *var == DATA
}

/// Whether a reference, or `walk`, would go through everything where now it goes to a known key
/// (`comprehensionIndexRegressionCheckVisitor`).
fn is_worse(body: &[Expr], candidates: &VarSet) -> bool {
    let (mut seen, mut worse) = (VarSet::default(), false);
    walk(Node::Body(body), &mut |node| {
        let mut outputs = VarSet::default();
        match node {
            Node::Expr(Expr { kind: ExprKind::Call(parts), .. }) if is_walk(parts.first()) => match parts.get(2) {
                Some(output) => outputs.add_term(output, Params::ALL),
                None => return worse,
            },
            Node::Term(term) if is_comprehension(term) => return true,
            Node::Term(Term { kind: Kind::Ref(parts), .. }) => outputs.add_terms(parts.iter().skip(1), BELOW_HEAD),
            Node::Term(Term { kind: Kind::Var(name), span }) => seen.insert(name.clone(), *span),
            _ => {}
        }
        worse = worse || outputs.iter().any(|var| candidates.contains(var) && !is_document(var) && !seen.contains(var));
        worse
    });
    worse
}

fn is_walk(operator: Option<&Term>) -> bool {
    operator.is_some_and(|operator| super::terms::is_global(operator, &arcstr::literal!("walk")))
}

/// Whether a comprehension inside mentions what stands in front (`comprehensionIndexNestedCandidateVisitor`).
fn closes_over(body: &[Expr], candidates: &VarSet) -> bool {
    let mut found = false;
    walk_terms(Node::Body(body), |term| {
        let inside = is_comprehension(term);
        found = found || inside && mentions(Node::Term(term), candidates);
        found || inside
    });
    found
}

fn mentions(node: Node<'_>, candidates: &VarSet) -> bool {
    let mut found = false;
    walk_terms(node, |term| {
        match &term.kind {
            Kind::Var(name) => found = found || candidates.contains(name) && !is_document(name),
            Kind::Ref(parts) => {
                found = found || parts.iter().skip(1).any(|part| mentions(Node::Term(part), candidates));
                return true;
            }
            _ => {}
        }
        found
    });
    found
}

#[cfg(test)]
mod tests {
    use super::ComprehensionKeys;
    use crate::program::{Program, Text};

    /// The variables that each comprehension of a module is looked up by, as they are written.
    fn keys(text: &str) -> Vec<Vec<String>> {
        let text = Text { name: "test.rego".to_owned(), text: format!("package test\n{text}\n"), version: None };
        let program = Program::compile(&[text], &Default::default()).unwrap();
        let compiled = program.compiled();
        let mut keys = ComprehensionKeys::default();
        compiled.modules[0].rules.iter().for_each(|rule| keys.add_rule(rule, compiled.arity()));
        let name = |var| compiled.rewritten.get(var).unwrap_or(var).to_string();
        let mut found: Vec<Vec<_>> = keys.0.values().map(|vars| vars.iter().map(name).collect()).collect();
        found.sort();
        found
    }

    #[test]
    fn comprehensions_are_looked_up_by_the_variables_that_opa_finds() {
        // `TestCompilerBuildComprehensionIndexKeySet` of opa `v1/ast/compile_test.go`, and some that the same function was asked.
        let table: &[(&str, &[&[&str]])] = &[
            ("p if { value = input[i]; keys = [j | value = input[j]] }", &[&["value"]]),
            ("p if { v1 = input[i].v1; v2 = input[i].v2; keys = [j | v1 = input[j].v1; v2 = input[j].v2] }", &[&["v1", "v2"]]),
            ("p = {x: ys | x = input[i]; ys = {y | x = input[y]}}", &[&["x"]]),
            ("p if { [v | input[i] = v] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v] with data.x as 1 }", &[]),
            ("p if { v = input[i]; a = []; not a = [j | input[j] = v] }", &[]),
            ("p if { v = input[i] }", &[]),
            ("f(x) if { v = input[i]; ys = [y | y = x[j]] }", &[]),
            ("p if { ys = [y | y = input[j]] }", &[]),
            ("p if { x = input[i]; y = 2; z = [1 | x = data.foo[j]; t = [1 | data.bar[k] = y]] }", &[&["y"]]),
            ("f(x) if { y = input[x]; ys = [y | y = input[x]] }", &[]),
            ("p contains x if { y = input[x]; ys = [y | y = input[x]] }", &[]),
            ("p contains x if { y = input.bar[x]; ys = [y | a = input.foo; walk(a, [x, y])] }", &[]),
            ("p contains x if { y = input[x]; ys = [y | y = input[z]; z = x] }", &[&["x", "y"]]),
            ("f(x) := ys if { ys := {y | some y; x == data.foo[y]} }", &[&["x"]]),
            ("f(x) := ys if { ys := {y | some y; x = data.foo[y]} }", &[&["x"]]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | data.foo[i]]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | data.foo[v]]] }", &[]),
            ("p if { v = input[i]; w = input.w; ks = [j | input[j] = v; t = [1 | w.a]] }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | data.foo[input.x[i]]]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | data.foo[[i]]]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [i | data.foo]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | data.foo[k]]] }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | input[j] = v; t = [1 | u = [2 | data.foo[i]]]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; not data.foo[i]] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; i > 1] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; v > 1] }", &[&["v"]]),
            ("p if { v = input[i]; ks = {j: v | input[j] = v} }", &[&["v"]]),
            ("p if { v = input[i]; [j | input[j] = v] = ks }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | input[j] = v]; ls = [k | input[k] = ks] }", &[&["ks"], &["v"]]),
            ("p if { v = input[i]; every w in [1] { ks = [j | input[j] = v]; w == ks } }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | every w in [v] { input[j] = w }; j = 1] }", &[]),
            ("p if { v = input[i]; ks = [j | walk(input, [j, v])] }", &[]),
            ("p if { v = input[i]; ks = [j | walk(input, [v, j])] }", &[]),
            ("p if { v = input[i]; ks = [j | j = data.foo[v]; input[j] = v] }", &[]),
            ("p if { v = input[i]; ks = [j | input[j] = v; v = data.foo[_]] }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | input[j] = v; data.foo[v]] }", &[&["v"]]),
            ("p if { v = input[i]; ks = [j | data.foo[v]; input[j] = v] }", &[]),
            ("p if { v = input[i]; ks = [j | data.foo[v] with input as 1; input[j] = v] }", &[]),
            ("p if { v = input[i]; ks = [input | input[j] = v] }", &[&["v"]]),
        ];
        for (text, wanted) in table {
            assert_eq!(keys(text), *wanted, "{text}");
        }
    }
}
