//! Which references may come to a package, or to another object that rules of several names make: those are not gone through in the
//! order of their keys. The first operand of `plimsoll__.order` is written around by the caller; these are the others.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Module as Tree};

use crate::rego::plain::{Packages, wholes};
use crate::rego::syntax;

pub(super) struct Places<'t> {
    text: &'t str,
    packages: &'t Packages,
    package: Vec<String>,
    rules: BTreeSet<String>,
    /// The constant names behind parts of references, for those that have any.
    behind: BTreeMap<*const Expr, Vec<String>>,
}

impl<'t> Places<'t> {
    pub(super) fn of(text: &'t str, tree: &Tree, packages: &'t Packages) -> Self {
        let package = syntax::package(tree);
        let rules = packages.rules_of(&package);
        Self { text, packages, package, rules, behind: BTreeMap::new() }
    }

    /// Remembers what is behind the parts of a reference: a walk comes to what is behind first.
    pub(super) fn see(&mut self, expr: &Expr) {
        let (Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. }) = expr else { return };
        let name = match expr {
            Expr::RefDot { field, .. } => Some(field.0.text().to_owned()),
            Expr::RefBrack { index, .. } => syntax::constant_name(index),
            _ => None,
        };
        if let Some(name) = name {
            let behind = self.behind.remove(&std::ptr::from_ref(expr)).unwrap_or_default();
            self.behind.insert(std::ptr::from_ref::<Expr>(refr), std::iter::once(name).chain(behind).collect());
        }
    }

    /// What else to call `plimsoll__.order` with, to go through a collection of whose members something is read.
    pub(super) fn operands(&self, read: &Expr, collection: &Expr, named: bool) -> Option<String> {
        let mut steps = Vec::new();
        let mut rest = collection;
        while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
            steps.push(rest);
            rest = refr;
        }
        steps.reverse();
        let (place, from) = self.place(rest, &steps)?;
        let steps: Vec<_> = steps.get(from..)?.iter().map(|step| self.step(step)).collect();
        let behind = self.behind.get(&std::ptr::from_ref(read)).filter(|_| !std::ptr::eq(read, collection));
        let behind = serde_json::Value::from(behind.cloned().unwrap_or_default());
        Some(format!("{}, {place}, [[{}], {behind}, {named}]", wholes::replaced(), steps.join(", ")))
    }

    /// The package that a reference begins with, and how many of its parts that takes.
    fn place(&self, root: &Expr, steps: &[&Expr]) -> Option<(String, usize)> {
        let root = match root {
            Expr::Call { fcn, params, .. } if syntax::path(fcn).is_some_and(|path| path.names == ["plimsoll__", "whole"]) => {
                return Some((self.text.get(syntax::range(params.get(2)?, self.text))?.to_owned(), 0));
            }
            Expr::Var { span, .. } => span.text(),
            _ => return None,
        };
        let mut path = match root {
            "data" => Vec::new(),
            rule if self.rules.contains(rule) => self.package.iter().cloned().chain([rule.to_owned()]).collect(),
            _ => return None,
        };
        let names: Vec<_> = steps.iter().map_while(|step| name(step)).collect();
        let count = names.len();
        path.extend(names);
        Some((self.packages.above_rules(&path)?, count))
    }

    /// A name, or what gives it, if that is a variable.
    fn step(&self, step: &Expr) -> String {
        match (name(step), step) {
            (Some(name), _) => serde_json::Value::from(name).to_string(),
            (None, Expr::RefBrack { index, .. }) => match index.as_ref() {
                Expr::Var { span, .. } if span.text() != "_" => span.text().to_owned(),
                _ => "null".to_owned(),
            },
            _ => "null".to_owned(),
        }
    }
}

/// The name that a part of a reference selects by, if it is constant.
fn name(part: &Expr) -> Option<String> {
    match part {
        Expr::RefDot { field, .. } => Some(field.0.text().to_owned()),
        Expr::RefBrack { index, .. } => syntax::constant_name(index),
        _ => None,
    }
}
