//! `placement.clusters[name].weight := …` makes `placement.clusters` an empty object when no cluster fits: that says
//! "nowhere", and nothing at all says "no opinion". The interpreter has nothing there, so a rule that is never true, but
//! makes the object, is added behind the module for each such head: `placement.clusters[k] := 1 if { k := [][_] }`. So are the rules
//! of [`mod@super::scalars`].

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use super::super::syntax;
use super::scalars::Scalars;

/// How the variable of such a rule begins; underscores follow.
const NAME: &str = "extent";

/// Whether a rule was added so.
pub(super) fn is_added(rule: &Rule) -> bool {
    let Rule::Spec { head: RuleHead::Compr { refr, assign: Some(assign), .. }, .. } = rule else { return false };
    let Expr::RefBrack { index, .. } = refr.as_ref() else { return false };
    let name = index.span().text();
    matches!(index.as_ref(), Expr::Var { .. })
        && name.starts_with(NAME)
        && name.trim_end_matches('_') == NAME
        && matches!(assign.value.as_ref(), Expr::Number { .. })
}

/// What to add to the text of a module, which was written as `given`.
pub(super) fn missing(text: &str, tree: &Tree, given: &Tree, scalars: &Scalars) -> String {
    let mut name = format!("{NAME}_");
    while text.contains(&name) {
        name.push('_');
    }
    let prefixes: BTreeSet<String> = tree.policy.iter().filter_map(|rule| prefix(rule)).collect();
    let condition = if tree.rego_v1 { "if " } else { "" };
    let rule = |prefix: &String| format!("\n{prefix}[{name}] := 1 {condition}{{ {name} := [][_] }}\n");
    prefixes.iter().map(rule).chain(scalars.missing(given, &name)).collect()
}

/// The constant beginning of a head that goes on behind its first variable.
fn prefix(rule: &Rule) -> Option<String> {
    let Rule::Spec { head, .. } = rule else { return None };
    let (refr, inside) = match head {
        RuleHead::Compr { refr, .. } => (refr, 0),
        // The elements of a set are one level below.
        RuleHead::Set { refr, .. } => (refr, 1),
        RuleHead::Func { .. } => return None,
    };
    let path = syntax::path(refr)?;
    let parts = parts(refr).saturating_add(inside);
    (!path.constant && parts > path.names.len().saturating_add(1)).then(|| syntax::write(&path.names))
}

/// How many parts a reference has.
fn parts(refr: &Expr) -> usize {
    match refr {
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => parts(refr).saturating_add(1),
        _ => 1,
    }
}
