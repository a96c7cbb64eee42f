//! What these modules make of the objects in `tests/kinds/cases.json`, beside what kube-apiserver 1.36.3 made of them
//! (`tests/kinds/expected.json`, written by `tests/kinds/record`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{FieldValidation, Registry, Resource};

#[derive(Deserialize)]
struct Case {
    name: String,
    object: Json,
    old: Option<Json>,
    subresource: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Outcome {
    Refused { code: u16, message: String, causes: Vec<(String, String, String)> },
    Taken { object: Json, warnings: Vec<String> },
}

/// What differs on purpose, by the name of the case.
const DIFFERENT: [(&str, &str); 8] = [
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

fn ours(registry: &Registry, case: &Case) -> Outcome {
    let row = find(registry, &case.object);
    let old = case.old.clone().map(|mut old| {
        row.prepare(&mut old, FieldValidation::Ignore).unwrap();
        row.before_create(&mut old);
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
    match (&old, case.subresource.as_deref()) {
        (None, _) => row.before_create(&mut object),
        (Some(old), None) => row.before_update(&mut object, old),
        (Some(old), Some(_)) => row.before_status_update(&mut object, old),
    }
    match row.validate(&object, old.as_ref()) {
        Ok(()) => Outcome::Taken { object, warnings },
        Err(faults) => {
            let causes = faults.into_iter().map(|fault| (fault.reason.code().to_owned(), fault.field, fault.message));
            Outcome::Refused { code: 422, message: String::new(), causes: causes.collect() }
        }
    }
}

/// Orders that mean nothing, texts that another module makes, and what is there twice.
fn comparable(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Taken { object, mut warnings } => {
            warnings.sort();
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

#[test]
fn objects_become_what_kube_apiserver_makes_of_them() {
    let registry = Registry::built_in().unwrap();
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/kinds/cases.json")).unwrap();
    let mut expected: BTreeMap<String, Outcome> = serde_json::from_str(include_str!("../../tests/kinds/expected.json")).unwrap();
    let mut wrong = String::new();
    for case in &cases {
        let theirs = comparable(expected.remove(&case.name).unwrap());
        let ours = comparable(ours(&registry, case));
        let known = DIFFERENT.iter().any(|(name, _)| *name == case.name);
        if (ours != theirs) != known {
            wrong.push_str(&format!("--- {}\nours   {ours:?}\ntheirs {theirs:?}\n", case.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
