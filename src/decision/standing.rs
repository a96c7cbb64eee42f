//! Where an object stands: the clusters that its managed annotations name, whatever weight they give each.

mod readings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plimsoll_contract::kind::Target;
use plimsoll_contract::moves;
use serde_json::Value as Json;

use super::intent::Patch;
use super::target::{Reader, reader};
pub use readings::Readings;
use readings::{Annotation, Read};

/// An object's managed annotations, read as somebody who schedules reads them.
#[derive(Clone, Debug, Default)]
pub struct Stands {
    by_key: BTreeMap<String, Arc<Read>>,
    digest: OnceLock<String>,
}

/// How annotations are read on an object: at the keys that policy may write for its target.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The annotation keys that policy may write.
    pub allowed: &'a BTreeSet<String>,
    /// The object's target.
    pub target: Option<&'a Target>,
    /// Values that were read for other objects.
    pub readings: &'a Readings,
}

impl Stands {
    /// Reads an object's annotations.
    pub fn of(object: &Json, reading: Reading<'_>) -> Self {
        let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
        let of_key = |key: &String| Some((key.clone(), reading.read(key, annotations?.get(key)?.as_str()?)));
        Self { by_key: reading.allowed.iter().filter_map(of_key).collect(), digest: OnceLock::new() }
    }

    /// Returns where the object stands once a patch is written.
    pub fn after(&self, patch: &Patch, reading: Reading<'_>) -> Self {
        let mut by_key = self.by_key.clone();
        for (key, value) in patch.iter().filter(|(key, _)| reading.allowed.contains(*key)) {
            match value {
                Some(value) => by_key.insert(key.clone(), reading.read(key, value)),
                None => by_key.remove(key),
            };
        }
        Self { by_key, digest: OnceLock::new() }
    }

    /// Returns [`moves::stands`] of it; nothing where no annotation says anything.
    pub fn digest(&self) -> &str {
        let all = || moves::stands(self.by_key.iter().map(|(key, read)| (key.as_str(), read.says.standing())));
        self.alone().unwrap_or_else(|| self.digest.get_or_init(all))
    }

    /// The digest that all objects share which have the same in the one annotation that says something.
    fn alone(&self) -> Option<&str> {
        let (key, read) = self.by_key.first_key_value().filter(|_| self.by_key.len() == 1)?;
        read.alone(key)
    }

    /// Returns the clusters that are named.
    pub fn clusters(&self) -> BTreeSet<String> {
        self.by_key.values().flat_map(|read| read.says.clusters()).cloned().collect()
    }
}

impl Reading<'_> {
    fn read(self, key: &str, value: &str) -> Arc<Read> {
        match reader(key, self.target) {
            Reader::Preferences => self.readings.preferences(value),
            Reader::Selector | Reader::Unknown => Arc::new(Read::of(Annotation::By(value.to_owned()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::{APPLIED, CLUSTER_SELECTOR, REPLICA_SET_PREFERENCES as KEY};
    use serde_json::json;

    use super::*;
    use crate::decision::testing::allowed;

    fn stands(annotations: &Json) -> Stands {
        let (allowed, readings) = (allowed(&["note"]), Readings::default());
        Stands::of(
            &json!({"metadata": {"annotations": annotations}}),
            Reading { allowed: &allowed, target: None, readings: &readings },
        )
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
        assert_eq!(stands(&json!({})).digest(), "");
    }

    #[test]
    fn a_patch_of_the_record_moves_nothing() {
        let base = on(r#"{"clusters":{"a":{"weight":1}}}"#);
        let after = |key: &str, value: Option<&str>| {
            let patch = [(key.to_owned(), value.map(str::to_owned))].into();
            let (allowed, readings) = (allowed(&[]), Readings::default());
            base.after(&patch, Reading { allowed: &allowed, target: None, readings: &readings }).digest().to_owned()
        };
        assert_eq!(after(APPLIED, Some("{}")), base.digest());
        assert_eq!(after(KEY, Some(r#"{"clusters":{"a":{"weight":5}}}"#)), base.digest());
        assert_eq!(after(KEY, None), "");
        assert_ne!(after(KEY, Some(r#"{"clusters":{"b":{"weight":5}}}"#)), base.digest());
    }
}
