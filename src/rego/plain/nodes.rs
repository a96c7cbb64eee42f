//! What rules lie below, but is no rule: packages, and the objects that heads of several names make. To OPA such a place is
//! an object, empty if nothing there is defined (`leaves` of opa `v1/topdown/eval.go`).

use std::collections::BTreeMap;

use regorus::unstable::{Rule, RuleHead};
use serde_json::{Map, Value as Json};

use super::super::parse::ParsedModule;
use super::super::syntax;

/// The names below a place: nothing for a rule.
#[derive(Debug, Default)]
pub(super) struct Nodes(BTreeMap<String, Option<Nodes>>);

impl Nodes {
    pub(super) fn of(modules: &[ParsedModule]) -> Self {
        let mut nodes = Self::default();
        for module in modules {
            let package = syntax::package(&module.ast);
            nodes.package(&package);
            for rule in &module.ast.policy {
                if let Some(path) = ground(&package, rule) {
                    nodes.rule(&path);
                }
            }
        }
        nodes
    }

    fn package(&mut self, path: &[String]) {
        let Some((name, rest)) = path.split_first() else { return };
        if let Some(inner) = self.0.entry(name.clone()).or_insert_with(|| Some(Self::default())) {
            inner.package(rest);
        }
    }

    fn rule(&mut self, path: &[String]) {
        match path.split_first() {
            None => {}
            Some((name, [])) => {
                self.0.insert(name.clone(), None);
            }
            Some((name, rest)) => {
                if let Some(inner) = self.0.entry(name.clone()).or_insert_with(|| Some(Self::default())) {
                    inner.rule(rest);
                }
            }
        }
    }

    /// What is below a path, if that is no rule.
    pub(super) fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |nodes, name| nodes.0.get(name)?.as_ref())
    }

    /// Whether there is something below, of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether there is such a place below.
    pub(super) fn has_inner(&self) -> bool {
        self.0.values().any(Option::is_some)
    }

    /// As objects inside one another, without rules: of what a reference with these names behind may come to.
    pub(super) fn written(&self, behind: &[Option<String>]) -> Json {
        let name = behind.first().and_then(Option::as_ref);
        let named = self.0.iter().filter(|(own, _)| name.is_none_or(|name| name == *own));
        let behind = behind.get(1..).unwrap_or_default();
        let inner = named.filter_map(|(name, nodes)| Some((name.clone(), nodes.as_ref()?.written(behind))));
        Json::Object(inner.collect::<Map<_, _>>())
    }
}

/// The constant beginning of the path of a rule.
fn ground(package: &[String], rule: &Rule) -> Option<Vec<String>> {
    let path = syntax::path(syntax::head(rule))?;
    let mut names: Vec<_> = package.iter().cloned().chain(path.names).collect();
    if path.constant && matches!(rule, Rule::Spec { head: RuleHead::Set { key: None, .. }, .. }) {
        // The last name is the element of a set.
        names.pop();
    }
    Some(names)
}
