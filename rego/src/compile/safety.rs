//! Variables that are bound nowhere, and the order in which a body binds them.

mod closures;
mod heads;
mod implicit;
mod messages;
pub(super) mod output_vars;
mod reorder;
mod scope;
mod shape;
mod unify;

use foldhash::HashMap;

use super::Compiler;
use super::vars::{Params, VarSet};
use crate::error::Error;
use crate::syntax::tree::{Body, Rule, Var};

pub(super) use heads::check_safety_rule_heads;

/// The stage `CheckSafetyRuleBodies`.
pub(super) fn check_safety_rule_bodies(compiler: &mut Compiler) {
    let mut modules = std::mem::take(&mut compiler.modules);
    let mut errors = Vec::new();
    for module in &mut modules {
        let mut unsafe_rules = Vec::new();
        for (index, rule) in module.rules.iter_mut().enumerate() {
            let mut depth = 0_usize;
            rule.each_of_chain(|rule| {
                let found = rule_body(compiler, rule);
                if !found.is_empty() {
                    unsafe_rules.push((index, depth, found));
                }
                depth = depth.saturating_add(1);
            });
        }
        let mut scopes = scope::Scopes::of(&compiler.sources, module);
        for (index, depth, found) in unsafe_rules {
            let rule = module.rules.get(index).and_then(|rule| rule.chain().nth(depth));
            let scope = rule.map(|rule| scopes.scope(rule)).unwrap_or_default();
            errors.extend(messages::errors(&found, &compiler.rewritten, &scope));
        }
    }
    compiler.modules = modules;
    compiler.findings.stop_all(errors);
}

fn rule_body(compiler: &Compiler, rule: &mut Rule) -> Vec<closures::UnsafeExpr> {
    let mut safe = VarSet::reserved();
    safe.add_terms(rule.head.args.iter().flatten(), Params::ALL);
    closures::reorder(compiler.arity(), &safe, &mut rule.body)
}

/// The same for a query; `rewritten` holds the query's own variables.
pub(super) fn of_query(compiler: &Compiler, rewritten: &HashMap<Var, Var>, mut body: Body) -> Result<Body, Vec<Error>> {
    let found = closures::reorder(compiler.arity(), &VarSet::reserved(), &mut body);
    let errors = messages::errors(&found, rewritten, "");
    if errors.is_empty() { Ok(body) } else { Err(errors) }
}
