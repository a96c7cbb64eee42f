//! Defaults that OPA does not come to: where a head with a variable fills an object, `a[x] := 5`, what stands in it by
//! `default a.b := false` is not there. The interpreter has it, so such a default is left out, or becomes a rule that is never true.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use super::super::parse::ParsedModule;
use super::super::splice::Splices;
use super::super::syntax;

/// The paths below `data` of such defaults.
pub(super) fn hidden(modules: &[ParsedModule]) -> BTreeSet<Vec<String>> {
    let rules = || modules.iter().flat_map(|module| module.ast.policy.iter().map(move |rule| (module, rule)));
    let filled = rules().filter_map(|(module, rule)| filled(&syntax::package(&module.ast), rule));
    let filled: BTreeSet<Vec<String>> = filled.collect();
    if filled.is_empty() {
        return BTreeSet::new();
    }
    let defaults = rules().filter_map(|(module, rule)| path(&syntax::package(&module.ast), rule));
    let inside = |path: &Vec<String>| (1..path.len()).any(|len| path.get(..len).is_some_and(|above| filled.contains(above)));
    defaults.filter(inside).collect()
}

/// Writes the defaults of a module among `hidden` otherwise.
pub(super) fn write(text: &str, tree: &Tree, hidden: &BTreeSet<Vec<String>>, splices: &mut Splices) {
    let package = syntax::package(tree);
    for rule in tree.policy.iter().filter(|rule| path(&package, rule).is_some_and(|path| hidden.contains(&path))) {
        let (start, end) = (rule.span().start, syntax::closed(rule.span().end, text));
        let names = syntax::path(syntax::head(rule)).map(|path| path.names).unwrap_or_default();
        let old = usize::try_from(start).ok().and_then(|start| text.get(start..end)).unwrap_or_default();
        let never = match (names.as_slice(), tree.rego_v1) {
            ([name], true) => format!("{name} = 0 if {{ false }}"),
            ([name], false) => format!("{name} = 0 {{ false }}"),
            // Nobody names what is left out by its last name, and even such a rule would make the objects around it.
            _ => String::new(),
        };
        let breaks = "\n".repeat(old.matches('\n').count());
        splices.replace(start, u32::try_from(end).unwrap_or(u32::MAX), never + &breaks);
    }
}

/// The path of a default.
fn path(package: &[String], rule: &Rule) -> Option<Vec<String>> {
    let Rule::Default { refr, args, .. } = rule else { return None };
    let path = syntax::path(refr).filter(|path| path.constant && args.is_empty())?;
    Some(package.iter().cloned().chain(path.names).collect())
}

/// The path of the object that a head with a variable fills.
pub(super) fn filled(package: &[String], rule: &Rule) -> Option<Vec<String>> {
    let Rule::Spec { head: RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. }, .. } = rule else { return None };
    let mut indexes = Vec::new();
    let mut rest: &Expr = refr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        if let Expr::RefBrack { index, .. } = rest {
            indexes.push(&**index);
        }
        rest = refr;
    }
    let first = indexes.into_iter().rev().find(|index| syntax::constant_name(index).is_none())?;
    // Other constants are no names of rules.
    let variable = !matches!(first, Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. });
    variable.then(|| package.iter().cloned().chain(syntax::path(refr).map(|path| path.names).unwrap_or_default()).collect())
}
