//! Names written out for the interpreter, which differs from OPA in twelve ways, most of which change answers silently:
//!
//! - imports belong to the package there, so two modules of one package cannot give one alias to two things: references
//!   through an alias are written out, and the imports dropped;
//! - a local variable named like a rule of the package is taken for the rule, or refused: it gets another name;
//! - a local variable named like one around it is taken for that one, or refused: it gets another name;
//! - what a comprehension names above a declaration is taken for the variable declared: it gets another name, see [`mod@later`];
//! - a whole package read at once is taken for evaluated after its first module: its rules are named before it ([`wholes`]);
//! - `with` replaces what is called by the same text: functions are called, and replaced, by their whole names;
//! - a default is there where OPA does not come to it: see [`mod@defaults`];
//! - a declaration behind a statement with several results ends the evaluation: see [`mod@declarations`];
//! - a rule whose head is undefined for one binding loses the others: see [`mod@heads`];
//! - a constant in a head hides rules whose heads have a variable there: see [`mod@specifics`];
//! - the object that a head with variables inside fills is missing when nothing fills it: see [`mod@extents`];
//! - constants in heads that are no strings are no names: see [`mod@scalars`].
//!
//! Rows stay what they are.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Import, Module as Tree, Rule};

use super::{fresh, syntax};

mod certain;
mod declarations;
mod defaults;
mod extents;
mod heads;
mod later;
mod nodes;
pub(super) mod packages;
mod scalars;
mod scope;
mod specifics;
mod targets;
pub(super) mod wholes;

pub(super) use super::splice::Spliced;
pub(super) use heads::Indexes;
pub(super) use packages::Packages;
pub(super) use scope::{assigned, pattern};

use super::splice::Splices;
use scope::{Name, Role};

/// Rewrites rules whose heads may be undefined; for the text that [`declarations()`] gave.
pub(super) fn heads(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    heads::rewrite(text, tree, &packages.rules_of(&syntax::package(tree)))
}

/// Takes declarations away that the interpreter would come by twice; for the text that [`names`] gave.
pub(super) fn declarations(text: &str, tree: &Tree) -> Spliced {
    declarations::drop(text, tree)
}

/// Renames variables that comprehensions name above another one's declaration; nothing if there are none.
pub(super) fn later(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Option<Spliced> {
    later::rename(text, tree, rules)
}

/// Whether a rule is one of [`extents()`].
pub(super) fn is_extent(rule: &Rule) -> bool {
    extents::is_added(rule)
}

/// Rules to add behind a module, so that every object that its rules may fill is there; for the text that [`heads()`] gave, and
/// the tree of the text as it was `given`.
pub(super) fn extents(text: &str, tree: &Tree, given: &Tree, packages: &Packages) -> String {
    extents::missing(text, tree, given, &packages.scalars)
}

/// Writes out the names of one module, whose tree has the spans of `text`.
pub(super) fn names(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let package = syntax::package(tree);
    let rules = packages.rules_of(&package);
    let mut writer = Writer {
        text,
        packages,
        rules: rules.clone(),
        package,
        aliases: BTreeMap::new(),
        suffix: fresh::unused("_local", std::iter::once(text).chain(rules.iter().map(String::as_str))),
        reader: None,
        gone_through: targets::gone_through(text, tree),
        splices: Splices::default(),
    };
    tree.imports.iter().for_each(|import| writer.import(import));
    let aliases: BTreeSet<String> = writer.aliases.keys().cloned().collect();
    let is_global = |name: &str| name == "data" || name == "input" || aliases.contains(name) || rules.contains(name);
    for rule in &tree.policy {
        writer.reader = reader(rule, &writer.package, &rules);
        scope::names(rule, &is_global, &mut |name| writer.name(&name));
    }
    packages.specifics.heads(text, tree, &mut writer.splices);
    packages.scalars.heads(text, tree, &mut writer.splices);
    defaults::write(text, tree, &packages.hidden, &mut writer.splices);
    writer.splices.apply(text)
}

/// The rule whose names are read; none for what was made of a part of one. A query is no part of the set.
fn reader(rule: &Rule, package: &[String], rules: &BTreeSet<String>) -> Option<Vec<String>> {
    let first = syntax::path(syntax::head(rule))?.names.into_iter().next()?;
    (rules.is_empty() || rules.contains(&first)).then(|| package.iter().cloned().chain([first]).collect())
}

/// The alias of an import and what it stands for, root included; none if that is no document.
fn alias(import: &Import) -> Option<(String, Vec<String>)> {
    syntax::import(import).filter(|(_, path)| matches!(path.first().map(String::as_str), Some("data" | "input")))
}

struct Writer<'t> {
    text: &'t str,
    packages: &'t Packages,
    /// The module's package, below `data`.
    package: Vec<String>,
    /// First names of the rules of the module's package.
    rules: BTreeSet<String>,
    /// What import aliases stand for, root included.
    aliases: BTreeMap<String, Vec<String>>,
    /// No name of the module, or of a rule of the package, has it: new names of local variables do.
    suffix: String,
    /// Package and first name of the rule whose names are read.
    reader: Option<Vec<String>>,
    /// Where what begins is gone through, member by member.
    gone_through: BTreeSet<usize>,
    splices: Splices,
}

impl Writer<'_> {
    fn import(&mut self, import: &Import) {
        let Some((name, path)) = alias(import) else { return };
        let end = import.r#as.as_ref().map_or_else(|| syntax::end(&import.refr, self.text), |alias| alias.end);
        self.splices.blank(import.span.start, end, self.text);
        self.aliases.insert(name, path);
    }

    fn name(&mut self, name: &Name<'_>) {
        let root = name.root.text();
        if name.local {
            if self.rules.contains(root) || name.shadows > 0 {
                let fresh = self.fresh(root, name.shadows);
                self.splices.replace(name.root.start, name.root.end, fresh);
            }
        } else if let Some(path) = self.aliases.get(root).cloned() {
            self.splices.replace(name.root.start, name.root.end, syntax::write(&path));
            self.package(name, path);
        } else if name.role != Role::Read && self.rules.contains(root) {
            // Calls and targets of `with` are one function to the interpreter when they are spelt alike, whatever it is.
            let path = [&["data".to_owned()], self.package.as_slice(), &[root.to_owned()]].concat();
            self.splices.replace(name.root.start, name.root.end, syntax::write(&path));
        } else if root == "data" {
            self.package(name, vec!["data".to_owned()]);
        } else if self.rules.contains(root) {
            let above = [&["data".to_owned()], self.package.as_slice()].concat();
            let is_object = self.object(name, &above);
            if !is_object {
                self.specific(name, &above, vec![root.to_owned()]);
            }
        }
    }

    /// If the reference reads a whole package, what it begins with is replaced.
    fn package(&mut self, name: &Name<'_>, root: Vec<String>) {
        let (Some(expr), Role::Read) = (name.reference, name.role) else { return };
        let Some((path, end)) = syntax::constant_prefix(expr, self.text) else { return };
        let names: Vec<_> = root.iter().cloned().chain(path.into_iter().skip(1)).collect();
        let behind = syntax::behind_prefix(expr);
        let by_member = self.gone_through.contains(&syntax::range(expr, self.text).start);
        let whole = match names.len() < 2 && self.is_selected(expr, &behind) {
            true => None,
            false => self.packages.whole(&names, &behind, by_member),
        };
        match whole {
            Some(text) => self.splices.replace(name.root.start, end, text),
            None => self.specific(name, &[], root),
        }
    }

    /// If a reference that begins with a rule of the package reads an object that heads of several names make, what it begins with
    /// is replaced.
    fn object(&mut self, name: &Name<'_>, above: &[String]) -> bool {
        let (Some(expr), Role::Read) = (name.reference, name.role) else { return false };
        let Some((path, end)) = syntax::constant_prefix(expr, self.text) else { return false };
        let names: Vec<_> = above.iter().cloned().chain(path).collect();
        let by_member = self.gone_through.contains(&syntax::range(expr, self.text).start);
        let whole = self.packages.whole(&names, &syntax::behind_prefix(expr), by_member);
        let is_whole = whole.is_some();
        whole.into_iter().for_each(|text| self.splices.replace(name.root.start, end, text));
        is_whole
    }

    /// Whether `data[key].name` has a key whose value is known before: the interpreter then evaluates what it selects, and that alone.
    fn is_selected(&self, expr: &Expr, behind: &[Option<String>]) -> bool {
        let key = match expr {
            Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } if behind.len() == 2 => match refr.as_ref() {
                Expr::RefBrack { index, .. } => index,
                _ => return false,
            },
            _ => return false,
        };
        match key.as_ref() {
            Expr::Var { span, .. } => self.rules.contains(span.text()),
            Expr::Array { .. } | Expr::Object { .. } => false,
            _ => true,
        }
    }

    /// If the reference reads a constant beside which heads have variables, what it begins with is replaced. Its names
    /// begin with `root`, below `above`.
    fn specific(&mut self, name: &Name<'_>, above: &[String], root: Vec<String>) {
        let (Some(expr), Role::Read) = (name.reference, name.role) else { return };
        let Some((path, end)) = syntax::constant_prefix(expr, self.text) else { return };
        let names: Vec<_> = root.into_iter().chain(path.into_iter().skip(1)).collect();
        if let Some(text) = self.packages.specifics.reference(above, &names, self.reader.as_ref()) {
            self.splices.replace(name.root.start, end, text);
        }
    }

    /// A name that neither the module nor a rule of the package has, another one for each declaration around it.
    fn fresh(&self, name: &str, shadows: usize) -> String {
        let number = if shadows > 0 { shadows.to_string() } else { String::new() };
        format!("{name}{}{number}", self.suffix)
    }
}

#[cfg(test)]
mod tests;
