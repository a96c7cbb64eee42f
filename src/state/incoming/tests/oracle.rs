//! The tree of all of a text taken apart, and texts to try.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::state::leaf::{LEAF_DEPTH, Leaf, is_object};
use crate::state::tree::{Members, Node};

/// A value as a node at a depth.
pub(super) fn node(value: &Json, depth: usize) -> Node {
    if let Json::Object(members) = value {
        let members: Members = members.iter().map(|(name, value)| (Arc::from(name.as_str()), node(value, depth + 1))).collect();
        if depth < LEAF_DEPTH && !is_object(&members) {
            return Node::Branch(members);
        }
    }
    Node::Leaf(Arc::new(Leaf::new(value)))
}

/// Any document.
pub(super) fn json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "[a-c\"\\\\\n\u{1}é😀/]{0,4}".prop_map(Json::from),
    ];
    scalar.prop_recursive(7, 60, 5, |inner| {
        let object = inner.clone();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(name(), inner.clone(), 0..5).prop_map(|members| members.into_iter().collect::<Json>()),
            object.prop_map(|inner| json!({"apiVersion": "v1", "kind": "Pod", "metadata": inner.clone(), "spec": {"a": inner}})),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]", "[a-c\"\\\\\n\u{1}é😀/!#]{0,3}", Just("kind".to_owned()), Just("metadata".to_owned())]
}

/// The text of a document: names in any order and more than once, odd numbers, escapes, spaces.
pub(super) fn text() -> impl Strategy<Value = String> {
    (json(), any::<u64>()).prop_map(|(value, seed)| {
        let (mut out, mut seed) = (String::new(), seed);
        write(&value, &mut seed, &mut out);
        out
    })
}

fn next(seed: &mut u64, of: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % of
}

fn write(value: &Json, seed: &mut u64, out: &mut String) {
    let space = |seed: &mut u64| ["", "", "", " ", "\n", "\t"][next(seed, 6) as usize];
    *out += space(seed);
    match value {
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            (1..members.len()).for_each(|at| members.swap(at, next(seed, at as u64 + 1) as usize));
            let twice = members.first().copied().filter(|_| next(seed, 3) == 0);
            let members = twice.map(|(name, _)| (name, &Json::Null)).into_iter().chain(members).collect::<Vec<_>>();
            *out += "{";
            for (at, (name, value)) in members.into_iter().enumerate() {
                *out += if at > 0 { "," } else { "" };
                *out += &quoted(name, seed);
                *out += ":";
                write(value, seed, out);
            }
            *out += "}";
        }
        Json::Array(elements) => {
            *out += "[";
            for (at, element) in elements.iter().enumerate() {
                *out += if at > 0 { "," } else { "" };
                write(element, seed, out);
            }
            *out += "]";
        }
        Json::String(text) => *out += &quoted(text, seed),
        Json::Number(_) if next(seed, 4) == 0 => {
            *out += ["-0", "1E2", "0.10", "1e-7", "12345678901234567890123"][next(seed, 5) as usize]
        }
        scalar => *out += &scalar.to_string(),
    }
    *out += space(seed);
}

/// With escapes where none are needed.
fn quoted(text: &str, seed: &mut u64) -> String {
    match next(seed, 3) {
        0 => format!("\"{}\"", text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>()),
        _ => Json::from(text).to_string(),
    }
}
