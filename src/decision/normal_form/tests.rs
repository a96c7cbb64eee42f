//! The normal form, its digest and what is refused.

use plimsoll_contract::annotations::{APPLIED, AppliedKey, HOLD, REPLICA_SET_PREFERENCES};
use plimsoll_contract::kind::Gvr;
use serde_json::json;

use super::*;

const KEY: &str = REPLICA_SET_PREFERENCES;

fn allowed() -> BTreeSet<String> {
    [KEY.to_owned()].into()
}

fn kind() -> Kind {
    Kind::new(Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap(), "ReplicaSet")
}

fn normal(object: &Json) -> NormalForm {
    NormalForm::of(object, Some(&kind()), &allowed(), &BTreeMap::new()).unwrap()
}

fn with_annotations(annotations: Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "annotations": annotations}})
}

fn record(key: &str, was: Option<&str>, wrote: Option<&str>) -> String {
    let entry = AppliedKey { was: was.map(Into::into), sum: undo::sum_of(wrote) };
    plimsoll_contract::annotations::Applied {
        policy: "sha256:0".into(),
        keys: [(key.to_owned(), entry)].into(),
        ..Default::default()
    }
    .encode()
}

#[test]
fn create_update_and_sweep_have_one_normal_form() {
    let create = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "web", "creationTimestamp": null, "labels": {},
            "initializers": {"pending": [{"name": "placement.example.com"}]}},
        "spec": {"replicas": 3}, "status": {"replicas": 0}});
    let stored = json!({"metadata": {"name": "web", "uid": "u", "resourceVersion": "7", "generation": 2, "selfLink": "/x",
        "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{}],
        "annotations": {KEY: "ours", APPLIED: record(KEY, None, Some("ours"))}},
        "spec": {"replicas": 3}, "status": {"replicas": 3}});
    let update = with_annotations(json!({}));
    let (create, stored) = (normal(&create), normal(&stored));
    assert_eq!(create.object, stored.object);
    assert_eq!(create.digest(), stored.digest());
    let expected = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": {"replicas": 3}});
    assert_eq!(create.object, expected);
    assert!(normal(&update).object["metadata"].get("annotations").is_none());
}

#[test]
fn t05_our_own_writes_are_undone() {
    let cases = [
        ("a value we added", json!({KEY: "ours", APPLIED: record(KEY, None, Some("ours"))}), None),
        ("a value we replaced", json!({KEY: "ours", APPLIED: record(KEY, Some("theirs"), Some("ours"))}), Some("theirs")),
        ("a value we removed", json!({APPLIED: record(KEY, Some("theirs"), None)}), Some("theirs")),
        ("changed since: new intent", json!({KEY: "newer", APPLIED: record(KEY, Some("theirs"), Some("ours"))}), Some("newer")),
        ("removed since: new intent", json!({APPLIED: record(KEY, Some("theirs"), Some("ours"))}), None),
        ("put back since: new intent", json!({KEY: "theirs", APPLIED: record(KEY, Some("theirs"), None)}), Some("theirs")),
        ("no record", json!({KEY: "theirs"}), Some("theirs")),
    ];
    for (name, annotations, expected) in cases {
        let form = normal(&with_annotations(annotations));
        assert_eq!(form.intent.get(KEY).map(String::as_str), expected, "{name}");
        assert_eq!(form.object.pointer("/metadata/annotations").and_then(|a| a[KEY].as_str()), expected, "{name}");
        assert!(!form.intent.contains_key(APPLIED), "{name}");
    }
}

#[test]
fn a_forged_record_reaches_no_other_annotation() {
    for key in ["example.com/owner", HOLD, APPLIED] {
        let forged = with_annotations(
            json!({"example.com/owner": "team-a", HOLD: "true", APPLIED: record(key, Some("mallory"), Some("team-a"))}),
        );
        let form = normal(&forged);
        assert_eq!(form.intent["example.com/owner"], "team-a");
        assert_eq!(form.intent[HOLD], "true");
        assert!(form.written.ours.is_empty());
        assert!(form.written.warnings[0].contains(key), "{:?}", form.written.warnings);
    }
}

#[test]
fn a_record_that_cannot_be_read_is_reported_and_ignored() {
    for text in ["", "[]", "{\"policy\":1}", "nonsense"] {
        let form = normal(&with_annotations(json!({KEY: "v", APPLIED: text})));
        assert_eq!(form.intent[KEY], "v");
        assert_eq!((form.written.record.is_none(), form.written.warnings.len()), (true, 1), "{text}");
    }
}

#[test]
fn status_is_kept_on_request_and_is_never_intent() {
    let keeps = Kind { keep_status: true, ..kind() };
    let object = |ready: i32| json!({"metadata": {"name": "web"}, "status": {"ready": ready}});
    let form = |ready| NormalForm::of(&object(ready), Some(&keeps), &allowed(), &BTreeMap::new()).unwrap();
    assert_eq!(form(1).object["status"]["ready"], 1);
    assert_eq!(form(1).digest(), form(2).digest());
}

#[test]
fn pruned_fields_of_the_kind_are_removed() {
    let prunes = Kind { prune: vec!["/spec/noise".into()], ..kind() };
    let object = json!({"metadata": {"name": "web"}, "spec": {"noise": 1, "replicas": 2}});
    assert_eq!(
        NormalForm::of(&object, Some(&prunes), &allowed(), &BTreeMap::new()).unwrap().object["spec"],
        json!({"replicas": 2})
    );
}

#[test]
fn only_the_objects_own_metadata_is_cleaned() {
    let mut object = with_annotations(json!({}));
    object["spec"] = json!({"template": {"metadata": {"creationTimestamp": null, "annotations": {}}}});
    assert_eq!(normal(&object).object["spec"], object["spec"]);
}

#[test]
fn what_has_no_normal_form_is_refused() {
    let mut deep = json!(1);
    for _ in 0..MAX_DEPTH {
        deep = json!([deep]);
    }
    let cases = [
        (json!({"apiVersion": "v1", "kind": "X", "metadata": {}, "spec": deep}), NormalFormError::TooDeep),
        (json!([]), NormalFormError::NotAnObject("the input")),
        (json!({"apiVersion": "v1", "kind": "X"}), NormalFormError::NotAnObject("metadata")),
        (json!({"kind": "X", "metadata": {}}), NormalFormError::Missing("apiVersion")),
        (json!({"apiVersion": "v1", "metadata": {}}), NormalFormError::Missing("kind")),
        (with_annotations(json!({"a": 1})), NormalFormError::Annotation("a".into())),
        (with_annotations(json!([])), NormalFormError::NotAnObject("metadata.annotations")),
    ];
    for (object, expected) in cases {
        assert_eq!(NormalForm::of(&object, None, &allowed(), &BTreeMap::new()).unwrap_err(), expected);
    }
    assert!(!deeper_than(&deep, MAX_DEPTH), "exactly the limit is allowed");
}

#[test]
fn a_record_that_somebody_puts_in_place_of_ours_hides_nothing() {
    let entry = AppliedKey { was: Some("wish".into()), sum: undo::sum_of(Some("ours")) };
    let known = [(KEY.to_owned(), entry.clone())].into();
    let records = [None, Some(record(KEY, None, Some("other"))), Some(record("other/key", None, None)), Some("nonsense".into())];
    for made_up in records {
        let object = with_annotations(json!({KEY: "ours", APPLIED: made_up}));
        let object = made_up.as_ref().map_or_else(|| with_annotations(json!({KEY: "ours"})), |_| object);
        let form = NormalForm::of(&object, Some(&kind()), &allowed(), &known).unwrap();
        assert_eq!(form.intent.get(KEY).map(String::as_str), Some("wish"), "{made_up:?}");
        assert_eq!((form.written.ours.get(KEY), form.written.superseded.is_empty()), (Some(&entry), true), "{made_up:?}");
    }
    let newer = with_annotations(json!({KEY: "newer", APPLIED: record(KEY, None, Some("ours"))}));
    let form = NormalForm::of(&newer, Some(&kind()), &allowed(), &known).unwrap();
    assert_eq!(form.intent.get(KEY).map(String::as_str), Some("newer"), "a wish of today");
}
