//! What is decided of an object that was skimmed is what is decided of all of it.

use plimsoll_contract::annotations::{APPLIED, Applied, REPLICA_SET_PREFERENCES as KEY};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::Declare;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::json;

use super::*;
use crate::decision::testing::{Fixed, entry, row};
use crate::decision::{Classes, Decision, Previous, Sight, Subject, Writer, decide, decide_seen};
use crate::rego::Module;
use crate::snapshot::{Store, StoreOptions};
use crate::state::exact;

/// Rules that read in every way that there is, and show what they read.
const RULES: [&str; 14] = [
    "warnings contains sprintf(\"%v\", [input.spec.a])",
    "warnings contains sprintf(\"%v\", [input.spec.a.b])",
    "warnings contains sprintf(\"%v\", [input.spec.list[_].a])",
    "warnings contains sprintf(\"%v\", [input.spec.list[0]])",
    "warnings contains sprintf(\"%v\", [input.spec.list[1].b])",
    "warnings contains sprintf(\"%v\", [input.spec[input.metadata.name].b])",
    "warnings contains sprintf(\"%v\", [object.keys(input.spec)])",
    "warnings contains sprintf(\"%d\", [count(input.spec.list)])",
    "warnings contains \"array\" if is_array(input.spec.list)",
    "warnings contains \"text\" if input.spec.b == \"x\"",
    "warnings contains \"none\" if not input.status.a",
    "warnings contains sprintf(\"%v\", [input.metadata])",
    "warnings contains \"equal\" if input.spec.a == input.spec.b",
    "warnings contains sprintf(\"%v\", [object.keys(input)])",
];

struct World {
    store: Store,
    kept: Config,
    fresh: Config,
}

impl World {
    fn new(rules: &[&str], kind: Option<Kind>) -> Self {
        let store = Store::new(StoreOptions::default()).unwrap();
        if let Some(kind) = kind {
            let session = store.declare("test", Declare { kinds: vec![kind], ..Declare::default() }).unwrap().session;
            let header = json!({"session": session, "kind": "apps/v1/replicasets", "mode": "replace"});
            store.sync("test", format!("{header}\n").as_bytes()).unwrap();
        }
        let placed = "annotations[\"federation.kubernetes.io/replica-set-preferences\"] := {\"clusters\": {}} if input.spec.a";
        let text = format!("package kubernetes.placement\n\n{placed}\n\n{}\n", rules.join("\n\n"));
        store.put_policies("files", vec![Module { key: "p.rego".into(), text }]).unwrap();
        let config = |bytes| Config { classes: Classes::new(bytes), ..Config::default() };
        Self { store, kept: config(1 << 20), fresh: config(0) }
    }

    fn skim(&self, text: &[u8]) -> Option<Json> {
        skim(text, &self.store.load().basis(&self.kept.placement_path))
    }

    /// Decides about all of an object, so that its class is kept, and about what is skimmed. Returns whether anything is.
    fn both(&self, text: &[u8]) -> bool {
        let Some(part) = self.skim(text) else { return false };
        let whole: Json = serde_json::from_slice(text).expect("what is skimmed can be read");
        assert_eq!(exact::check(text), Ok(()));
        let snapshot = self.store.load();
        let subject = |object| Subject { object, kind: None, way: Way::Create, writer: Writer::Unknown, last: None };
        let seen = || decide_seen(&snapshot, subject(&part), &self.kept, &Sight::default(), usize::MAX);
        let fresh = decide(&snapshot, subject(&whole), &self.fresh);
        for seen in [seen(), {
            decide(&snapshot, subject(&whole), &self.kept);
            seen()
        }]
        .into_iter()
        .flatten()
        {
            assert_eq!(Decision { cached: false, ..seen.clone() }, fresh, "{part} of {whole}");
            let shown = |decision: &Decision| serde_json::to_string(&decision.shown()).unwrap();
            assert_eq!(shown(&seen), shown(&fresh));
        }
        assert!(seen().is_some() || fresh.class.is_none(), "it has the class of the whole: {part} of {whole}");
        true
    }
}

fn text(object: &Json) -> Vec<u8> {
    object.to_string().into_bytes()
}

fn placed(spec: &Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a", "namespace": "shop"}, "spec": spec})
}

#[test]
fn no_more_is_kept_than_decides() {
    let world = World::new(&["x := input.spec.list[1].b", "y := object.keys(input.spec.c)", "z if is_array(input.spec.d)"], None);
    let mut object = placed(&json!({"list": [{"a": 1}, {"b": [2], "c": 3}], "c": {"k": [1]}, "d": [1], "e": 1}));
    object["metadata"]["managedFields"] = json!([{"manager": "m"}]);
    object["metadata"]["labels"] = json!({"l": "1"});
    object["status"] = json!({"x": 1});
    let kept = json!({"list": [{}, {"b": [2]}], "c": {"k": []}, "d": []});
    let mut expected = placed(&kept);
    expected["metadata"]["labels"] = json!({"l": "1"});
    assert_eq!(world.skim(&text(&object)), Some(expected));
}

#[test]
fn what_may_be_read_otherwise_is_read_as_a_whole() {
    let world = World::new(&[], None);
    let base = placed(&json!({"a": 1, "other": "HERE"})).to_string();
    assert!(world.both(base.as_bytes()));
    let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let others =
        ["1.0", "0.5", "1e2", "-0", "18446744073709551615", "18446744073709551616", "1e999", "01", "nul", "\"\\ud800\"", &deep];
    let names = [
        "{\"$serde_json::private::Number\": \"1\"}",
        "{\"$serde_json::private::RawValue\": \"1\"}",
        "\"\\u0024serde_json::private::Number\"",
    ];
    for other in others.into_iter().chain(names) {
        assert_eq!(world.skim(base.replace("\"HERE\"", other).as_bytes()), None, "{other}");
    }
    for text in ["", "[]", "1", "{", &format!("{base} x"), "{\"a\": \"\u{1}\"}"] {
        assert_eq!(world.skim(text.as_bytes()), None, "{text}");
    }
    let spoilt: Vec<u8> = base.bytes().map(|byte| if byte == b'H' { 0xff } else { byte }).collect();
    assert_eq!(world.skim(&spoilt), None);
    assert_eq!(World::new(&["x := json.marshal(input)"], None).skim(base.as_bytes()), None);
}

#[test]
fn signed_records_and_stored_objects_need_all() {
    let stored = Previous::read(b"{}").unwrap();
    let signing = Config { record_keys: Some(std::sync::Arc::new(Fixed::of("k"))), ..Config::default() };
    let table = [
        (Way::Create, Config::default(), true),
        (Way::Create, signing, false),
        (Way::Update(&stored), Config::default(), false),
        (Way::Stored, Config::default(), false),
    ];
    for (way, config, expected) in table {
        assert_eq!(suffices(way, &config), expected, "{way:?}");
    }
}

fn value() -> impl Strategy<Value = Json> {
    let text = select(vec!["x", "", "a", "ü\n\u{1f6a2}"]).prop_map(Json::from);
    let leaf = prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), (-2_i64..3).prop_map(Json::from), text];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = select(vec!["a", "b", "list", "0"]);
        let members = prop::collection::btree_map(names, inner.clone(), 0..4);
        let object = members.prop_map(|members| {
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>().into()
        });
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Json::from), object]
    })
}

/// Objects of which much is as it may be: with records, owners and what an API server writes.
fn object() -> impl Strategy<Value = Json> {
    let keys = [(KEY.to_owned(), entry(None, "{}"))].into();
    let record = Applied { kind: "ReplicaSet".into(), keys, ..Applied::default() }.encode();
    let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "o", "uid": "o", "controller": true});
    let more = vec![
        ("annotations", json!({KEY: "{}", APPLIED: record})),
        ("annotations", json!({KEY: "{\"clusters\":{}}", "other": ""})),
        ("annotations", json!({APPLIED: "no record"})),
        ("annotations", json!({"a": 1})),
        ("labels", json!({})),
        ("ownerReferences", json!([owner])),
        ("managedFields", json!([{"manager": "m"}])),
        ("namespace", "kube-system".into()),
        ("uid", "u".into()),
    ];
    let all = more.len();
    (select(vec!["a", "b", "list"]), subsequence(more, 0..all), value(), value(), any::<bool>()).prop_map(
        |(name, more, spec, status, typed)| {
            let mut object =
                json!({"metadata": {"name": name, "namespace": "shop"}, "spec": spec, "status": status, "kind": "ReplicaSet"});
            object["apiVersion"] = if typed { "apps/v1" } else { "" }.into();
            more.into_iter().for_each(|(field, value)| object["metadata"][field] = value);
            object
        },
    )
}

/// What may be put into a text, or take the place of some of it.
fn change() -> impl Strategy<Value = (Index, usize, &'static str)> {
    let pieces = vec![
        "",
        "1.0",
        "1e2",
        "-0",
        "7",
        "18446744073709551616",
        "\"a\":",
        "\"a\":1,",
        "\"a\":{\"b\":2},",
        "\"list\":[],",
        "\"\\u0061\":null,",
        "\"spec\":{},",
        "\"metadata\":{},",
        "\"\\ud800\"",
        "\"$serde_json::private::Number\":\"1\",",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"",
        "\\",
        " ",
        "null",
        "\"x\"",
        "\u{1}",
    ];
    (any::<Index>(), 0_usize..4, select(pieces))
}

fn kind() -> impl Strategy<Value = Option<Kind>> {
    let pointers = vec!["/spec/list/0", "/spec/list/*/a", "/spec/a", "/spec/*/b", "/spec/list/*", "/status/a"];
    let declared = (subsequence(pointers, 0..3), any::<bool>()).prop_map(|(prune, keep_status)| {
        row("apps/v1/replicasets", "ReplicaSet", |kind| {
            kind.prune = prune.into_iter().map(str::to_owned).collect();
            (kind.place, kind.keep_status) = (true, keep_status);
        })
    });
    prop::option::of(declared)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_skimmed_decides_as_the_whole(
        rules in subsequence(RULES.to_vec(), 0..4),
        kind in kind(),
        texts in prop::collection::vec((object(), prop::collection::vec(change(), 0..3)), 1..24),
    ) {
        let world = World::new(&rules, kind);
        for (object, changes) in texts {
            prop_assert!(world.both(&text(&object)));
            let mut text = text(&object);
            for (at, gone, piece) in changes {
                let at = at.index(text.len() + 1);
                text.splice(at..(at + gone).min(text.len()), piece.bytes());
            }
            world.both(&text);
        }
    }
}
