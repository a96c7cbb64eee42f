//! Which modules a document depends on: the others need not be there when it is evaluated.

use std::collections::BTreeSet;

use super::parse::ParsedModule;
use super::reads::{Names, references};
use super::syntax;

/// Modules by their place in the set, sorted.
pub(super) type Modules = Vec<usize>;

/// The dependencies between the modules of a set.
#[derive(Debug, Default)]
pub(super) struct Reach {
    packages: Vec<Vec<String>>,
    /// For each module the modules that its references may lead to.
    next: Vec<Modules>,
}

impl Reach {
    pub(super) fn of(modules: &[ParsedModule]) -> Self {
        let packages = modules.iter().map(|module| syntax::package(&module.ast)).collect();
        let mut reach = Self { packages, next: Vec::new() };
        reach.next = modules.iter().enumerate().map(|(place, module)| reach.from(place, module)).collect();
        reach
    }

    fn from(&self, place: usize, module: &ParsedModule) -> Modules {
        let named = references(module, Names::All);
        let mut next: BTreeSet<_> = named.iter().flat_map(|path| self.meeting(path)).collect();
        // Bare names lead to the other modules of the package.
        let own = self.packages.get(place);
        next.extend(self.packages.iter().enumerate().filter(|(_, package)| Some(*package) == own).map(|(at, _)| at));
        next.into_iter().collect()
    }

    /// The modules that the document at a path may depend on.
    pub(super) fn of_document(&self, path: &[String]) -> Modules {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = self.meeting(path).collect();
        while let Some(module) = open.pop() {
            if found.insert(module) {
                open.extend(self.next.get(module).into_iter().flatten());
            }
        }
        found.into_iter().collect()
    }

    /// Modules whose package lies at, above or below a path.
    fn meeting(&self, path: &[String]) -> impl Iterator<Item = usize> {
        let packages = self.packages.iter().enumerate();
        packages.filter(|(_, package)| package.starts_with(path) || path.starts_with(package)).map(|(module, _)| module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rego::{Module, RegoVersion, parse};

    #[test]
    fn documents_reach_what_their_modules_name() {
        let texts = [
            "package a\nx := data.lib.y",
            "package a.b\nx := 1",
            "package lib\ny := z",
            "package lib\nimport data.fun as g\nz := g.f(1)",
            "package fun\nf(x) := x",
            "package far\nx := data[input.x]",
            "package mock\nx if y with data.fun.f as 1\ny := 1",
            "package far.away\ny := data.kubernetes.clusters",
        ];
        let module = |(i, text): (usize, &&str)| Module { key: format!("m{i}"), text: (*text).to_owned() };
        let parsed: Vec<_> = texts.iter().enumerate().map(|m| parse::parse(&module(m), RegoVersion::V1).unwrap()).collect();
        let reach = Reach::of(&parsed);
        let cases: &[(&[&str], &[usize])] = &[
            (&["a"], &[0, 1, 2, 3, 4]),
            (&["a", "x"], &[0, 2, 3, 4]),
            (&["a", "b"], &[0, 1, 2, 3, 4]),
            (&["lib", "y"], &[2, 3, 4]),
            (&["fun"], &[4]),
            (&["mock"], &[4, 6]),
            (&["far", "x"], &[0, 1, 2, 3, 4, 5, 6, 7]),
            (&["far", "away"], &[0, 1, 2, 3, 4, 5, 6, 7]),
            (&["kubernetes"], &[]),
            (&[], &[0, 1, 2, 3, 4, 5, 6, 7]),
        ];
        for (path, expected) in cases {
            let path: Vec<String> = path.iter().map(|s| (*s).to_owned()).collect();
            assert_eq!(reach.of_document(&path), *expected, "{path:?}");
        }
    }
}
