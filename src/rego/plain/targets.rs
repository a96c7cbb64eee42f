//! What the modules of a set replace by `with`, below `data`; and where what is replaced is gone through member by member.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::super::parse::ParsedModule;
use super::super::syntax;
use super::super::walk::{self, Visitor};

/// The paths below `data` that some `with` names.
pub(super) fn of(parsed: &[ParsedModule]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for module in parsed {
        let aliases = module.ast.imports.iter().filter_map(syntax::import).collect();
        let mut targets = Targets { aliases, found: &mut found };
        module.ast.policy.iter().for_each(|rule| walk::rule(rule, &mut targets));
    }
    found
}

struct Targets<'f> {
    /// What the imports of the module stand for, `data` included.
    aliases: BTreeMap<String, Vec<String>>,
    found: &'f mut BTreeSet<Vec<String>>,
}

impl Visitor for Targets<'_> {
    fn expr(&mut self, _expr: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        for with in &stmt.with_mods {
            let Some(path) = syntax::path(&with.refr) else { continue };
            let Some((root, rest)) = path.names.split_first() else { continue };
            let root = self.aliases.get(root).cloned().unwrap_or_else(|| vec![root.clone()]);
            let names: Vec<String> = root.into_iter().chain(rest.iter().cloned()).collect();
            if let Some(below) = names.strip_prefix(&["data".to_owned()]) {
                self.found.insert(below.to_vec());
            }
        }
    }
}

/// Where the collections of `some … in` begin: no document is made of these.
pub(super) fn gone_through(text: &str, tree: &Tree) -> BTreeSet<usize> {
    let mut found = Collections { text, found: BTreeSet::new() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut found));
    found.found
}

struct Collections<'t> {
    text: &'t str,
    found: BTreeSet<usize>,
}

impl Visitor for Collections<'_> {
    fn expr(&mut self, _expr: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::SomeIn { collection, .. } = &stmt.literal {
            self.found.insert(syntax::range(collection, self.text).start);
        }
    }
}
