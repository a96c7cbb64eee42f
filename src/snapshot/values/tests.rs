use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::state::Op;

fn tree(document: &Json) -> Tree {
    let mut tree = Tree::default();
    tree.write(Op::Put, &[], document).unwrap();
    tree
}

fn reads(paths: &[&[&str]]) -> Reads {
    let paths: Vec<Vec<String>> = paths.iter().map(|path| path.iter().map(|n| (*n).to_owned()).collect()).collect();
    Reads::new(&paths)
}

fn object(v: u8) -> Json {
    json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}, "v": v})
}

#[test]
fn only_what_is_read_is_built() {
    let document = json!({
        "kubernetes": {"clusters": {"c": object(1), "d": object(2)}, "pods": {"ns": {"p": object(3)}}},
        "limits": {"eu": 1},
    });
    let cases: [(&[&[&str]], Json); 5] = [
        (&[], json!({})),
        (&[&["kubernetes", "clusters"]], json!({"kubernetes": {"clusters": document["kubernetes"]["clusters"]}})),
        // A field of an object brings the whole object.
        (&[&["kubernetes", "clusters", "c", "v"], &["nope"]], json!({"kubernetes": {"clusters": {"c": object(1)}}})),
        (
            &[&["limits", "eu", "deeper"], &["kubernetes", "pods"]],
            json!({"limits": {"eu": 1}, "kubernetes": {"pods": {"ns": {"p": object(3)}}}}),
        ),
        (&[&[]], document.clone()),
    ];
    for (paths, expected) in cases {
        let value = build(&reads(paths), &tree(&document), None).unwrap();
        assert_eq!(value.document(usize::MAX).and_then(|document| document.to_json().ok()), Some(expected), "{paths:?}");
    }
}

fn document() -> impl Strategy<Value = Json> {
    let objects = || prop::collection::btree_map("[a-d]", (0..3u8).prop_map(object), 0..4);
    let spaces = prop::collection::btree_map("[a-c]", objects(), 0..3);
    (objects(), spaces, 0..3u8)
        .prop_map(|(clusters, pods, eu)| json!({"kubernetes": {"clusters": clusters, "pods": pods}, "limits": {"eu": eu}}))
}

fn paths() -> impl Strategy<Value = Reads> {
    let all: [&[&str]; 7] = [
        &[],
        &["kubernetes"],
        &["kubernetes", "clusters"],
        &["kubernetes", "pods", "a"],
        &["kubernetes", "clusters", "b", "v"],
        &["limits"],
        &["limits", "eu"],
    ];
    prop::collection::vec(prop::sample::select(all.to_vec()), 0..4).prop_map(|paths| reads(&paths))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn built_from_an_older_one_it_is_the_same(steps in prop::collection::vec((document(), paths()), 1..6)) {
        let mut state = Tree::default();
        let mut last: Option<(Reads, Tree, Value)> = None;
        for (document, reads) in steps {
            state.write(Op::Put, &[], &document).unwrap();
            let older = last.as_ref().map(|(reads, tree, value)| Older { reads, tree, value });
            let value = build(&reads, &state, older).unwrap();
            prop_assert_eq!(&value, &build(&reads, &state, None).unwrap());
            if let Some((read, tree, old)) = &last && *read == reads {
                prop_assert_eq!(reads.agree(tree, &state), *old == value);
            }
            let part = reads.part(&state);
            prop_assert!(reads.agree(&part, &state));
            last = Some((reads, part, value));
        }
    }
}
