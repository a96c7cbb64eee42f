//! Where an object stands: the clusters that its managed annotations name, whatever weight they give each.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::kind::Target;
use plimsoll_contract::moves::{self, Standing};
use serde_json::Value as Json;

use super::intent::Patch;
use super::preferences::{ANY, Preferences};
use super::target::{Reader, reader};

/// An object's managed annotations, read as somebody who schedules reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stands {
    by_key: BTreeMap<String, Annotation>,
}

/// The clusters that one annotation names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Annotation {
    On(BTreeSet<String>),
    By(String),
}

impl Stands {
    /// Reads an object's annotations at the keys that policy may write for its target.
    pub fn of(object: &Json, allowed: &BTreeSet<String>, target: Option<&Target>) -> Self {
        let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
        let of_key = |key: &String| Some((key.clone(), read(key, annotations?.get(key)?.as_str()?, target)));
        Self { by_key: allowed.iter().filter_map(of_key).collect() }
    }

    /// Returns where the object stands once a patch is written.
    pub fn after(&self, patch: &Patch, allowed: &BTreeSet<String>, target: Option<&Target>) -> Self {
        let mut by_key = self.by_key.clone();
        for (key, value) in patch.iter().filter(|(key, _)| allowed.contains(*key)) {
            match value {
                Some(value) => by_key.insert(key.clone(), read(key, value, target)),
                None => by_key.remove(key),
            };
        }
        Self { by_key }
    }

    /// Returns [`moves::stands`] of it; nothing where no annotation says anything.
    pub fn digest(&self) -> String {
        moves::stands(self.by_key.iter().map(|(key, annotation)| (key.as_str(), annotation.standing())))
    }

    /// Returns the clusters that are named.
    pub fn clusters(&self) -> BTreeSet<String> {
        self.by_key.values().flat_map(Annotation::clusters).cloned().collect()
    }
}

impl Annotation {
    fn standing(&self) -> Standing<'_> {
        match self {
            Self::On(clusters) => Standing::On(clusters),
            Self::By(value) => Standing::By(value),
        }
    }

    fn clusters(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::On(clusters) => Some(clusters),
            Self::By(_) => None,
        }
        .into_iter()
        .flatten()
    }
}

fn read(key: &str, value: &str, target: Option<&Target>) -> Annotation {
    let preferences = (reader(key, target) == Reader::Preferences).then(|| Preferences::parse(value).ok()).flatten();
    preferences.map_or_else(|| Annotation::By(value.to_owned()), |preferences| named(&preferences))
}

/// The clusters, where names tell all of them; else those that are left out, which tell as much.
fn named(preferences: &Preferences) -> Annotation {
    let places: BTreeSet<String> = preferences.places().map(str::to_owned).collect();
    if !places.contains(ANY) {
        return Annotation::On(places);
    }
    let left_out = preferences.clusters.keys().filter(|name| !places.contains(*name));
    Annotation::By(std::iter::once(ANY).chain(left_out.map(String::as_str)).collect::<Vec<_>>().join(" -"))
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::{APPLIED, CLUSTER_SELECTOR, REPLICA_SET_PREFERENCES as KEY};
    use serde_json::json;

    use super::*;
    use crate::decision::testing::allowed;

    fn stands(annotations: &Json) -> Stands {
        Stands::of(&json!({"metadata": {"annotations": annotations}}), &allowed(&["note"]), None)
    }

    fn on(value: &str) -> Stands {
        stands(&json!({KEY: value}))
    }

    #[test]
    fn only_another_set_of_clusters_is_another_place() {
        let base = on(r#"{"clusters":{"a":{"weight":1},"b":{"weight":1}}}"#);
        let cases = [
            ("weights and spaces", r#"{ "clusters": {"b": {"weight": 9}, "a": {"minReplicas": 2}}, "rebalance": true }"#, true),
            ("one that gets nothing", r#"{"clusters":{"a":{"weight":1},"b":{"weight":1},"c":{"weight":0}}}"#, true),
            ("one less", r#"{"clusters":{"a":{"weight":1}}}"#, false),
            ("none", r#"{"clusters":{}}"#, false),
            ("the others as well", r#"{"clusters":{"a":{"weight":1},"b":{"weight":1},"*":{"weight":1}}}"#, false),
            ("nobody can read it", r#"{"clusters":["a","b"]}"#, false),
        ];
        for (name, value, same) in cases {
            assert_eq!(on(value).digest() == base.digest(), same, "{name}");
        }
        assert_eq!(base.clusters(), ["a".to_owned(), "b".to_owned()].into());
    }

    #[test]
    fn every_cluster_but_some_is_told_by_those() {
        let all = on(r#"{"clusters":{"*":{"weight":1}}}"#);
        assert_eq!(all.digest(), on(r#"{"clusters":{"*":{"weight":7},"a":{"weight":2}}}"#).digest());
        assert_ne!(all.digest(), on(r#"{"clusters":{"*":{"weight":1},"a":{"weight":0}}}"#).digest());
        assert_eq!(on(r#"{"clusters":{"*":{"weight":0},"a":{"weight":1}}}"#).clusters(), ["a".to_owned()].into());
        assert!(all.clusters().is_empty());
    }

    #[test]
    fn selectors_and_what_nobody_reads_stand_by_their_value_and_the_rest_does_not_count() {
        let base = stands(&json!({CLUSTER_SELECTOR: "[]", "note": "1"}));
        assert_ne!(base.digest(), stands(&json!({CLUSTER_SELECTOR: "[ ]", "note": "1"})).digest());
        assert_ne!(base.digest(), stands(&json!({CLUSTER_SELECTOR: "[]", "note": "2"})).digest());
        assert_eq!(base.digest(), stands(&json!({CLUSTER_SELECTOR: "[]", "note": "1", "other": "x", APPLIED: "{}"})).digest());
        assert_eq!(stands(&json!({"other": "x"})).digest(), "");
        assert_eq!(Stands::of(&json!({"metadata": {}}), &allowed(&[]), None).digest(), "");
    }

    #[test]
    fn a_patch_of_the_record_moves_nothing() {
        let base = on(r#"{"clusters":{"a":{"weight":1}}}"#);
        let after = |key: &str, value: Option<&str>| {
            let patch = [(key.to_owned(), value.map(str::to_owned))].into();
            base.after(&patch, &allowed(&[]), None).digest()
        };
        assert_eq!(after(APPLIED, Some("{}")), base.digest());
        assert_eq!(after(KEY, Some(r#"{"clusters":{"a":{"weight":5}}}"#)), base.digest());
        assert_eq!(after(KEY, None), "");
        assert_ne!(after(KEY, Some(r#"{"clusters":{"b":{"weight":5}}}"#)), base.digest());
    }
}
