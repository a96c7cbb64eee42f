//! Writing, writing again, and taking back.

use std::collections::BTreeSet;

use plimsoll_contract::annotations::Applied;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::decision::normal_form::undo::sum_of;

type Annotations = BTreeMap<String, String>;

fn allowed() -> BTreeSet<String> {
    ["a", "b", "c"].map(Into::into).into()
}

fn form(annotations: &Annotations) -> NormalForm {
    let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "annotations": annotations}});
    NormalForm::of(&object, None, &allowed(), &BTreeMap::new()).unwrap()
}

/// Writes with the record that stands, if it is of the same keys, as a sweep does.
fn write(form: &NormalForm, desired: &Patch, policy: &str) -> Patch {
    let wanted = Wanted::of(desired.clone()).unwrap();
    let keys = entries(form, &wanted);
    let stands = form.written.record.as_ref().is_some_and(|record| record.keys == keys);
    let record = match form.current.get(APPLIED) {
        _ if keys.is_empty() => None,
        Some(text) if stands => Some(text.clone()),
        _ => Some(Applied { policy: policy.into(), keys, ..Applied::default() }.encode()),
    };
    super::write(form, &wanted, record.as_deref())
}

fn patched(annotations: &Annotations, patch: &Patch) -> Annotations {
    let mut annotations = annotations.clone();
    for (key, value) in patch {
        match value {
            Some(value) => annotations.insert(key.clone(), value.clone()),
            None => annotations.remove(key),
        };
    }
    annotations
}

fn map(pairs: &[(&str, &str)]) -> Annotations {
    pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
}

fn desired(pairs: &[(&str, Option<&str>)]) -> Patch {
    pairs.iter().map(|(key, value)| ((*key).into(), value.map(Into::into))).collect()
}

fn placed(annotations: &Annotations, pairs: &[(&str, Option<&str>)]) -> Annotations {
    patched(annotations, &write(&form(annotations), &desired(pairs), "p"))
}

#[test]
fn t17_a_key_that_policy_no_longer_returns_goes_and_its_original_comes_back() {
    let mine = map(&[("a", "mine"), ("z", "untouched")]);
    let written = placed(&mine, &[("a", Some("ours")), ("b", Some("new"))]);
    assert_eq!((written["a"].as_str(), written["b"].as_str()), ("ours", "new"));
    let narrowed = placed(&written, &[("b", Some("new"))]);
    assert_eq!((narrowed["a"].as_str(), narrowed["b"].as_str()), ("mine", "new"));
    assert_eq!(placed(&narrowed, &[("c", None)]), mine, "nothing of ours is left");
    assert_eq!(patched(&written, &release(&form(&written))), mine);
}

#[test]
fn t17_what_policy_removed_comes_back_too() {
    let mine = map(&[("a", "mine")]);
    let written = placed(&mine, &[("a", None)]);
    assert!(!written.contains_key("a") && written.contains_key(APPLIED));
    assert_eq!(patched(&written, &release(&form(&written))), mine);
    let mut again = written;
    again.insert("a".into(), "mine".into());
    assert!(!placed(&again, &[("a", None)]).contains_key("a"), "put back by the developer, removed by policy");
}

#[test]
fn t04_a_second_pass_writes_nothing() {
    let written = placed(&map(&[("a", "mine")]), &[("a", Some("ours")), ("b", None)]);
    assert!(write(&form(&written), &desired(&[("a", Some("ours")), ("b", None)]), "p").is_empty());
}

#[test]
fn a_new_policy_digest_alone_rewrites_nothing() {
    let wanted = desired(&[("a", Some("ours"))]);
    let written = placed(&map(&[]), &[("a", Some("ours"))]);
    assert!(write(&form(&written), &wanted, "another policy set").is_empty());
}

#[test]
fn policy_that_agrees_with_the_developer_writes_nothing() {
    let mine = map(&[("a", "same")]);
    assert!(write(&form(&mine), &desired(&[("a", Some("same")), ("b", None)]), "p").is_empty());
}

#[test]
fn keys_of_a_forged_record_are_cleaned_when_we_write_and_left_alone_when_we_do_not() {
    let forged = r#"{"policy":"p","keys":{"other":{"was":"evil","sum":""}}}"#;
    let mine = map(&[(APPLIED, forged)]);
    assert!(release(&form(&mine)).is_empty());
    let written = placed(&mine, &[("a", Some("ours"))]);
    assert!(!written.contains_key("other") && !written[APPLIED].contains("other"));
    assert!(write(&form(&written), &desired(&[("a", Some("ours"))]), "p").is_empty());
}

fn values() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["1", "2", "3"]).prop_map(Into::into)
}

fn annotations() -> impl Strategy<Value = Annotations> {
    prop::collection::btree_map(prop::sample::select(vec!["a", "b", "z"]).prop_map(String::from), values(), 0..4)
}

fn wishes() -> impl Strategy<Value = Patch> {
    let keys = prop::sample::select(vec!["a", "b", "c"]).prop_map(String::from);
    prop::collection::btree_map(keys, prop::option::of(values()), 0..4)
}

proptest! {
    /// Whatever was decided before, the last decision alone shows; nothing is written twice; all can be taken back.
    #[test]
    fn t05_decisions_widen_again(mine in annotations(), wishes in prop::collection::vec(wishes(), 1..5)) {
        let mut now = mine.clone();
        for wish in &wishes {
            prop_assert_eq!(&form(&now).intent, &mine);
            now = patched(&now, &write(&form(&now), wish, "p"));
            prop_assert!(write(&form(&now), wish, "q").is_empty());
            let direct = patched(&mine, &write(&form(&mine), wish, "p"));
            prop_assert_eq!(&now, &direct);
        }
        prop_assert_eq!(&patched(&now, &release(&form(&now))), &mine);
        prop_assert!(release(&form(&mine)).is_empty());
    }

    /// A record that a user made up changes no annotation that policy may not write.
    #[test]
    fn forged_records_stay_within_the_allowed_keys(mine in annotations(), forged in annotations(), wish in wishes()) {
        let keys = forged.iter().map(|(key, was)| (key.clone(), AppliedKey { was: Some(was.clone()), sum: sum_of(mine.get(key).map(String::as_str)) }));
        let mut now = mine.clone();
        now.insert(APPLIED.into(), Applied { policy: "p".into(), keys: keys.collect(), ..Applied::default() }.encode());
        for patch in [write(&form(&now), &wish, "p"), release(&form(&now))] {
            prop_assert!(patch.keys().all(|key| key == APPLIED || allowed().contains(key)), "{patch:?}");
        }
    }
}
