use plimsoll_contract::kind::Gvr;
use serde_json::json;

use super::*;
use crate::state::State;

fn row(namespaced: bool) -> Kind {
    let gvr = Gvr { group: String::new(), version: "v1".into(), resource: "pods".into() };
    Kind { namespaced, ..Kind::new(gvr, "Pod") }
}

fn name(namespace: &str, name: &str) -> ObjectName {
    ObjectName { namespace: namespace.into(), name: name.into() }
}

fn leaf(text: &str, version: u32) -> Leaf {
    Leaf { resource_version: version.to_string().into(), ..Leaf::new(&json!({"v": text})) }
}

fn replace(tree: &mut Tree, row: &Kind, objects: &[(&str, &str, &str, u32)]) -> usize {
    let mut load = Load::new(row, tree.get(&[ROOT, "pods"]).and_then(Node::branch));
    for (namespace, of, text, version) in objects {
        load.put(name(namespace, of), leaf(text, *version));
    }
    tree.swap(row, load.finish())
}

fn listed(tree: &Tree, row: &Kind) -> Vec<String> {
    let state = State { tree: tree.clone(), ..State::default() };
    let objects = state.objects(row);
    objects.map(|(n, leaf)| format!("{}/{}={}", n.namespace, n.name, leaf.resource_version)).collect()
}

#[test]
fn t12_what_a_replace_does_not_hold_is_gone() {
    for namespaced in [true, false] {
        let (row, mut tree) = (row(namespaced), Tree::default());
        let (a, b) = if namespaced { ("a", "b") } else { ("", "") };
        assert_eq!(replace(&mut tree, &row, &[(a, "x", "1", 1), (a, "y", "1", 2), (b, "z", "1", 3)]), 3);
        assert_eq!(replace(&mut tree, &row, &[(a, "y", "1", 2)]), 1);
        assert_eq!(listed(&tree, &row), [format!("{a}/y=2")]);
        assert_eq!(replace(&mut tree, &row, &[]), 0);
        assert_eq!(tree.json(&[ROOT.into(), "pods".into()]).unwrap(), b"{}");
    }
}

#[test]
fn a_replace_with_equal_objects_is_the_same_memory() {
    let (row, mut tree) = (row(true), Tree::default());
    let objects = [("a", "x", "1", 1), ("a", "y", "1", 2), ("b", "z", "1", 3)];
    replace(&mut tree, &row, &objects);
    let before = tree.clone();
    assert_eq!(replace(&mut tree, &row, &objects), 3);
    assert!(before.same(&tree));

    assert_eq!(replace(&mut tree, &row, &[("a", "x", "1", 9), ("a", "y", "1", 2), ("b", "z", "1", 3)]), 3);
    let json = |tree: &Tree, of: &str| tree.get(&[ROOT, "pods", "a", of]).and_then(Node::leaf).cloned().unwrap();
    assert!(!Arc::ptr_eq(&json(&before, "x"), &json(&tree, "x")));
    assert!(Arc::ptr_eq(&json(&before, "x").json, &json(&tree, "x").json), "a new resourceVersion keeps the bytes");
    assert!(Arc::ptr_eq(&json(&before, "y"), &json(&tree, "y")));
    assert!(before.get(&[ROOT, "pods", "b"]).unwrap().same(tree.get(&[ROOT, "pods", "b"]).unwrap()));
}

#[test]
fn t13_a_reset_of_one_kind_leaves_everything_else() {
    let (row, mut tree) = (row(true), Tree::default());
    tree.graft(ROOT, "clusters", Some(Node::Leaf(Arc::new(leaf("c", 1)))));
    tree.graft("limits", "eu", Some(Node::Leaf(Arc::new(leaf("l", 1)))));
    replace(&mut tree, &row, &[("a", "x", "1", 1)]);
    replace(&mut tree, &row, &[]);
    assert_eq!(tree.json(&[]).unwrap(), br#"{"kubernetes":{"clusters":{"v":"c"},"pods":{}},"limits":{"eu":{"v":"l"}}}"#);
}

#[test]
fn changes_count_what_came_and_went() {
    let change = |namespace: &str, of: &str, version: Option<u32>| Change {
        name: name(namespace, of),
        leaf: version.map(|version| leaf("1", version)),
    };
    let (row, mut tree) = (row(true), Tree::default());
    let grown = tree.apply(&row, vec![change("a", "x", Some(1)), change("a", "x", Some(2)), change("b", "y", Some(3))]);
    assert_eq!((grown, listed(&tree, &row)), (2, vec!["a/x=2".into(), "b/y=3".into()]));
    let grown =
        tree.apply(&row, vec![change("b", "y", None), change("b", "y", None), change("c", "z", None), change("a", "z", Some(4))]);
    assert_eq!((grown, listed(&tree, &row)), (0, vec!["a/x=2".into(), "a/z=4".into()]));
    let before = tree.clone();
    assert_eq!(tree.apply(&row, vec![change("a", "z", Some(4)), change("q", "z", None)]), 0);
    assert!(before.same(&tree), "what changes nothing touches nothing");
}
