//! `placement.clusters[name].weight := …` makes `placement.clusters` an empty object when no cluster fits: that says
//! "nowhere", and nothing at all says "no opinion". The interpreter has nothing there, so a rule that is never true, but
//! makes the object, is added behind the module for each such head: `placement.clusters[k] := 1 if { k := [][_] }`.

use std::collections::BTreeSet;

use plimsoll_contract::policy::Diagnostic;
use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use super::super::parse::ParsedModule;
use super::super::syntax;

/// What to add to the text of a module.
pub(super) fn missing(text: &str, tree: &Tree) -> String {
    let mut name = "extent_".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    let prefixes: BTreeSet<String> = tree.policy.iter().filter_map(|rule| prefix(rule)).collect();
    let condition = if tree.rego_v1 { "if " } else { "" };
    let rule = |prefix: &String| format!("\n{prefix}[{name}] := 1 {condition}{{ {name} := [][_] }}\n");
    prefixes.iter().map(rule).collect()
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

/// Refuses sets at a constant place of an object that heads with variables fill too, `r.fixed contains …` beside
/// `r[name] contains …`: in OPA such a set is there only when it has elements, in the interpreter always.
pub(in crate::rego) fn mixed(modules: &[ParsedModule]) -> Result<(), Vec<Diagnostic>> {
    let heads: Vec<_> =
        modules.iter().flat_map(|module| module.ast.policy.iter().filter_map(move |rule| place(module, rule))).collect();
    let filled: BTreeSet<&Vec<String>> = heads.iter().filter(|head| !head.constant).map(|head| &head.path).collect();
    let beside = |head: &&Head<'_>| {
        let below = |len: usize| head.path.get(..len).is_some_and(|path| filled.contains(&path.to_vec()));
        head.constant && head.set && (head.package.saturating_add(1)..head.path.len()).any(below)
    };
    let errors: Vec<_> = heads.iter().filter(beside).map(Head::refusal).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The head of a rule that is no function.
struct Head<'m> {
    module: &'m ParsedModule,
    at: u32,
    /// How long the package's path is.
    package: usize,
    /// The constant beginning, package included.
    path: Vec<String>,
    constant: bool,
    set: bool,
}

impl Head<'_> {
    fn refusal(&self) -> Diagnostic {
        let message = "a set beside heads with variables at the same place is not supported: give it a name of its own";
        self.module.diagnostic("rego_compile_error", message, self.at)
    }
}

fn place<'m>(module: &'m ParsedModule, rule: &Rule) -> Option<Head<'m>> {
    let Rule::Spec { head, .. } = rule else { return None };
    let (refr, set) = match head {
        RuleHead::Compr { refr, .. } => (refr, false),
        RuleHead::Set { refr, .. } => (refr, true),
        RuleHead::Func { .. } => return None,
    };
    let (package, path) = (syntax::package(&module.ast), syntax::path(refr)?);
    let names = package.iter().cloned().chain(path.names).collect();
    Some(Head { module, at: refr.span().start, package: package.len(), path: names, constant: path.constant, set })
}

/// How many parts a reference has.
fn parts(refr: &Expr) -> usize {
    match refr {
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => parts(refr).saturating_add(1),
        _ => 1,
    }
}
