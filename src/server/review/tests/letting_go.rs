//! A change of a stored object while the policies that placed it have just given way to others.

use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, REPLICA_SET_PREFERENCES as KEY};
use serde_json::{Value as Json, json};

use super::federation::{Federation, POLICY, SIDECAR, TENANT, replica_set, without_annotations};
use crate::decision::{Config, Unproven};
use crate::server::review::judge::Judge;

const NONE: &str = "package kubernetes.placement\n\nannotations[\"x\"] := \"y\" if false\n";
const LONG: Duration = Duration::from_secs(3600);

/// An object that was placed by policies that are not in force any more.
fn bereft(letting_go_after: Duration, unproven: Unproven) -> (Federation, Json) {
    let config = Config { sidecars: [SIDECAR.to_owned()].into(), unproven, ..Config::default() };
    let federation = Federation::letting_go(letting_go_after, config);
    let stored = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    assert!(stored["metadata"]["annotations"][KEY].is_string());
    federation.policy(NONE);
    (federation, stored)
}

fn changed(object: &Json) -> Json {
    let mut object = object.clone();
    object["spec"]["replicas"] = 9.into();
    object
}

fn is_placed(object: &Json) -> bool {
    let annotations = &object["metadata"]["annotations"];
    assert_eq!(annotations[KEY].is_string(), annotations[APPLIED].is_string());
    annotations[KEY].is_string()
}

#[test]
fn a_change_keeps_what_the_stored_object_has() {
    let (federation, stored) = bereft(LONG, Unproven::Keep);
    let mut moved = stored.clone();
    moved["metadata"]["labels"]["region"] = "us".into();
    for (name, new) in [("PUT", without_annotations(&stored)), ("scaled", changed(&stored)), ("another wish", moved)] {
        let kept = federation.write(TENANT, &new, Some(&stored)).unwrap();
        assert_eq!(kept["metadata"]["annotations"], stored["metadata"]["annotations"], "{name}: record and all");
    }
    let put = changed(&without_annotations(&stored));
    let warnings = federation.judged(Judge::Mutate, &Federation::review(TENANT, &put, Some(&stored))).warnings.join("; ");
    assert!(warnings.contains("--letting-go-after"), "{warnings}");
    assert!(federation.validate(TENANT, &put, Some(&stored)).unwrap_err().message.contains(KEY));
    assert!(!is_placed(&federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap()), "what is new has no past");
    federation.policy(POLICY);
    let back = federation.write(TENANT, &changed(&stored), Some(&stored)).unwrap();
    assert_eq!(back["metadata"]["annotations"], stored["metadata"]["annotations"]);
}

#[test]
fn when_the_time_is_over_or_nothing_is_kept_unproven_a_change_lets_go() {
    for (name, after, unproven) in [("over", Duration::ZERO, Unproven::Keep), ("unproven", LONG, Unproven::Release)] {
        let (federation, stored) = bereft(after, unproven);
        assert!(!is_placed(&federation.write(TENANT, &changed(&stored), Some(&stored)).unwrap()), "{name}");
    }
}

/// The replicas of an engine do not learn of a change of policy at the same time.
#[test]
fn what_a_sidecar_lets_go_is_let_go_and_what_it_keeps_is_kept() {
    let (federation, stored) = bereft(LONG, Unproven::Keep);
    let mut released = stored.clone();
    for key in [KEY, APPLIED] {
        released["metadata"]["annotations"].as_object_mut().unwrap().remove(key);
    }
    assert!(!is_placed(&federation.write(SIDECAR, &released, Some(&stored)).unwrap()));
    assert!(is_placed(&federation.write(TENANT, &released, Some(&stored)).unwrap()));
    assert!(is_placed(&federation.write(SIDECAR, &changed(&stored), Some(&stored)).unwrap()));
    let mut unrecorded = stored.clone();
    unrecorded["metadata"]["annotations"].as_object_mut().unwrap().remove(APPLIED);
    assert!(is_placed(&federation.write(SIDECAR, &unrecorded, Some(&stored)).unwrap()));
}

#[test]
fn what_a_sidecar_places_by_policies_that_have_gone_meanwhile_lets_nothing_go() {
    let (federation, stored) = bereft(LONG, Unproven::Keep);
    let mut late = stored.clone();
    late["metadata"]["annotations"][KEY] = json!({"clusters": {"u1": {}}}).to_string().into();
    for new in [&late, &changed(&late)] {
        let written = federation.write(SIDECAR, new, Some(&stored)).unwrap();
        assert_eq!(written["metadata"]["annotations"], stored["metadata"]["annotations"], "record and all");
    }
}
