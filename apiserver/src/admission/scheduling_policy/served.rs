//! Whether the server serves what the engine is to be asked about: a typing mistake would be asked about never, in silence.

use std::collections::BTreeSet;

use super::{Config, ConfigError, config};
use crate::resources::Registry;

/// Returns the resources that are not served now, and may be once a CustomResourceDefinition defines them; `defined` are the names of those
/// that are there. What is asked about by default counts as served. Fails for a name without a group that no resource of the core group
/// has: there nothing is ever added.
pub fn unserved<'c>(config: &'c Config, registry: &Registry, defined: &BTreeSet<String>) -> Result<Vec<&'c str>, ConfigError> {
    let (served, by_default) = (registry.all().map(|row| row.qualified()).collect::<BTreeSet<_>>(), config::workloads());
    let names = config.resources.iter().filter(|name| !(served.contains(*name) || by_default.contains(name)));
    let unserved: Vec<&str> = names.filter(|name| !defined.contains(*name)).map(String::as_str).collect();
    let known = |name: &str| registry.served_or_not().any(|row| row.qualified() == name);
    match unserved.iter().find(|name| !name.contains('.') && !known(name)) {
        Some(name) => Err(ConfigError::NoGroup { name: (*name).to_owned(), hint: hint(name, served.iter().chain(defined)) }),
        None => Ok(unserved),
    }
}

/// Who has this plural in another group.
fn hint<'a>(plural: &str, names: impl Iterator<Item = &'a String>) -> String {
    let is_meant = |name: &&String| name.split_once('.').is_some_and(|(found, _)| found == plural);
    match names.filter(is_meant).cloned().collect::<Vec<_>>() {
        found if found.is_empty() => "give it as plural.group, such as deployments.apps".into(),
        found => format!("give it with its group: {}", found.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Result<Vec<String>, String> {
        let resources = names.iter().map(|name| (*name).to_owned()).collect();
        let config = Config { resources, ..Config::new("engine") };
        let defined = BTreeSet::from(["federatedjobs.batch.example.io".to_owned()]);
        let found = unserved(&config, &Registry::built_in().unwrap(), &defined);
        found.map(|names| names.into_iter().map(str::to_owned).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_may_be_defined_later_is_named_and_what_cannot_be_is_refused() {
        assert_eq!(of(&["replicasets.apps", "configmaps", "federatedjobs.batch.example.io"]), Ok(vec![]));
        assert_eq!(of(&["nosuch.apps", "deployments.apps"]), Ok(vec!["nosuch.apps".to_owned()]));
        let table = [
            ("replicasets", "give it with its group: replicasets.apps"),
            ("federatedjobs", "federatedjobs.batch.example.io"),
            ("foo", "plural.group"),
        ];
        for (name, part) in table {
            let error = of(&[name]).unwrap_err();
            assert!(error.contains(&format!("`{name}`")) && error.contains(part), "{error}");
        }
    }

    #[test]
    fn the_default_names_more_than_is_served_and_nobody_hears_of_it() {
        let config = Config::new("engine");
        assert_eq!(unserved(&config, &Registry::built_in().unwrap(), &BTreeSet::new()).unwrap(), [""; 0]);
    }
}
