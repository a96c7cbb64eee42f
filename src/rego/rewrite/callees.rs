//! What the name of a function means in a module: one of the policies, by its own name, by an import or by all of its path, or a
//! builtin.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Module as Tree};

use crate::rego::accept;
use crate::rego::plain::Packages;
use crate::rego::syntax;

/// The functions that a module can call.
pub(super) struct Callees<'p> {
    packages: &'p Packages,
    package: Vec<String>,
    rules: BTreeSet<String>,
    /// What import aliases stand for, root included.
    aliases: BTreeMap<String, Vec<String>>,
}

impl<'p> Callees<'p> {
    pub(super) fn of(tree: &Tree, packages: &'p Packages) -> Self {
        let package = syntax::package(tree);
        let aliases = tree.imports.iter().filter_map(syntax::import).collect();
        Self { packages, rules: packages.rules_of(&package), package, aliases }
    }

    /// How many arguments a function has, if the expression is the name of one.
    pub(super) fn arguments(&self, name: &Expr) -> Option<usize> {
        let names = syntax::path(name).filter(|path| path.constant)?.names;
        let (root, below) = names.split_first()?;
        match self.aliases.get(root) {
            Some(imported) => self.below_data(&[imported, below].concat()),
            None if self.rules.contains(root) => self.packages.arguments(&[self.package.as_slice(), &names].concat()),
            None if root == "data" => self.below_data(&names),
            None => accept::builtin_arity(&names.join(".")),
        }
    }

    fn below_data(&self, names: &[String]) -> Option<usize> {
        let (root, below) = names.split_first()?;
        if root == "data" { self.packages.arguments(below) } else { None }
    }
}
