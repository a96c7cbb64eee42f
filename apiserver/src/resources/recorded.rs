//! What these modules make of the objects in `tests/kinds/cases.json`, beside what kube-apiserver 1.36.3 made of them
//! (`tests/kinds/expected.json`, written by `tests/kinds/record`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{FieldValidation, Registry, Resource, crd};

#[derive(Deserialize)]
struct Case {
    name: String,
    object: Json,
    old: Option<Json>,
    subresource: Option<String>,
    definition: Option<Json>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Outcome {
    Refused { code: u16, message: String, causes: Vec<(String, String, String)> },
    Taken { object: Json, warnings: Vec<String> },
}

/// What differs on purpose, by the name of the case.
const DIFFERENT: [(&str, &str); 10] = [
    ("crd versions", "upstream prints its internal type, and tells the storage version's absence three times"),
    ("crd cel", "validation rules are not supported, and not passed over"),
    ("service", "no cluster addresses are given out: nothing routes to them"),
    ("service headless", "no address families"),
    ("service bad name", "no cluster addresses"),
    ("service affinity", "no address families"),
    ("pod rich", "the ServiceAccount plugin is not there to fill in the account"),
    ("pod spec changed", "upstream appends a printed difference of its internal types"),
    ("node", "no controller takes taints away, so none is put"),
    ("node status", "no taint"),
];

fn find(registry: &Registry, object: &Json) -> std::sync::Arc<Resource> {
    let api = object["apiVersion"].as_str().unwrap();
    let (group, version) = api.split_once('/').unwrap_or(("", api));
    registry.by_kind(group, version, object["kind"].as_str().unwrap()).unwrap()
}

/// The table with the case's own definition in it.
fn with_definition(registry: &Registry, case: &Case) -> Option<Registry> {
    let mut definition = case.definition.clone()?;
    let row = find(registry, &definition);
    row.prepare(&mut definition, FieldValidation::Strict).unwrap();
    row.before_create(&mut definition);
    row.validate(&definition, None).unwrap();
    crd::names::settle(&mut definition, &[], "2026-01-01T00:00:00Z");
    let meta = registry.definitions()[super::definitions::OBJECT_META].clone();
    Some(registry.with_custom(crd::rows(&definition, &meta)))
}

fn ours(registry: &Registry, case: &Case) -> Outcome {
    let own = with_definition(registry, case);
    let row = find(own.as_ref().unwrap_or(registry), &case.object);
    let old = case.old.clone().map(|mut old| {
        row.prepare(&mut old, FieldValidation::Ignore).unwrap();
        row.before_create(&mut old);
        if &*row.collection == crd::COLLECTION {
            crd::names::settle(&mut old, &[], "2026-01-01T00:00:00Z");
        }
        old["metadata"]["resourceVersion"] = "1".into();
        old
    });
    let mut object = case.object.clone();
    if row.scope == super::Scope::Cluster {
        object["metadata"].as_object_mut().unwrap().remove("namespace");
    }
    let warnings = match row.prepare(&mut object, FieldValidation::Warn) {
        Ok(warnings) => warnings,
        Err(status) => return Outcome::Refused { code: status.code, message: status.message, causes: Vec::new() },
    };
    if old.is_some() {
        object["metadata"]["resourceVersion"] = "1".into();
    }
    match (&old, case.subresource.as_deref()) {
        (None, _) => row.before_create(&mut object),
        (Some(old), None) => row.before_update(&mut object, old),
        (Some(old), Some(_)) => row.before_status_update(&mut object, old),
    }
    match row.validate(&object, old.as_ref()) {
        Ok(()) => {
            object["metadata"].as_object_mut().unwrap().remove("resourceVersion");
            Outcome::Taken { object, warnings }
        }
        Err(faults) => {
            let causes = faults.into_iter().map(|fault| (fault.reason.code().to_owned(), fault.field, fault.message));
            Outcome::Refused { code: 422, message: String::new(), causes: causes.collect() }
        }
    }
}

/// Orders that mean nothing, texts that another module makes, and what is there twice.
fn comparable(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Taken { mut object, mut warnings } => {
            warnings.sort();
            if object["kind"] == "CustomResourceDefinition" {
                // Upstream says null where clients want a list.
                object.as_object_mut().unwrap().remove("status");
            }
            Outcome::Taken { object, warnings }
        }
        Outcome::Refused { code, message, mut causes } => {
            causes.sort();
            causes.dedup();
            let message = if code == 422 { String::new() } else { message };
            Outcome::Refused { code, message, causes }
        }
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../tests/kinds/cases.json")).unwrap()
}

/// Everywhere in a value, as paths of keys and places.
fn places(value: &Json, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Json::Object(fields) => {
            fields.iter().for_each(|(name, value)| {
                places(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found)
            });
        }
        Json::Array(members) => {
            members.iter().enumerate().for_each(|(index, value)| places(value, &format!("{path}/{index}"), found));
        }
        _ => {}
    }
}

fn anything() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        Just(json!({})),
        Just(json!([])),
        Just(json!([null])),
        Just(json!({"a": null, "name": "x"})),
        Just(json!("")),
        any::<bool>().prop_map(Json::from),
        (-3i64..100_000).prop_map(Json::from),
        "[a-z0-9.:/-]{0,12}".prop_map(Json::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Preparing twice is preparing once, and what is prepared is judged the same, whatever happened to the object.
    #[test]
    fn preparing_is_idempotent(which in any::<prop::sample::Index>(), changes in prop::collection::vec((any::<prop::sample::Index>(), anything()), 0..6)) {
        static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::built_in().unwrap());
        static CASES: LazyLock<Vec<Case>> = LazyLock::new(cases);
        let case = which.get(&CASES);
        let own = with_definition(&REGISTRY, case);
        let row = find(own.as_ref().unwrap_or(&REGISTRY), &case.object);
        let mut object = case.object.clone();
        for (place, value) in changes {
            let mut all = Vec::new();
            places(&object, "", &mut all);
            let place = place.get(&all);
            if !place.is_empty() {
                *object.pointer_mut(place).unwrap() = value;
            }
        }
        if row.prepare(&mut object, FieldValidation::Ignore).is_err() {
            return Ok(());
        }
        let mut again = object.clone();
        prop_assert_eq!(row.prepare(&mut again, FieldValidation::Strict), Ok(Vec::new()));
        prop_assert_eq!(&again, &object);
        prop_assert_eq!(row.validate(&again, None), row.validate(&object, None));
        row.before_create(&mut object);
        let mut again = object.clone();
        row.before_create(&mut again);
        prop_assert_eq!(again, object);
    }
}

/// What is in one of them alone, a line each.
fn difference(ours: &Outcome, theirs: &Outcome) -> String {
    let lines = |outcome: &Outcome| match outcome {
        Outcome::Refused { code, message, causes } => {
            std::iter::once(format!("{code} {message}")).chain(causes.iter().map(|cause| format!("{cause:?}"))).collect()
        }
        Outcome::Taken { object, warnings } => {
            let mut found = Vec::new();
            places(object, "", &mut found);
            let leaf = |path: &String| object.pointer(path).is_some_and(|value| !value.is_object() || value == &json!({}));
            let shown = found.iter().filter(|path| leaf(path)).map(|path| format!("{path} {}", object.pointer(path).unwrap()));
            shown.chain(warnings.iter().cloned()).collect::<Vec<_>>()
        }
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    let more = ours.iter().filter(|line| !theirs.contains(line)).map(|line| format!("ours   {line}"));
    let less = theirs.iter().filter(|line| !ours.contains(line)).map(|line| format!("theirs {line}"));
    more.chain(less).collect::<Vec<_>>().join("\n")
}

#[test]
fn objects_become_what_kube_apiserver_makes_of_them() {
    let registry = Registry::built_in().unwrap();
    let cases = cases();
    let mut expected: BTreeMap<String, Outcome> = serde_json::from_str(include_str!("../../tests/kinds/expected.json")).unwrap();
    let mut wrong = String::new();
    for case in &cases {
        let theirs = comparable(expected.remove(&case.name).unwrap());
        let ours = comparable(ours(&registry, case));
        let known = DIFFERENT.iter().any(|(name, _)| *name == case.name);
        if (ours != theirs) != known {
            wrong.push_str(&format!("--- {}\n{}\n", case.name, difference(&ours, &theirs)));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
