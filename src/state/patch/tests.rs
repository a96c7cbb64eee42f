//! Answers recorded from OPA 1.22.0, and the tree against a plain JSON document under random writes.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::state::pointer;

fn path(text: &str) -> Vec<String> {
    text.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn op(op: &str, path: &str, value: Json) -> PatchOp {
    PatchOp { op: op.into(), path: path.into(), value: Some(value.into()) }
}

fn document(tree: &Tree) -> Json {
    serde_json::from_slice(&tree.json(&[]).unwrap()).unwrap()
}

fn tree(document: &Json) -> Tree {
    let mut tree = Tree::default();
    tree.write(Op::Put, &[], document).unwrap();
    tree
}

#[test]
fn one_operation_does_what_opa_does() {
    let before = json!({"a": 1, "arr": [1, 2], "o": {"a~b": 1, "c/d": 2, "e": {"f": 1}}});
    let cases = [
        ("/arr", op("add", "-", json!(3)), Ok(json!([1, 2, 3]))),
        ("/arr", op("add", "/0", json!(0)), Ok(json!([0, 1, 2]))),
        ("/arr", op("replace", "/01", json!(0)), Ok(json!([1, 0]))),
        ("/arr", op("remove", "/0/", json!(0)), Ok(json!([2]))),
        ("/arr", op("add", "/2", json!(0)), Ok(json!([1, 2, 0]))),
        ("/arr", op("add", "/3", json!(0)), Err("storage_not_found_error: /arr/3: array index out of range")),
        ("/arr", op("replace", "/2", json!(0)), Err("storage_invalid_patch_error: /arr/2: invalid patch path")),
        ("/arr", op("remove", "/2", json!(0)), Err("storage_invalid_patch_error: /arr/2: invalid patch path")),
        ("/arr", op("remove", "/9", json!(0)), Err("storage_not_found_error: /arr/9: array index out of range")),
        ("/arr", op("remove", "-", json!(0)), Err("storage_invalid_patch_error: /arr/-: invalid patch path")),
        ("/arr", op("replace", "-", json!(0)), Err("storage_invalid_patch_error: /arr/-: invalid patch path")),
        ("/arr", op("replace", "/x", json!(0)), Err("storage_not_found_error: /arr/x: array index must be integer")),
        ("/a", op("add", "/x", json!(0)), Err("storage_not_found_error: /a/x: document does not exist")),
        ("/a", op("add", "/x/y/z", json!(0)), Err("storage_not_found_error: /a/x/y/z: document does not exist")),
        ("/nope", op("add", "/z", json!(0)), Err("storage_not_found_error: /nope/z: document does not exist")),
        ("/o", op("remove", "/nope", json!(0)), Err("storage_not_found_error: /o/nope: document does not exist")),
        ("/o", op("replace", "/nope", json!(0)), Err("storage_not_found_error: /o/nope: document does not exist")),
        ("/o", op("remove", "/a~0b", json!(0)), Ok(json!({"c/d": 2, "e": {"f": 1}}))),
        ("/o/c~1d", op("replace", "", json!(0)), Ok(json!(0))),
        ("/o", op("remove", "/c~1d", json!(0)), Ok(json!({"a~b": 1, "e": {"f": 1}}))),
        ("/o", op("remove", "/c%2Fd", json!(0)), Ok(json!({"a~b": 1, "e": {"f": 1}}))),
        ("/o", op("add", "/e/", json!(7)), Ok(json!({"a~b": 1, "c/d": 2, "e": 7}))),
        ("/o", op("add", "", json!([])), Ok(json!([]))),
        ("/o", op("add", "/x%zz", json!(0)), Err("bad patch path: /x%zz")),
        ("/o", op("add", "/x%+1", json!(0)), Err("bad patch path: /x%+1")),
        ("/o", op("move", "/e", json!(0)), Err("bad patch operation: move")),
        ("/o", op("copy", "/e", json!(0)), Err("bad patch operation: copy")),
        ("/o", op("test", "/e", json!(0)), Err("bad patch operation: test")),
        ("", op("remove", "/", json!(0)), Err("storage_invalid_patch_error: root cannot be removed")),
        ("", op("add", "/", json!(3)), Err("storage_invalid_patch_error: root must be object")),
    ];
    for (base, patch, expected) in cases {
        let mut after = tree(&before);
        match (after.patch(&path(base), std::slice::from_ref(&patch)), expected) {
            (Ok(_), Ok(expected)) => {
                assert_eq!(document(&after).pointer(base), Some(&expected), "{patch:?}");
            }
            (Err(error), Err(expected)) => {
                assert_eq!(error.to_string(), expected, "{patch:?}");
                assert_eq!(document(&after), before, "{patch:?}");
            }
            (result, expected) => panic!("{patch:?}: {result:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn all_operations_or_none() {
    let mut after = tree(&json!({"a": {"b": 1}}));
    let ops = [op("add", "/c", json!(2)), op("remove", "/b", Json::Null), op("remove", "/b", Json::Null)];
    assert!(matches!(after.patch(&path("a"), &ops), Err(WriteError::NotFound(_))));
    assert_eq!(document(&after), json!({"a": {"b": 1}}));
    assert_eq!(after.patch(&path("a"), &ops[..2]), Ok(true));
    assert_eq!(document(&after), json!({"a": {"c": 2}}));
}

#[test]
fn a_value_left_out_is_null_and_a_path_left_out_is_the_document() {
    let ops: Vec<PatchOp> = serde_json::from_str(r#"[{"op":"add","path":"/x"},{"op":"add","path":"/y","value":null}]"#).unwrap();
    let mut after = tree(&json!({}));
    after.patch(&[], &ops).unwrap();
    assert_eq!(document(&after), json!({"x": null, "y": null}));
    let whole: PatchOp = serde_json::from_str(r#"{"op":"replace","value":1}"#).unwrap();
    after.patch(&path("x"), &[whole]).unwrap();
    assert_eq!(document(&after), json!({"x": 1, "y": null}));
}

#[test]
fn kube_mgmt_removes_by_full_path_from_the_root() {
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}});
    let mut after = tree(&json!({}));
    after.write(Op::Put, &path("kubernetes/pods"), json!({"ns": {"p": object, "q": object}})).unwrap();
    after.write(Op::Put, &path("kubernetes/pods/other/p"), &object).unwrap();
    after.patch(&[], &[op("remove", "kubernetes/pods/ns/p", Json::Null)]).unwrap();
    assert_eq!(document(&after), json!({"kubernetes": {"pods": {"ns": {"q": object}, "other": {"p": object}}}}));
}

#[derive(Clone, Debug)]
struct Write {
    op: Op,
    path: Vec<String>,
    value: Json,
}

/// The same write on a plain document.
fn reference(document: &mut Json, write: &Write) -> Result<(), WriteError> {
    pointer::apply(document, write.op, &write.path, 0, &write.value)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "0", "1", "-", "kind", "apiVersion", "metadata", ""]).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), (0..3i64).prop_map(Json::from)];
    let object = Just(json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "a"}, "a": [1]}));
    let start = prop_oneof![3 => scalar, 1 => object];
    start.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            2 => prop::collection::btree_map(name(), inner.clone(), 0..4).prop_map(|m| m.into_iter().collect::<Json>()),
            1 => prop::collection::vec(inner, 0..3).prop_map(Json::from),
        ]
    })
}

fn write() -> impl Strategy<Value = Write> {
    let op = prop::sample::select(vec![Op::Put, Op::Put, Op::Add, Op::Replace, Op::Remove]);
    (op, prop::collection::vec(name(), 1..7), value()).prop_map(|(op, path, value)| Write { op, path, value })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_is_a_json_document(writes in prop::collection::vec(write(), 1..25)) {
        let (mut tree, mut model) = (Tree::default(), json!({}));
        for write in &writes {
            let before = tree.clone();
            let shown = document(&tree);
            let result = tree.write(write.op, &write.path, &write.value);
            let mut expected = model.clone();
            match reference(&mut expected, write) {
                Ok(()) => model = expected,
                Err(error) => prop_assert_eq!(result.as_ref().unwrap_err(), &error),
            }
            prop_assert_eq!(&document(&tree), &model);
            // What a snapshot holds never changes, and "changed" means what it says.
            prop_assert_eq!(&document(&before), &shown);
            prop_assert_eq!(result.unwrap_or(false), shown != model);
            let read = tree.json(&write.path).map(|json| serde_json::from_slice::<Json>(&json).unwrap());
            let expected = crate::state::inside(model.clone(), &write.path);
            prop_assert_eq!(read, expected);
        }
        // However it came about, the tree equals the one written at once, and shares it when written again.
        let whole = tree.clone();
        prop_assert!(!tree.write(Op::Put, &[], &model).unwrap());
        prop_assert!(whole.same(&tree));
    }
}
