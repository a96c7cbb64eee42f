//! What a refusal of the validating side says of how an object came to be as it is.

use plimsoll_contract::annotations::{APPLIED, REPLICA_SET_PREFERENCES as KEY};
use serde_json::{Value as Json, json};

use super::federation::{Federation, TENANT, cluster, replica_set};
use crate::decision::Config;
use crate::decision::testing::Fixed;

const OTHER: &str = r#"{"clusters":{"u1":{}}}"#;
const NOT_CALLED: &str = "mutating webhook was not called for this request, or another webhook";
const LATER: &str = "likely another webhook changed it after";
const EARLIER: &str = "this is what plimsoll decided before";

fn federation(signs: bool) -> Federation {
    let record_keys = signs.then(|| std::sync::Arc::new(Fixed::of("k")) as _);
    Federation::with(Config { record_keys, ..Config::default() })
}

fn with(object: &Json, key: &str, value: Json) -> Json {
    let mut object = object.clone();
    object["metadata"]["annotations"][key] = value;
    object
}

fn without_record(object: &Json) -> Json {
    let mut object = object.clone();
    object["metadata"]["annotations"].as_object_mut().unwrap().remove(APPLIED);
    object
}

#[test]
fn another_webhook_is_blamed_only_for_what_ours_has_set() {
    for signs in [false, true] {
        let federation = federation(signs);
        let wish = replica_set("eu", &json!({}));
        let stored = federation.write(TENANT, &wish, None).unwrap();
        let changed = with(&stored, KEY, OTHER.into());
        let moved_region = |object: &Json| {
            let mut object = object.clone();
            object["metadata"]["labels"]["region"] = "us".into();
            object
        };
        let turned = federation.write(TENANT, &moved_region(&stored), Some(&stored)).unwrap();
        let eu = stored["metadata"]["annotations"][KEY].clone();
        let cases = [
            ("created, and nobody called us", wish.clone(), None, NOT_CALLED),
            ("created with a wish, and nobody called us", without_record(&changed), None, NOT_CALLED),
            ("created, and changed after us", changed.clone(), None, LATER),
            ("updated by hand, and nobody called us; or by a webhook", changed, Some(&stored), NOT_CALLED),
            ("another region, and nobody called us", moved_region(&stored), Some(&stored), NOT_CALLED),
            ("another region, and put back after us", with(&turned, KEY, eu), Some(&stored), LATER),
            ("applied as it was exported from another region", moved_region(&stored), None, EARLIER),
        ];
        for (name, object, old, words) in cases {
            let refused = federation.validate(TENANT, &object, old).unwrap_err();
            assert!(refused.code == 403 && refused.message.contains(words), "signs: {signs}, {name}: {refused:?}");
            let blamed = refused.message.contains(LATER);
            assert_eq!(blamed, words == LATER, "signs: {signs}, {name}: {refused:?}");
        }
    }
}

#[test]
fn a_fleet_that_changes_within_a_request_is_nobodys_fault() {
    let federation = federation(true);
    let stored = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    federation.mirror("fleet.example.com/v1/clusters", &[cluster("e1", "eu"), cluster("e2", "eu"), cluster("u1", "us")]);
    let refused = federation.validate(TENANT, &stored, None).unwrap_err();
    assert!(refused.message.contains(EARLIER), "{refused:?}");
}

#[test]
fn a_record_of_another_object_shows_nothing() {
    let federation = federation(true);
    let stored = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    let mut copied = with(&stored, KEY, OTHER.into());
    copied["spec"]["replicas"] = 17.into();
    let refused = federation.validate(TENANT, &copied, None).unwrap_err();
    assert!(refused.message.contains(NOT_CALLED), "{refused:?}");
}
