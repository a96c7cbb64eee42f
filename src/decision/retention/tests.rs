//! What becomes of placements without an opinion, and by which evidence.

use plimsoll_contract::annotations::digest;
use serde_json::json;

use super::*;
use crate::decision::testing::{allowed, entry};

const KEYS: &str = "0123456789abcdef0123456789abcdef";

fn record() -> Applied {
    let keys = ["a", "b"].map(|key| (key.to_owned(), entry(None, "ours"))).into();
    Applied { kind: "X".into(), mac: None, policy: "p1".into(), keys, fleet: None }
}

fn form(b: &str, record: &Applied) -> NormalForm {
    let annotations = json!({"a": "ours", "b": b, APPLIED: record.encode()});
    let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "annotations": annotations}});
    NormalForm::of(&object, None, &allowed(&["a", "b"]), &BTreeMap::new()).unwrap()
}

/// An object on which policy set `p1` wrote `a` and `b`, of which somebody may have changed `b` since.
fn written(changed: bool) -> NormalForm {
    form(if changed { "theirs" } else { "ours" }, &record())
}

fn memory(policy: &str, intent: &str) -> Option<Last> {
    Some(Last { policy: policy.into(), intent: intent.into(), keys: Arc::new(record().keys), written: true, repeats: false })
}

fn retention(form: &NormalForm, memory: Option<&Last>, policy: &str, keys: Option<&RecordKeys>) -> Found {
    stays(&evidence(memory, policy, keys), form)
}

fn evidence<'a>(memory: Option<&'a Last>, policy: &'a str, keys: Option<&'a RecordKeys>) -> Evidence<'a> {
    Evidence { memory, keys, policy, on_no_opinion: OnNoOpinion::Keep, is_new: false }
}

/// In a word.
fn stays(evidence: &Evidence<'_>, form: &NormalForm) -> Found {
    match evidence.retention(form, form.digest()) {
        Retention::Release => Found::Release,
        Retention::Stay(Stay { waits: true, policy, proven }) => {
            assert_ne!(policy, evidence.policy);
            if proven { Found::Waits } else { Found::WaitsUnproven }
        }
        Retention::Stay(Stay { proven, .. }) => {
            if proven {
                Found::Keep
            } else {
                Found::Unproven
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Release,
    Keep,
    Unproven,
    Waits,
    WaitsUnproven,
}

#[test]
fn only_a_change_of_policy_or_intent_lets_go_and_only_what_was_decided_is_kept() {
    let form = written(false);
    let other = memory("p1", form.digest()).map(|last| Last { keys: Arc::default(), ..last });
    let cases = [
        ("only state changed", memory("p1", form.digest()), "p1", Found::Keep),
        ("policy changed", memory("p1", form.digest()), "p2", Found::Release),
        ("admission placed under the new policy", memory("p0", form.digest()), "p1", Found::Unproven),
        ("intent changed", memory("p1", "another"), "p1", Found::Release),
        ("after a restart, same policy", None, "p1", Found::Unproven),
        ("after a restart, new policy", None, "p2", Found::Release),
        ("the memory is of another placement", other, "p1", Found::Unproven),
    ];
    for (name, memory, policy, expected) in cases {
        assert_eq!(retention(&form, memory.as_ref(), policy, None), expected, "{name}");
    }
    let releases = Evidence { on_no_opinion: OnNoOpinion::Release, ..evidence(None, "p1", None) };
    assert_eq!(releases.retention(&form, form.digest()), Retention::Release);
}

#[test]
fn letting_go_waits_while_another_policy_set_is_new_and_for_nothing_else() {
    let (form, keys) = (written(false), RecordKeys::parse(KEYS.as_bytes()).unwrap());
    let signed = self::form("ours", &Applied { mac: keys.sign(&record(), &form), ..record() });
    let memory = |intent: &str| memory("p1", intent);
    let (keep, release) = (OnNoOpinion::Keep, OnNoOpinion::Release);
    let cases = [
        ("policy changed", keep, &form, memory(form.digest()), "p2", Found::Waits),
        ("policy changed, and the kind says so", release, &form, memory(form.digest()), "p2", Found::Waits),
        ("policy and intent changed", keep, &form, memory("another"), "p2", Found::Waits),
        ("after a restart, signed", keep, &signed, None, "p2", Found::Waits),
        ("after a restart, not signed", keep, &form, None, "p2", Found::WaitsUnproven),
        ("only state changed", keep, &form, memory(form.digest()), "p1", Found::Keep),
        ("only state changed, and the kind says so", release, &form, memory(form.digest()), "p1", Found::Release),
        ("intent changed", keep, &form, memory("another"), "p1", Found::Release),
        ("intent changed, and the kind says so", release, &form, memory("another"), "p1", Found::Release),
        ("unproven as ever", keep, &form, None, "p1", Found::Unproven),
    ];
    for (name, on_no_opinion, form, memory, policy, expected) in cases {
        let new = Evidence { on_no_opinion, is_new: true, ..evidence(memory.as_ref(), policy, Some(&keys)) };
        assert_eq!(stays(&new, form), expected, "{name}");
        let old = Evidence { is_new: false, ..new };
        let expected = if expected == Found::Waits || expected == Found::WaitsUnproven { Found::Release } else { expected };
        assert_eq!(stays(&old, form), expected, "{name}, some time ago");
    }
}

#[test]
fn after_a_restart_a_mac_shows_what_was_decided() {
    let keys = RecordKeys::parse(KEYS.as_bytes()).unwrap();
    let mac = keys.sign(&record(), &written(false));
    let signed = form("ours", &Applied { mac, ..record() });
    assert_eq!(retention(&signed, None, "p1", Some(&keys)), Found::Keep);
    assert_eq!(retention(&signed, None, "p1", None), Found::Unproven);
    let other = RecordKeys::parse(KEYS.to_uppercase().as_bytes()).unwrap();
    assert_eq!(retention(&signed, None, "p1", Some(&other)), Found::Unproven);
}

#[test]
fn a_mac_shows_that_admission_decided_after_what_is_remembered() {
    let keys = RecordKeys::parse(KEYS.as_bytes()).unwrap();
    let mac = keys.sign(&record(), &written(false));
    let signed = form("ours", &Applied { mac, ..record() });
    let last = memory("p1", "an earlier intent");
    assert_eq!(retention(&signed, last.as_ref(), "p1", Some(&keys)), Found::Keep);
    assert_eq!(retention(&written(false), last.as_ref(), "p1", Some(&keys)), Found::Release);
    assert_eq!(retention(&signed, last.as_ref(), "p2", Some(&keys)), Found::Release, "policy changed since");
}

#[test]
fn memory_or_a_mac_prove_what_was_decided_whatever_changed_since() {
    let (form, keys) = (written(false), RecordKeys::parse(KEYS.as_bytes()).unwrap());
    let signed = self::form("ours", &Applied { mac: keys.sign(&record(), &form), ..record() });
    let is_proven = |form: &NormalForm, memory: Option<Last>, keys: Option<&RecordKeys>| {
        evidence(memory.as_ref(), "p2", keys).is_proven(form)
    };
    assert!(is_proven(&form, memory("p1", "another"), None));
    assert!(is_proven(&signed, None, Some(&keys)));
    assert!(!is_proven(&form, None, Some(&keys)) && !is_proven(&signed, None, None));
}

#[test]
fn after_a_restart_a_changed_key_tells_that_intent_changed() {
    assert_eq!(retention(&written(true), None, "p1", None), Found::Release);
}

#[test]
fn what_is_kept_is_what_the_stored_object_has() {
    let stored = written(false);
    let intent = BTreeMap::from([("mine".to_owned(), "1".to_owned())]);
    let kept = kept(&intent, &stored, Some("record".into()));
    assert_eq!((kept["a"].as_str(), kept["mine"].as_str(), kept[APPLIED].as_str()), ("ours", "1", "record"));
    assert_eq!(digest(&kept["b"]), record().keys["b"].sum);
}

#[test]
fn what_is_let_go_is_remembered_until_it_is_gone() {
    let form = written(false);
    let last = memory("p1", form.digest());
    let after = remembered(&form, last.as_ref(), Last::default());
    assert!(after.written && *after.policy == *"p1" && !after.keys.is_empty());
    let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}});
    let bare = NormalForm::of(&object, None, &allowed(&["a"]), &BTreeMap::new()).unwrap();
    assert!(remembered(&bare, Some(&after), Last::default()).keys.is_empty());
}

/// A digest repeats if the next form, of the same object, finds it.
#[test]
fn an_intent_repeats_where_what_is_known_of_our_writing_changes_nothing() {
    let keys = allowed(&["a", "b"]);
    let entry = |key: &str, was: &str, sum: &str| (key.to_owned(), AppliedKey { was: Some(was.into()), sum: sum.into() });
    let x = digest("x");
    let some: [BTreeMap<String, AppliedKey>; 7] = [
        [].into(),
        [entry("a", "1", &x)].into(),
        [entry("a", "2", &x)].into(),
        [entry("a", "1", "")].into(),
        [entry("b", "1", &x)].into(),
        [entry("a", "1", &x), entry("b", "1", &x)].into(),
        [entry("a", "1", &x), entry("unasked", "1", &x)].into(),
    ];
    let (mut repeating, mut all) = (0, 0);
    for (recorded, before, now) in threes(&some) {
        for (value, memory, is_recorded) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 1, 1), (2, 0, 0)] {
            let mut annotations = json!({"b": "x", "unasked": "x"});
            if let Some(value) = [Some("x"), Some("y"), None][value] {
                annotations["a"] = json!(value);
            }
            if is_recorded > 0 {
                annotations[APPLIED] = json!(Applied { keys: recorded.clone(), ..record() }.encode());
            }
            let object = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n", "annotations": annotations}});
            let last = |keys: &BTreeMap<_, _>, written| Last { keys: Arc::new(keys.clone()), written, ..Last::default() };
            let memory = [None, Some(last(before, true)), Some(last(before, false))][memory].clone();
            let form = NormalForm::of(&object, None, &keys, &seen_with(memory.as_ref())).unwrap();
            for written in [true, false] {
                let last = last(now, written).after(memory.as_ref(), &form, &keys);
                let next = NormalForm::of(&object, None, &keys, &seen_with(Some(&last))).unwrap();
                let is_found_again = form.digest() == next.digest();
                assert!(!last.repeats || is_found_again, "{annotations} {memory:?} {last:?}");
                repeating += usize::from(last.repeats);
                all += usize::from(is_found_again);
            }
        }
    }
    assert!(repeating * 3 > all, "{repeating} of {all}");
}

/// Every three of some.
fn threes<T>(some: &[T]) -> impl Iterator<Item = (&T, &T, &T)> {
    some.iter().flat_map(move |one| some.iter().flat_map(move |two| some.iter().map(move |three| (one, two, three))))
}
