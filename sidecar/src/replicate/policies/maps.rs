//! The ConfigMaps as last seen. Half a list is never a set.

use std::collections::BTreeMap;

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::source::ObjectName;
use serde::Deserialize;
use tokio::time::Instant;

use crate::plan::note::Subject;
use crate::replicate::object::{Change, Object};
use crate::replicate::reflector::Step;

/// One ConfigMap that has policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// Itself, for Events.
    pub(super) subject: Subject,
    /// Key to module text.
    pub(super) modules: BTreeMap<String, String>,
    /// Key to JSON or YAML text.
    pub(super) data: BTreeMap<String, String>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Maps {
    /// `None` before the first complete list.
    known: Option<BTreeMap<ObjectName, Map>>,
    /// A list under way.
    listing: Option<BTreeMap<ObjectName, Map>>,
    /// That list was begun at this time.
    begun: Option<Instant>,
    /// The last complete list, or the last proof, was.
    proved: Option<Instant>,
}

/// What says that a ConfigMap is data: kube-mgmt's label, and our own.
const DATA: [(&str, &str); 2] = [("openpolicyagent.org/data", "opa"), ("plimsoll.io/data", "true")];

#[derive(Deserialize)]
struct ConfigMap {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    data: Option<BTreeMap<String, String>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
}

impl Maps {
    /// Takes what the reflector tells.
    pub(super) fn take(&mut self, step: Step) {
        match step {
            Step::Begin(seen) => {
                self.listing = Some(BTreeMap::new());
                self.begun = Some(seen.begun);
            }
            Step::Page(objects) => {
                let maps = objects.into_iter().filter_map(|object| Some((object.name.clone(), read(&object)?)));
                self.listing.get_or_insert_default().extend(maps);
            }
            Step::End => {
                self.known = self.listing.take();
                self.proved = self.begun;
            }
            Step::Change(Change::Put(object), _) => {
                if let Some(known) = &mut self.known {
                    match read(&object) {
                        Some(map) => known.insert(object.name, map),
                        None => known.remove(&object.name),
                    };
                }
            }
            Step::Change(Change::Remove(name), _) => {
                if let Some(known) = &mut self.known {
                    known.remove(&name);
                }
            }
            Step::Current(seen) => self.proved = Some(seen.begun),
            Step::Trouble(_) => self.listing = None,
        }
    }

    /// When the last complete list, or the last proof, was begun.
    pub(super) fn proved(&self) -> Option<Instant> {
        self.proved
    }

    /// The whole set, `namespace/configmap/key` to text; `None` before the first complete list.
    pub(super) fn modules(&self) -> Option<BTreeMap<String, String>> {
        let maps = self.known.as_ref()?.values();
        Some(maps.flat_map(|map| map.modules.iter().map(|(key, text)| (map.module(key), text.clone()))).collect())
    }

    /// All data, `namespace/configmap/key` to text.
    pub(super) fn data(&self) -> BTreeMap<String, String> {
        self.iter().flat_map(|map| map.data.iter().map(|(key, text)| (map.module(key), text.clone()))).collect()
    }

    /// Each ConfigMap.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Map> {
        self.known.iter().flat_map(BTreeMap::values)
    }
}

impl Map {
    /// The engine's name for a key of this ConfigMap.
    pub(super) fn module(&self, key: &str) -> String {
        format!("{}/{}/{key}", self.subject.namespace, self.subject.name)
    }

    /// Whether `file` is a key of this ConfigMap.
    pub(super) fn has(&self, file: &str) -> bool {
        self.keys().any(|key| self.module(key) == file)
    }

    /// All keys that are sent.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().chain(self.data.keys()).map(String::as_str)
    }
}

/// A ConfigMap without modules that is not labelled as data, such as `kube-root-ca.crt`, is none of ours. Tests beside policies stay out.
fn read(object: &Object) -> Option<Map> {
    let map: ConfigMap = match serde_json::from_slice(&object.json) {
        Ok(map) => map,
        Err(error) => {
            tracing::warn!(name = object.name.name, %error, "a ConfigMap cannot be read");
            return None;
        }
    };
    let is_policy = |key: &str| key.ends_with(".rego") && !key.ends_with("_test.rego");
    let labels = map.metadata.labels.unwrap_or_default();
    let is_data = DATA.iter().any(|(label, value)| labels.get(*label).is_some_and(|found| found == value));
    let (modules, others): (BTreeMap<_, _>, BTreeMap<_, _>) = map.data?.into_iter().partition(|(key, _)| is_policy(key));
    let others = others.into_iter().filter(|(key, _)| is_data && !key.ends_with(".rego"));
    let data: BTreeMap<String, String> = others.collect();
    let subject = Subject {
        gvr: Gvr { group: String::new(), version: "v1".into(), resource: "configmaps".into() },
        kind: "ConfigMap".into(),
        namespace: object.name.namespace.clone(),
        name: object.name.name.clone(),
        uid: object.uid.clone(),
        resource_version: object.resource_version.clone(),
    };
    (!modules.is_empty() || !data.is_empty()).then_some(Map { subject, modules, data })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cluster::Fault;
    use crate::replicate::reflector::Trouble;
    use crate::replicate::seen::Seen;

    fn begin() -> Step {
        Step::Begin(Seen::together(Instant::now()))
    }

    pub(in super::super) fn object(name: &str, data: &[(&str, &str)]) -> Object {
        let data: BTreeMap<_, _> = data.iter().copied().collect();
        let json = serde_json::json!({ "metadata": { "name": name, "namespace": "ns" }, "data": data });
        Object {
            name: ObjectName { namespace: "ns".into(), name: name.into() },
            uid: format!("uid-{name}"),
            resource_version: "1".into(),
            json: json.to_string().into(),
        }
    }

    fn listed(objects: Vec<Object>) -> Maps {
        let mut maps = Maps::default();
        [begin(), Step::Page(objects), Step::End].into_iter().for_each(|step| maps.take(step));
        maps
    }

    fn keys(maps: &Maps) -> Vec<String> {
        maps.modules().unwrap().into_keys().collect()
    }

    #[test]
    fn t01_only_keys_that_end_in_rego_count_and_tests_do_not() {
        let maps = listed(vec![
            object("kube-root-ca.crt", &[("ca.crt", "x")]),
            object("eu", &[("eu.rego", "package a"), ("eu_test.rego", "package a"), ("README", "x")]),
        ]);
        assert_eq!(keys(&maps), ["ns/eu/eu.rego"]);
    }

    #[test]
    fn a_configmap_labelled_as_data_is_data_key_by_key() {
        let labelled = |name: &str, label: &str, value: &str| {
            let json = serde_json::json!({ "metadata": { "name": name, "labels": { label: value } }, "data": { "a.json": "{}", "p.rego": "" } });
            Object { json: json.to_string().into(), ..object(name, &[]) }
        };
        let maps = listed(vec![
            labelled("a", "openpolicyagent.org/data", "opa"),
            labelled("b", "plimsoll.io/data", "true"),
            labelled("c", "plimsoll.io/data", "false"),
        ]);
        assert_eq!(maps.data().into_keys().collect::<Vec<_>>(), ["ns/a/a.json", "ns/b/a.json"]);
        assert_eq!(keys(&maps).len(), 3);
    }

    #[test]
    fn t12_a_key_or_a_configmap_that_is_gone_leaves_the_set() {
        let mut maps = listed(vec![object("a", &[("1.rego", ""), ("2.rego", "")]), object("b", &[("3.rego", "")])]);
        maps.take(Step::Change(Change::Put(object("a", &[("1.rego", "")])), None));
        assert_eq!(keys(&maps), ["ns/a/1.rego", "ns/b/3.rego"]);
        maps.take(Step::Change(Change::Remove(ObjectName { namespace: "ns".into(), name: "a".into() }), None));
        assert_eq!(keys(&maps), ["ns/b/3.rego"]);
        [begin(), Step::Page(vec![]), Step::End].into_iter().for_each(|step| maps.take(step));
        assert!(keys(&maps).is_empty(), "a deletion that only the next list shows");
    }

    #[test]
    fn t13_half_a_list_is_never_a_set() {
        let mut maps = Maps::default();
        maps.take(begin());
        maps.take(Step::Page(vec![object("a", &[("1.rego", "")])]));
        assert_eq!(maps.modules(), None);
        let fault = Fault::Unreadable("broken".into()).into();
        maps.take(Step::Trouble(Trouble { verb: "list", what: "v1/configmaps".into(), fault }));
        let mut maps = listed(vec![object("a", &[("1.rego", "")]), object("b", &[("2.rego", "")])]);
        [begin(), Step::Page(vec![])].into_iter().for_each(|step| maps.take(step));
        assert_eq!(keys(&maps).len(), 2, "the old set stays until the new list is complete");
    }
}
