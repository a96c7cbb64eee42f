//! Whole reviews beside a sweep: what the API server would store, and what is said of it afterwards.

mod ahead;
mod culprit;
mod federation;
mod letting_go;
mod seen;
mod steady;
mod tampered;
mod told;

use plimsoll_contract::annotations::{APPLIED, REPLICA_SET_PREFERENCES as KEY};
use serde_json::json;

use federation::{CONTROLLER, Federation, TENANT, cluster, owned, replica_set, without_annotations};

#[test]
fn a_finalizers_controller_that_drops_all_annotations_is_not_trapped() {
    let federation = Federation::start();
    let mut leaving = federation.write(TENANT, &replica_set("eu", &json!({})), None).unwrap();
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    leaving["metadata"]["finalizers"] = json!(["example.com/f"]);
    let mut bare = without_annotations(&leaving);
    bare["metadata"]["finalizers"] = json!([]);
    let stored = federation.write(TENANT, &bare, Some(&leaving)).unwrap();
    assert_eq!(stored["metadata"]["annotations"], leaving["metadata"]["annotations"], "what was managed is back");
    assert_eq!(stored["metadata"]["finalizers"], json!([]));
}

#[test]
fn an_asserted_owner_opts_nobody_out_of_repair() {
    let wish = json!({KEY: r#"{"clusters":{"e1":{}}}"#});
    let cases = [
        ("as policy wants it", replica_set("eu", &wish)),
        ("policy has no opinion yet", replica_set("mars", &json!({}))),
        ("a record that nobody can read", replica_set("mars", &json!({APPLIED: "nonsense"}))),
    ];
    for (name, object) in cases {
        let mut federation = Federation::start();
        let created = federation.write(TENANT, &owned(object.clone()), None).unwrap();
        let changed = federation.write(TENANT, &owned(object.clone()), Some(&object)).unwrap();
        for stored in [created, changed] {
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("e1", "eu"), cluster("u1", "us")]);
            let settled = federation.swept(&stored, 1).map(|row| row.patch.len());
            assert_eq!(settled, Some(0), "{name}: nothing is left to write");
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("e2", "eu"), cluster("m1", "mars")]);
            let row = federation.swept(&stored, 1).unwrap();
            assert!(row.patch.contains_key(KEY), "{name}: policy decides otherwise now");
        }
    }
}

#[test]
fn a_controllers_child_is_left_alone_by_both_sides_and_by_the_sweep() {
    let mut federation = Federation::start();
    let child = owned(replica_set("eu", &json!({})));
    let stored = federation.write(CONTROLLER, &child, None).unwrap();
    assert_eq!(stored, child);
    assert_eq!(federation.swept(&stored, 3), None);
    let mut noted = stored.clone();
    noted["metadata"]["annotations"] = json!({"example.com/note": "1"});
    assert_eq!(federation.write(TENANT, &noted, Some(&stored)).unwrap(), noted, "a note on a child is no matter of policy");
}

#[test]
fn the_namespace_of_the_request_is_the_objects() {
    let federation = Federation::start();
    let mut object = replica_set("eu", &json!({}));
    object["metadata"]["namespace"] = json!("kube-system");
    let stored = federation.write(TENANT, &object, None).unwrap();
    assert!(stored["metadata"]["annotations"][KEY].is_string(), "an object does not exempt itself: {stored}");
}
