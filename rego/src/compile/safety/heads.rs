//! Variables of heads that no body mentions.

use super::super::Compiler;
use super::super::terms::is_scalar;
use super::super::vars::{Params, SAFETY, VarSet, is_generated, shown};
use super::scope::Scopes;
use crate::error::{Code, Error};
use crate::syntax::tree::{Head, Rule, Term};

/// The stage `CheckSafetyRuleHeads`.
pub(in super::super) fn check_safety_rule_heads(compiler: &mut Compiler) {
    let mut errors = Vec::new();
    for module in &compiler.modules {
        let mut scopes = Scopes::of(&compiler.sources, module);
        let below = module.package.path.len().saturating_add(1);
        for rule in module.rules.iter().flat_map(Rule::chain) {
            check(compiler, rule, below, &mut scopes, &mut errors);
        }
    }
    compiler.findings.stop_all(errors);
}

/// The terms of a head below its name, which is at a place of its reference.
fn terms(head: &Head, below: usize) -> impl Iterator<Item = &Term> {
    let named = head.args.iter().flatten().chain(&head.key).chain(&head.value);
    named.chain(head.reference.get(below..).into_iter().flatten())
}

fn check(compiler: &Compiler, rule: &Rule, below: usize, scopes: &mut Scopes<'_>, errors: &mut Vec<Error>) {
    if terms(&rule.head, below).all(is_scalar) {
        return;
    }
    let mut bound = VarSet::default();
    bound.add_body(&rule.body, SAFETY);
    bound.add_terms(rule.head.args.iter().flatten(), Params::ALL);
    let mut vars = VarSet::default();
    vars.add_terms(terms(&rule.head, below), Params::ALL);
    for var in vars.diff(&bound).sorted() {
        let written = compiler.rewritten.get(&var).unwrap_or(&var);
        if !is_generated(written) {
            let message = format!("var {} is unsafe{}", shown(written), scopes.scope(rule));
            errors.push(Error::new(Code::UnsafeVar, vars.span(&var).unwrap_or(rule.head.span), message));
        }
    }
}
