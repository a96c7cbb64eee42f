use serde_json::json;

use super::*;
use crate::state::PatchOp;

fn path(text: &str) -> Vec<String> {
    text.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn object(i: usize) -> Json {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("p{i}"), "labels": {"i": i}}})
}

/// How many nodes of `new` are not in memory that `old` has.
fn fresh(old: Option<&Node>, new: &Node) -> usize {
    match new {
        _ if old.is_some_and(|old| old.same(new)) => 0,
        Node::Leaf(_) => 1,
        Node::Branch(members) => {
            let old = old.and_then(Node::branch);
            1 + members.iter().map(|(name, new)| fresh(old.and_then(|old| old.get(name)), new)).sum::<usize>()
        }
    }
}

fn fresh_nodes(old: &Tree, new: &Tree) -> usize {
    fresh(Some(&Node::Branch(old.root().clone())), &Node::Branch(new.root().clone()))
}

#[test]
fn objects_of_kubernetes_are_leaves_and_what_holds_them_is_not() {
    let mut tree = Tree::default();
    tree.write(
        Op::Put,
        &[],
        json!({
            "kubernetes": {"clusters": {"c": object(1)}, "pods": {"ns": {"p": {"plain": {"deep": 1}}}}},
            "limits": {"eu": 3, "list": [{"a": 1}], "none": {}},
        }),
    )
    .unwrap();
    let is_leaf = |at: &str| tree.get(&path(at)).unwrap().leaf().is_some();
    for leaf in ["kubernetes/clusters/c", "kubernetes/pods/ns/p", "limits/eu", "limits/list"] {
        assert!(is_leaf(leaf), "{leaf}");
    }
    for branch in ["kubernetes", "kubernetes/clusters", "kubernetes/pods/ns", "limits", "limits/none"] {
        assert!(!is_leaf(branch), "{branch}");
    }
    assert!(tree.get(&path("kubernetes/clusters/c/kind")).is_none());
    assert_eq!(tree.json(&path("kubernetes/clusters/c/metadata/labels/i")).unwrap(), b"1");
    assert_eq!(tree.json(&path("limits/list/0/a")).unwrap(), b"1");
    assert_eq!(tree.json(&path("limits/none")).unwrap(), b"{}");
    assert_eq!(tree.json(&path("limits/none/x")), None);
}

#[test]
fn a_put_below_what_is_no_object_names_it() {
    let mut tree = Tree::default();
    tree.write(Op::Put, &path("a/b"), json!(1)).unwrap();
    tree.write(Op::Put, &path("arr"), json!([1, 2])).unwrap();
    let before = tree.json(&[]).unwrap();
    for (at, scalar) in [
        ("a/b/c", "/a/b"),
        ("a/b/c/d/e", "/a/b"),
        ("arr/5", "/arr"),
        ("arr/-", "/arr"),
        ("arr/x/y", "/arr"),
        ("arr/0/y", "/arr/0"),
    ] {
        assert_eq!(tree.write(Op::Put, &path(at), json!(9)), Err(WriteError::BelowScalar(scalar.into())), "{at}");
    }
    assert_eq!(tree.json(&[]).unwrap(), before);
    // As in OPA, a PUT on an element that exists inserts before it.
    tree.write(Op::Put, &path("arr/0"), json!(9)).unwrap();
    assert_eq!(tree.json(&path("arr")).unwrap(), b"[9,1,2]");
}

#[test]
fn a_write_costs_what_changed_and_not_what_exists() {
    let all: Json = (0..2000).map(|i| (format!("p{i:04}"), object(i))).collect();
    let mut tree = Tree::default();
    tree.write(Op::Put, &path("kubernetes/pods/ns"), &all).unwrap();

    let before = tree.clone();
    assert!(tree.write(Op::Put, &path("kubernetes/pods/ns/p0007"), object(8)).unwrap());
    assert_eq!(fresh_nodes(&before, &tree), 5, "root, kubernetes, pods, ns and the object");

    // A whole collection put again keeps every object that is equal.
    let before = tree.clone();
    let mut all = all;
    assert!(tree.write(Op::Put, &path("kubernetes/pods/ns"), &all).unwrap());
    assert_eq!(fresh_nodes(&before, &tree), 5);
    let before = tree.clone();
    assert!(!tree.write(Op::Put, &path("kubernetes/pods"), json!({"ns": all})).unwrap());
    assert!(before.same(&tree));

    all.as_object_mut().unwrap().remove("p1000");
    let before = tree.clone();
    assert!(tree.write(Op::Put, &path("kubernetes/pods/ns"), &all).unwrap());
    assert_eq!(fresh_nodes(&before, &tree), 4);
    let patch = PatchOp { op: "remove".into(), path: "/kubernetes/pods/ns/p0001".into(), value: None };
    let before = tree.clone();
    assert!(tree.patch(&[], &[patch]).unwrap());
    assert_eq!(fresh_nodes(&before, &tree), 4);
}

#[test]
fn nesting_is_bounded() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({"a": inner}));
    let mut tree = Tree::default();
    assert!(tree.write(Op::Put, &[], deep(128)).unwrap());
    assert!(
        tree.json(&[]).is_some_and(|json| serde_json::from_slice::<Json>(&json).is_err()),
        "128 and the leaf is the parser's end"
    );
    let array = (0..127).fold(json!(1), |inner, _| json!([inner]));
    assert!(tree.write(Op::Put, &path("flat"), &array).unwrap());
    assert!(tree.json(&path("flat/0/0")).is_some(), "the deepest leaf can be read again");
    assert!(tree.write(Op::Put, &path("flat/0"), json!(2)).unwrap());
    let tall = vec!["a".to_owned(); 129];
    let cases = [(vec!["b".to_owned()], deep(128)), (tall, json!(1)), (vec!["b".to_owned(); 100], deep(29))];
    for (path, value) in cases {
        let before = tree.clone();
        let error = tree.write(Op::Put, &path, &value).unwrap_err();
        assert!(error.to_string().contains("nested deeper than 128 levels"), "{error}");
        assert!(before.same(&tree));
    }
}

#[test]
fn an_object_that_loses_its_kind_inside_a_patch_stays_the_same_document() {
    let mut tree = Tree::default();
    tree.write(Op::Put, &path("kubernetes/clusters/c"), object(1)).unwrap();
    tree.write(Op::Remove, &path("kubernetes/clusters/c/kind"), &Json::Null).unwrap();
    let mut expected = object(1);
    expected.as_object_mut().unwrap().remove("kind");
    assert_eq!(serde_json::from_slice::<Json>(&tree.json(&path("kubernetes/clusters/c")).unwrap()).unwrap(), expected);
}
