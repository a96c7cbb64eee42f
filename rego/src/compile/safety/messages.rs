//! What is said of variables that nothing binds (`v1/ast/compile.go`, `safetyErrorSlice`).

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use super::super::vars::{is_generated, shown};
use super::closures::UnsafeExpr;
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::Var;

/// Keywords that a module may have to import first.
const FUTURE_KEYWORDS: &[&str] = &["and", "contains", "every", "if", "in", "not", "or"];

/// The errors of a body; `scope` says in which rule.
pub(super) fn errors(found: &[UnsafeExpr], rewritten: &HashMap<Var, Var>, scope: &str) -> Vec<Error> {
    let written = |var: &Var| rewritten.get(var).unwrap_or(var).clone();
    let assigned: HashSet<Var> =
        found.iter().flat_map(|expr| expr.assigned.iter()).flat_map(|var| [var.clone(), written(var)]).collect();
    let is_assigned = |var: &Var| assigned.contains(var) || assigned.contains(&written(var));
    let vars: Vec<(Var, Span)> = first_places(found).into_iter().filter(|(var, _)| !is_generated(&written(var))).collect();
    // What an assignment would bind is only missing because something else is.
    let others = vars.iter().any(|(var, _)| !is_assigned(var));
    let named: Vec<Error> = vars
        .iter()
        .filter(|(var, _)| !others || !is_assigned(var))
        .map(|(var, span)| Error::new(Code::UnsafeVar, *span, message(&written(var), scope)))
        .collect();
    if named.is_empty() { expressions(found, scope) } else { named }
}

fn message(var: &Var, scope: &str) -> String {
    let var = shown(var);
    if FUTURE_KEYWORDS.contains(&var) {
        return format!("var {var} is unsafe{scope} (hint: `import future.keywords.{var}` to import a future keyword)");
    }
    format!("var {var} is unsafe{scope}")
}

/// Each variable where it first stands.
fn first_places(found: &[UnsafeExpr]) -> BTreeMap<Var, Span> {
    let mut places: BTreeMap<Var, Span> = BTreeMap::new();
    for expr in found {
        for var in &expr.vars {
            let place = places.entry(var.clone()).or_insert(expr.span);
            *place = (*place).min(expr.span);
        }
    }
    places
}

/// Names of generated variables mean nothing to anybody: their expressions are reported, one for each variable.
fn expressions(found: &[UnsafeExpr], scope: &str) -> Vec<Error> {
    let mut sorted: Vec<&UnsafeExpr> = found.iter().collect();
    sorted.sort_by_key(|expr| expr.span);
    let mut seen: HashSet<&Var> = HashSet::default();
    let mut errors = Vec::new();
    for expr in sorted {
        let before = seen.len();
        seen.extend(expr.vars.iter().filter(|var| is_generated(var)));
        if seen.len() > before {
            errors.push(Error::new(Code::UnsafeVar, expr.span, format!("expression is unsafe{scope}")));
        }
    }
    errors
}
