//! Records x ways in x what policy says: undoing is always believed, keeping is earned.

use plimsoll_contract::annotations::{
    APPLIED, Applied, AppliedKey, CLUSTER_SELECTOR as SELECTOR, REPLICA_SET_PREFERENCES as KEY, digest,
};
use plimsoll_contract::source::Declare;
use serde_json::json;

use super::*;
use crate::decision::testing::{Fixed, row};
use crate::decision::{Previous, Writer};
use crate::rego::Module;
use crate::snapshot::{Store, StoreOptions};

/// Has an opinion about what is labelled so, and says what it saw of the developer's own wish.
const POLICY: &str = r#"
package kubernetes.placement

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": {"a": {}}} if input.metadata.labels.place == "yes"

warnings contains sprintf("wish: %v", [input.metadata.annotations["federation.kubernetes.io/replica-set-preferences"]])
"#;

const OURS: &str = r#"{"clusters":{"a":{}}}"#;
const WISH: &str = r#"{"clusters":{"mine":{}}}"#;

fn store() -> Store {
    let store = Store::new(StoreOptions::default()).unwrap();
    let kinds = vec![row("apps/v1/replicasets", "ReplicaSet", |row| row.place = true)];
    let session = store.declare("test", Declare { kinds, ..Declare::default() }).unwrap().session;
    store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
    let header = json!({"session": session, "kind": "apps/v1/replicasets", "mode": "replace"});
    store.sync("test", header.to_string().as_bytes()).unwrap();
    store
}

fn object(place: bool, annotations: &Json) -> Json {
    let labels = if place { json!({"place": "yes"}) } else { json!({"place": "no"}) };
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 1},
        "metadata": {"name": "web", "namespace": "shop", "uid": "u", "labels": labels, "annotations": annotations}})
}

/// What a record can look like on what a user sends.
const RECORDS: [&str; 9] = [
    "none",
    "value alone",
    "forged",
    "forged, no kind",
    "forged, another kind",
    "forged, another policy",
    "hides a wish",
    "unreadable",
    "signed",
];

fn annotations(record: &str, policy: &str, place: bool) -> Json {
    let entry = |was: Option<&str>, value: &str| AppliedKey { was: was.map(Into::into), sum: digest(value) };
    let applied = |kind: &str, policy: &str, entry: AppliedKey| Applied {
        kind: kind.into(),
        mac: None,
        policy: policy.into(),
        keys: [(KEY.to_owned(), entry)].into(),
        fleet: None,
    };
    let with = |value: &str, record: String| json!({KEY: value, APPLIED: record});
    match record {
        "none" => json!({}),
        "value alone" => json!({KEY: WISH}),
        "forged" => with(WISH, applied("ReplicaSet", policy, entry(None, WISH)).encode()),
        "forged, no kind" => with(WISH, applied("", policy, entry(None, WISH)).encode()),
        "forged, another kind" => with(WISH, applied("Deployment", policy, entry(None, WISH)).encode()),
        "forged, another policy" => with(WISH, applied("ReplicaSet", "sha256:0", entry(None, WISH)).encode()),
        "hides a wish" => with(OURS, applied("ReplicaSet", policy, entry(Some(WISH), OURS)).encode()),
        "unreadable" => with(WISH, "nonsense".into()),
        _ => {
            let mut record = applied("ReplicaSet", policy, entry(None, OURS));
            let kind = row("apps/v1/replicasets", "ReplicaSet", |_| ());
            let allowed = [KEY.to_owned()].into();
            let bare = object(place, &json!({}));
            let form = NormalForm::of(&bare, Some(&kind), &allowed, &BTreeMap::new()).unwrap();
            record.mac = Fixed::of("k").0.sign(&record, &form);
            with(OURS, record.encode())
        }
    }
}

fn patched(object: &Json, patch: &Patch) -> BTreeMap<String, String> {
    let mut annotations: BTreeMap<String, String> = serde_json::from_value(object["metadata"]["annotations"].clone()).unwrap();
    for (key, value) in patch {
        match value {
            Some(value) => annotations.insert(key.clone(), value.clone()),
            None => annotations.remove(key),
        };
    }
    annotations
}

/// The developer's own wish, as far as the record tells: what policy is to see.
fn wish(record: &str) -> Option<&'static str> {
    match record {
        "value alone" | "unreadable" | "hides a wish" => Some(WISH),
        _ => None,
    }
}

/// What stands there afterwards, whether it is kept, and whether nothing shows that it was decided.
fn expected(place: bool, before: Before, record: &str) -> (Option<&'static str>, bool, bool) {
    match (before, record) {
        _ if place => (Some(OURS), false, false),
        (Before::Placed, record) if wish(record).is_none() => (Some(OURS), true, false),
        (Before::Itself, "signed") => (Some(OURS), true, false),
        (Before::Itself, "hides a wish") => (Some(OURS), true, true),
        (Before::Itself, "forged" | "forged, no kind" | "forged, another kind") => (Some(WISH), true, true),
        _ => (wish(record), false, false),
    }
}

/// What the API server has of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing: it is new.
    Nothing,
    /// The object without a placement.
    Bare,
    /// The object as policy placed it.
    Placed,
    /// The object itself: a sweep.
    Itself,
}

#[test]
fn undoing_is_always_believed_and_keeping_is_earned() {
    let store = store();
    let snapshot = store.load();
    let config = Config { record_keys: Some(Arc::new(Fixed::of("k"))), ..Config::default() };
    let all = [Before::Nothing, Before::Bare, Before::Placed, Before::Itself];
    let cases = [true, false].into_iter().flat_map(|place| all.map(|before| (place, before)));
    for ((place, before), record) in cases.flat_map(|case| RECORDS.map(|record| (case, record))) {
        let new = object(place, &annotations(record, &snapshot.policies.digest, place));
        let old = stored_before(before, place, &snapshot.policies.digest);
        let previous = old.as_ref().map(|old| Previous::read(old.as_bytes()).unwrap());
        let way = match &previous {
            Some(previous) => Way::Update(previous),
            None if before == Before::Itself => Way::Stored,
            None => Way::Create,
        };
        let subject = Subject { object: &new, kind: None, way, writer: Writer::Other, last: None };
        let decision = decide(&snapshot, subject, &config);
        let name = format!("{record}, policy places: {place}, before: {before:?}");
        let seen = decision.warnings.iter().find_map(|warning| warning.strip_prefix("wish: "));
        assert_eq!(seen, wish(record), "{name}: what policy sees");
        let after = patched(&new, &decision.patch);
        let found = (after.get(KEY).map(String::as_str), decision.kept, decision.unproven);
        assert_eq!(found, expected(place, before, record), "{name}");
        if place {
            assert_eq!(Applied::parse(&after[APPLIED]).unwrap().keys[KEY].was.as_deref(), wish(record), "{name}");
        }
        again(&snapshot, &config, &new, &decision, &name);
    }
}

fn stored_before(before: Before, place: bool, policy: &str) -> Option<String> {
    let record = match before {
        Before::Bare => "none",
        Before::Placed => "signed",
        Before::Nothing | Before::Itself => return None,
    };
    Some(object(place, &annotations(record, policy, place)).to_string())
}

/// What is stored then, is decided alike at the validating side and in a sweep: nothing is left to write.
fn again(snapshot: &Snapshot, config: &Config, new: &Json, decision: &Decision, name: &str) {
    let mut stored = new.clone();
    stored["metadata"]["annotations"] = json!(patched(new, &decision.patch));
    let subject = Subject { object: &stored, kind: None, way: Way::Stored, writer: Writer::Unknown, last: Some(&decision.last) };
    let second = decide(snapshot, subject, config);
    assert!(second.patch.is_empty(), "{name}: {:?}", second.patch);
}

/// OPA's data API: its clients write what they are shown, and remove nothing.
#[test]
fn what_a_client_cannot_remove_the_next_sweep_does() {
    let (store, config) = (store(), Config { record_keys: Some(Arc::new(Fixed::of("k"))), ..Config::default() });
    let snapshot = store.load();
    let policy = &snapshot.policies.digest;
    let decided =
        |object: &Json, way| decide(&snapshot, Subject { object, kind: None, way, writer: Writer::Unknown, last: None }, &config);
    for (place, record) in [true, false].into_iter().flat_map(|place| RECORDS.map(|record| (place, record))) {
        let mut new = object(place, &annotations(record, policy, place));
        // Policy once wrote another key, too.
        let mut applied = new["metadata"]["annotations"][APPLIED].as_str().and_then(|text| Applied::parse(text).ok());
        if let Some(applied) = &mut applied {
            applied.keys.insert(SELECTOR.into(), AppliedKey { was: None, sum: digest("[]") });
            new["metadata"]["annotations"][APPLIED] = applied.encode().into();
            new["metadata"]["annotations"][SELECTOR] = "[]".into();
        }
        let decision = decided(&new, Way::Create);
        let mut stored = new.clone();
        let shown = decision.document().unwrap()["annotations"].take();
        stored["metadata"]["annotations"].as_object_mut().unwrap().extend(shown.as_object().cloned().unwrap_or_default());
        let swept = decided(&stored, Way::Stored);
        // The record apart: in the sweep it is signed.
        let [after, expected] = [(&stored, &swept), (&new, &decision)].map(|(object, decision)| {
            let mut annotations = patched(object, &decision.patch);
            annotations.remove(APPLIED);
            annotations
        });
        assert_eq!((after, swept.kept), (expected, false), "{record}, policy places: {place}, stored: {stored}");
    }
}

#[test]
fn a_new_object_has_no_past_whatever_it_says() {
    let store = store();
    let (snapshot, config) = (store.load(), Config::default());
    let policy = snapshot.policies.digest.clone();
    let new = object(false, &annotations("forged", &policy, false));
    let entry = AppliedKey { was: None, sum: digest(WISH) };
    let kind = row("apps/v1/replicasets", "ReplicaSet", |_| ());
    let form = NormalForm::of(&new, Some(&kind), &[KEY.to_owned()].into(), &BTreeMap::new()).unwrap();
    let keys = Arc::new([(KEY.to_owned(), entry)].into());
    let last = Last { policy, intent: form.digest().to_owned(), keys, written: true, repeats: false };
    let decided =
        |way| decide(&snapshot, Subject { object: &new, kind: None, way, writer: Writer::Other, last: Some(&last) }, &config);
    assert!(decided(Way::Stored).kept, "the memory would show it");
    assert!(!decided(Way::Create).kept, "the uid is the writer's own word");
}
