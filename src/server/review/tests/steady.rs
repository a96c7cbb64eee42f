//! What stays where it is: while the brake is on, and under a hold.

use plimsoll_contract::annotations::{APPLIED, HOLD, REPLICA_SET_PREFERENCES as KEY};
use plimsoll_contract::still::{Scopes, Still};
use serde_json::{Value as Json, json};

use super::federation::{CONTROLLER, Federation, SIDECAR, TENANT, cluster, replica_set, without_annotations};
use crate::decision::testing::Fixed;
use crate::decision::{Config, Hold, Unproven};
use crate::server::review::judge::Judge;

const FLEET: &str = "fleet.example.com/v1/clusters";

fn placed_on(object: &Json) -> Vec<String> {
    let text = object["metadata"]["annotations"][KEY].as_str().unwrap_or("{}");
    let preferences: Json = serde_json::from_str(text).unwrap();
    preferences["clusters"].as_object().map(|clusters| clusters.keys().cloned().collect()).unwrap_or_default()
}

/// An object on `e1`, and a fleet in which policy wants it on `e2`.
fn moved(config: Config) -> (Federation, Json) {
    let federation = Federation::with(Config { sidecars: [SIDECAR.to_owned()].into(), ..config });
    let stored = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    assert_eq!(placed_on(&stored), ["e1"]);
    federation.mirror(FLEET, &[cluster("e2", "eu"), cluster("u1", "us")]);
    (federation, stored)
}

fn warnings(federation: &Federation, object: &Json, old: Option<&Json>) -> String {
    federation.judged(Judge::Mutate, &Federation::review(TENANT, object, old)).warnings.join("; ")
}

fn labelled(object: &Json, region: &str) -> Json {
    let mut object = object.clone();
    object["metadata"]["labels"]["region"] = region.into();
    object
}

fn held(object: &Json, value: &str) -> Json {
    let mut object = object.clone();
    object["metadata"]["annotations"][HOLD] = value.into();
    object
}

fn scaled(object: &Json) -> Json {
    let mut object = object.clone();
    object["spec"]["replicas"] = 9.into();
    object
}

#[test]
fn while_the_brake_is_on_a_put_moves_nothing() {
    let (federation, stored) = moved(Config::default());
    let put = without_annotations(&stored);
    assert_eq!(placed_on(&federation.write(TENANT, &put, Some(&stored)).unwrap()), ["e2"], "the brake is off");
    federation.braked(true);
    for user in [TENANT, CONTROLLER] {
        let kept = federation.write(user, &put, Some(&stored)).unwrap();
        assert_eq!(kept["metadata"]["annotations"], stored["metadata"]["annotations"], "record and all");
    }
    assert!(warnings(&federation, &put, Some(&stored)).contains("the brake is on"));
    let denied = federation.validate(TENANT, &put, Some(&stored)).unwrap_err();
    assert!(denied.message.contains(KEY), "{denied:?}");
    federation.braked(false);
    assert_eq!(placed_on(&federation.write(TENANT, &put, Some(&stored)).unwrap()), ["e2"]);
}

#[test]
fn what_stands_still_in_one_namespace_or_of_one_kind_goes_on_elsewhere() {
    let (federation, stored) = moved(Config::default());
    let namespace = stored["metadata"]["namespace"].as_str().unwrap();
    let put = without_annotations(&stored);
    let written = |still: Still| {
        federation.still(still);
        let anew = labelled(&put, "us");
        [&put, &anew].map(|object| placed_on(&federation.write(TENANT, object, Some(&stored)).unwrap()).join(","))
    };
    let here = format!("namespace/{namespace}");
    let scopes = |words: &str| Scopes::read(words).0;
    let braked = |words: &str| written(Still { braked: scopes(words), ..Still::default() });
    let paused = |words: &str| written(Still { paused: scopes(words), ..Still::default() });
    assert_eq!(braked(&here), ["e1", "u1"], "changed intent is decided");
    for words in ["fleet", &here, "kind/replicasets.apps, namespace/other"] {
        assert_eq!(paused(words), ["e1", "e1"], "{words}: as under a hold");
    }
    for words in ["namespace/other", "kind/deployments.apps", ""] {
        assert_eq!(paused(words), ["e2", "u1"], "{words}");
        assert_eq!(braked(words), ["e2", "u1"], "{words}");
    }
    federation.still(Still { paused: scopes("fleet"), ..Still::default() });
    assert!(warnings(&federation, &put, Some(&stored)).contains("paused here"));
    assert_eq!(
        placed_on(&federation.write(TENANT, &replica_set("us", &json!({})), None).unwrap()),
        ["u1"],
        "what is new is placed"
    );
    let closed = labelled(&stored, "closed");
    let denied = federation.write(TENANT, &closed, Some(&stored)).unwrap_err();
    assert!(denied.message.contains("nobody may go there"), "{denied:?}");
}

#[test]
fn what_is_held_or_paused_keeps_its_placement_without_any_policy_too() {
    let (federation, stored) = moved(Config { hold: Hold::Anyone, ..Config::default() });
    federation.policy("package other");
    let put = without_annotations(&stored);
    let written = |object: &Json| placed_on(&federation.write(TENANT, object, Some(&stored)).unwrap());
    assert!(written(&put).is_empty(), "nobody undoes what its owner does");
    assert_eq!(written(&held(&put, "true")), ["e1"]);
    federation.braked(true);
    assert!(written(&put).is_empty());
    federation.still(Still { paused: Scopes::read("fleet").0, ..Still::default() });
    assert_eq!(written(&put), ["e1"]);
    assert!(warnings(&federation, &put, Some(&stored)).contains("no policy says where"));
}

#[test]
fn what_is_new_or_asked_for_anew_follows_policy_and_what_is_refused_is_refused() {
    let (federation, stored) = moved(Config::default());
    federation.braked(true);
    assert_eq!(placed_on(&federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap()), ["e2"]);
    assert_eq!(placed_on(&federation.write(TENANT, &labelled(&stored, "us"), Some(&stored)).unwrap()), ["u1"]);
    let scaled = scaled(&stored);
    assert_eq!(placed_on(&federation.write(TENANT, &scaled, Some(&stored)).unwrap()), ["e1"], "policy does not look at replicas");
    let mut wished = scaled.clone();
    wished["metadata"]["annotations"][KEY] = json!({"clusters": {"u1": {}}}).to_string().into();
    assert_eq!(placed_on(&federation.write(TENANT, &wished, Some(&stored)).unwrap()), ["e2"], "a wish for the key itself");
    let closed = labelled(&stored, "closed");
    let denied = federation.write(TENANT, &without_annotations(&closed), Some(&closed)).unwrap_err();
    assert!(denied.message.contains("nobody may go there"), "{denied:?}");
}

#[test]
fn what_the_sidecar_was_allowed_to_write_is_written() {
    for keys in [false, true] {
        let record_keys = keys.then(|| std::sync::Arc::new(Fixed::of("k")) as _);
        let (mut federation, stored) = moved(Config { record_keys, ..Config::default() });
        federation.braked(true);
        let repaired = federation.repaired(std::slice::from_ref(&stored)).remove(0);
        assert_eq!(placed_on(&repaired), ["e2"], "keys: {keys}");
        // A mac is as good as the sidecar's name; a record alone is not.
        let written = federation.write(TENANT, &repaired, Some(&stored)).unwrap();
        assert_eq!(placed_on(&written), [if keys { "e2" } else { "e1" }], "keys: {keys}");
    }
}

#[test]
fn nobody_gains_by_a_record_of_his_own() {
    let (federation, stored) = moved(Config::default());
    federation.braked(true);
    let mut forged = stored.clone();
    let value = r#"{"clusters":{"u1":{"weight":1}}}"#;
    forged["metadata"]["annotations"][KEY] = value.into();
    let record = stored["metadata"]["annotations"][APPLIED].as_str().unwrap();
    let known = plimsoll_contract::annotations::digest(stored["metadata"]["annotations"][KEY].as_str().unwrap());
    let forged_record = record.replace(&known, &plimsoll_contract::annotations::digest(value));
    assert_ne!(forged_record, record);
    forged["metadata"]["annotations"][APPLIED] = forged_record.into();
    assert_eq!(placed_on(&federation.write(TENANT, &forged, Some(&stored)).unwrap()), ["e1"]);
    // What was never shown to be decided is not kept where that counts.
    let (federation, stored) = moved(Config { unproven: Unproven::Release, ..Config::default() });
    federation.braked(true);
    assert_eq!(placed_on(&federation.write(TENANT, &without_annotations(&stored), Some(&stored)).unwrap()), ["e2"]);
}

#[test]
fn a_held_object_stays_until_it_is_released_whatever_changes() {
    let (federation, stored) = moved(Config { hold: Hold::Anyone, ..Config::default() });
    let hold = federation.write(TENANT, &held(&stored, "true"), Some(&stored)).unwrap();
    assert_eq!(placed_on(&hold), ["e1"], "it is held where it stands");
    let changes = [without_annotations(&hold), labelled(&hold, "us"), scaled(&hold), labelled(&hold, "mars")];
    for changed in changes {
        let changed = held(&changed, "true");
        let kept = federation.write(TENANT, &changed, Some(&hold)).unwrap();
        assert_eq!((placed_on(&kept), &kept["spec"]), (vec!["e1".to_owned()], &changed["spec"]));
    }
    let said = warnings(&federation, &labelled(&hold, "us"), Some(&hold));
    assert!(said.contains(HOLD) && said.contains("policy allows no cluster"), "weights are 0 there: {said}");
    let denied = federation.write(TENANT, &labelled(&hold, "closed"), Some(&hold)).unwrap_err();
    assert!(denied.message.contains("nobody may go there"), "{denied:?}");
    assert_eq!(placed_on(&federation.write(TENANT, &held(&hold, "false"), Some(&hold)).unwrap()), ["e2"], "released");
}

#[test]
fn a_new_object_that_is_held_is_placed_once_and_a_hold_may_have_no_effect() {
    let (federation, _) = moved(Config { hold: Hold::Anyone, ..Config::default() });
    let created = federation.write(TENANT, &replica_set("eu", &json!({HOLD: "true"})), None).unwrap();
    assert_eq!(placed_on(&created), ["e2"]);
    federation.mirror(FLEET, &[cluster("e3", "eu")]);
    assert_eq!(placed_on(&federation.write(TENANT, &scaled(&created), Some(&created)).unwrap()), ["e2"]);
    let (federation, stored) = moved(Config::default());
    let ignored = federation.write(TENANT, &held(&stored, "true"), Some(&stored)).unwrap();
    assert_eq!(placed_on(&ignored), ["e2"], "--hold=ignore");
}
