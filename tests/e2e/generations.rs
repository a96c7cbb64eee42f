//! One engine behind every generation of admission: the mutating webhook in `v1` and in `v1beta1`, SchedulingPolicy of the federation API
//! server, the initializer, and the hook of `v1alpha1`, which has no patch. Each object of a table is created through each of them on the
//! embedded API server, which has them all. What is stored at the end is the same; the hook of `v1alpha1` admits exactly what needs
//! nothing or is right already.

mod objects;
mod ways;

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value as Json, json};

use super::support::assets::Assets;
use super::support::fixtures::APPLIED;
use objects::{Object, table};
use ways::{Outcome, Setting};

/// By the object's name.
type Outcomes = BTreeMap<&'static str, Outcome>;

#[test]
fn every_generation_writes_the_same_annotations() {
    if Assets::find().is_none() {
        return;
    }
    let all = thread::scope(|scope| {
        let ways = [ways::webhooks, ways::scheduling_policy, ways::initializer];
        ways.map(|way| scope.spawn(way)).into_iter().flat_map(|way| way.join().unwrap()).collect::<Vec<_>>()
    });
    let (_, first) = &all[0];
    for (generation, outcomes) in &all {
        assert_eq!(outcomes.len(), table().len(), "{generation}");
        for object in table() {
            let outcome = &outcomes[object.name];
            assert_as_wanted(generation, &object, outcome);
            let same = outcome.as_ref().ok().map(record) == first[object.name].as_ref().ok().map(record);
            assert!(same, "{generation}, {}: {outcome:?}, and first {:?}", object.name, first[object.name]);
        }
    }
    let names: Vec<&str> = all.iter().map(|(generation, _)| *generation).collect();
    assert_eq!(names, ["webhook v1", "webhook v1beta1", "SchedulingPolicy", "initializer"]);
}

fn assert_as_wanted(generation: &str, object: &Object, outcome: &Outcome) {
    match (&object.wanted, outcome) {
        (Some(wanted), Ok(annotations)) => assert_eq!(&managed(annotations), wanted, "{generation}, {}", object.name),
        (None, Err(refusal)) => assert!(refusal.contains(objects::REFUSAL), "{generation}, {}: {refusal}", object.name),
        (_, outcome) => panic!("{generation}, {}: {outcome:?}", object.name),
    }
}

/// What policies may write, without the record of it.
fn managed(annotations: &Json) -> Json {
    let all = annotations.as_object().into_iter().flatten();
    all.filter(|(key, _)| objects::MANAGED.contains(&key.as_str())).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// What the record says was written, by which policies, in place of what; not when and on whose knowledge.
fn record(annotations: &Json) -> Json {
    let Some(text) = annotations.get(APPLIED).and_then(Json::as_str) else { return Json::Null };
    let record: Json = serde_json::from_str(text).unwrap();
    json!([record["kind"], record["policy"], record["keys"]])
}

#[test]
fn a_hook_without_a_patch_admits_exactly_what_is_right_already() {
    let Some(setting) = Setting::webhooks() else { return };
    let decided = setting.with(&ways::mutating(&setting, "v1"), || setting.tried());
    setting.with(&ways::external(&setting), || {
        for object in table() {
            let written = object.written(&setting);
            let needs_none = object.wanted.as_ref() == Some(&managed(&written["metadata"]["annotations"]));
            let admitted = setting.create(&object, &written);
            assert_eq!(admitted.is_ok(), needs_none, "{} as it is written: {admitted:?}", object.name);
            let Ok(annotations) = &decided[object.name] else { continue };
            let mut right = written;
            right["metadata"]["annotations"] = annotations.clone();
            let admitted = setting.create(&object, &right);
            assert!(admitted.is_ok(), "{} as it is decided: {admitted:?}", object.name);
        }
    });
}
