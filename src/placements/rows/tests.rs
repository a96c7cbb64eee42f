//! What rows and their readers see of verdicts.

use std::collections::BTreeMap;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::moves::{Cause, Move};
use plimsoll_contract::outcome::Outcome;

use super::*;

pub(in crate::placements) fn gvr() -> Gvr {
    Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap()
}

pub(in crate::placements) fn key(name: &str) -> Key {
    Key { gvr: Arc::new(gvr()), namespace: "shop".into(), name: name.into() }
}

pub(in crate::placements) fn row(name: &str) -> Placement {
    Placement {
        gvr: gvr().into(),
        kind: "ReplicaSet".into(),
        namespace: "shop".into(),
        name: name.into(),
        uid: format!("uid-{name}"),
        resource_version: "1".into(),
        seen: None,
        outcome: Outcome::Place,
        mode: Mode::Auto,
        hold: false,
        kept: false,
        unproven: false,
        letting_go: false,
        patch: Arc::default(),
        stands: String::new(),
        moves: None,
        clusters: Arc::new(vec!["east".into()]),
        rejected: Arc::default(),
        warnings: Vec::new(),
        revision: 1,
    }
}

pub(in crate::placements) fn verdict(row: Placement) -> Verdict {
    let last = Last { policy: "p".into(), intent: "i".into(), ..Last::default() };
    Verdict::Row { row: Box::new(row), last: Some(last), said: None, course: Course::default() }
}

fn rows() -> Rows {
    Rows::new(Log::new(0, 4))
}

fn moved() -> Move {
    Move { from: Vec::new(), cause: Cause::First, urgent: false }
}

#[test]
fn keys_are_in_the_order_of_their_texts_whatever_they_share() {
    let gvr = |text: &str| Gvr::try_from(text.to_owned()).unwrap();
    let mut rows = rows();
    for kind in ["apps/v1/deployments", "apps/v1/replicasets", "v1/pods"] {
        for (namespace, name) in [("a", "z"), ("b", "a"), ("", "c"), ("b", "b")] {
            let key = Key { name: name.into(), ..rows.shared(&gvr(kind), namespace) };
            rows.apply(key, Verdict::Unplaced { uid: format!("{kind} {namespace} {name}").into(), orphaned: None });
        }
    }
    let texts = |key: &Key| (Gvr::clone(&key.gvr), key.namespace.to_string(), key.name.to_string());
    let found: Vec<_> = rows.keys().map(texts).collect();
    let mut expected = found.clone();
    expected.sort();
    assert_eq!((found.len(), &found), (12, &expected));
    let [one, other] = [rows.shared(&gvr("v1/pods"), "b"), rows.shared(&gvr("v1/pods"), "b")];
    assert!(Arc::ptr_eq(&one.gvr, &other.gvr) && Arc::ptr_eq(&one.namespace, &other.namespace));
    let [one, other] = [rows.shared(&gvr("v1/pods"), "aa"), rows.shared(&gvr("v1/none"), "b")];
    assert_eq!((&*one.namespace, &*other.namespace, one.gvr == other.gvr), ("aa", "b", false));
}

#[test]
fn only_what_a_reader_would_miss_is_an_event() {
    let patch = Arc::new(BTreeMap::from([("k".to_owned(), Some("v".to_owned()))]));
    let cases = [
        ("the same row at a later revision", Placement { revision: 9, ..row("a") }, false),
        ("a settled object's next version", Placement { resource_version: "2".into(), ..row("a") }, false),
        ("another outcome", Placement { outcome: Outcome::Nowhere, ..row("a") }, true),
        ("something to write", Placement { patch: patch.clone(), ..row("a") }, true),
        ("another object of this name", Placement { uid: "other".into(), ..row("a") }, true),
        ("somebody moved it", Placement { stands: "elsewhere".into(), ..row("a") }, true),
        ("another digest", Placement { seen: Some("s".into()), ..row("a") }, true),
        ("another mode", Placement { mode: Mode::Suggest, ..row("a") }, true),
        ("it is held", Placement { hold: true, ..row("a") }, true),
        ("it is kept", Placement { kept: true, ..row("a") }, true),
        ("nothing shows whose it is", Placement { unproven: true, ..row("a") }, true),
        ("it is let go soon", Placement { letting_go: true, ..row("a") }, true),
        ("other clusters", Placement { clusters: Arc::new(vec!["west".into()]), ..row("a") }, true),
        ("the same clusters", Placement { clusters: Arc::new(vec!["east".into()]), ..row("a") }, false),
        ("another reason", Placement { rejected: Arc::new([("w".into(), "no".into())].into()), ..row("a") }, true),
        ("a warning", Placement { warnings: vec!["w".into()], ..row("a") }, true),
        ("another kind", Placement { kind: "Other".into(), ..row("a") }, true),
        ("it is moved", Placement { moves: Some(Arc::new(moved())), ..row("a") }, true),
    ];
    for (name, next, event) in cases {
        let mut rows = rows();
        assert!(rows.apply(key("a"), verdict(row("a"))));
        assert_eq!(rows.apply(key("a"), verdict(next.clone())), event, "{name}");
        assert_eq!(rows.rows().next().unwrap().1.resource_version, next.resource_version, "{name}");
    }
    let mut rows = rows();
    rows.apply(key("a"), verdict(Placement { patch: patch.clone(), ..row("a") }));
    let newer = Placement { patch, resource_version: "2".into(), ..row("a") };
    assert!(rows.apply(key("a"), verdict(newer)), "a patch is only good for its version");
}

#[test]
fn another_cause_of_the_same_move_is_no_event() {
    let moves = |cause, urgent| Placement {
        patch: Arc::new([("k".to_owned(), Some("v".to_owned()))].into()),
        moves: Some(Arc::new(Move { from: Vec::new(), cause, urgent })),
        ..row("a")
    };
    let mut rows = rows();
    assert!(rows.apply(key("a"), verdict(moves(Cause::First, false))));
    assert!(!rows.apply(key("a"), verdict(moves(Cause::Unknown, false))));
    assert_eq!(rows.rows().next().unwrap().1.moves.as_ref().map(|moves| &moves.cause), Some(&Cause::First));
    assert!(rows.apply(key("a"), verdict(moves(Cause::First, true))), "now it cannot wait");
}

#[test]
fn memory_survives_the_row_and_goes_with_the_object() {
    let mut rows = rows();
    rows.apply(key("a"), verdict(row("a")));
    assert!(rows.apply(key("a"), Verdict::Unplaced { uid: "uid-a".into(), orphaned: None }));
    assert!(rows.last("uid-a").is_some());
    assert_eq!(rows.rows().count(), 0);
    assert!(!rows.apply(key("a"), Verdict::Gone), "it had no row");
    assert!(rows.last("uid-a").is_none());
}

#[test]
fn objects_without_uid_have_no_memory_in_common() {
    let mut rows = rows();
    rows.apply(key("a"), verdict(Placement { uid: String::new(), ..row("a") }));
    assert!(rows.last("").is_none());
    assert!(rows.known(&key("a")).is_some_and(|known| known.last.is_some()));
}

#[test]
fn another_object_of_the_same_name_starts_without_memory() {
    let mut rows = rows();
    rows.apply(key("a"), verdict(row("a")));
    let next = Placement { uid: "other".into(), ..row("a") };
    rows.apply(key("a"), Verdict::Row { row: Box::new(next), last: None, said: None, course: Course::default() });
    assert!(rows.last("uid-a").is_none() && rows.last("other").is_none());
}

#[test]
fn a_decision_that_is_not_remembered_leaves_the_memory() {
    let mut rows = rows();
    rows.apply(key("a"), verdict(row("a")));
    rows.apply(key("a"), Verdict::Row { row: Box::new(row("a")), last: None, said: None, course: Course::default() });
    assert!(rows.last("uid-a").is_some());
}

#[test]
fn counts_follow_the_rows() {
    let mut rows = rows();
    rows.apply(key("a"), verdict(Placement { hold: true, ..row("a") }));
    rows.apply(key("b"), verdict(row("b")));
    assert_eq!((rows.counts.outcomes["place"], rows.counts.held), (2, 1));
    rows.apply(key("a"), verdict(Placement { outcome: Outcome::Nowhere, ..row("a") }));
    rows.apply(key("b"), Verdict::Gone);
    assert_eq!(rows.counts.outcomes, BTreeMap::from([("nowhere", 1), ("place", 0)]));
    assert_eq!(rows.counts.held, 0);
}
