//! What is made from a text as it is read, against what is made from the tree of all of it.

mod oracle;

use oracle::{json, node, text};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::state::pointer::Op;
use crate::state::tree::Tree;

#[test]
fn what_is_kept_whole_is_compact_and_sorted_and_the_last_of_one_name_counts() {
    let table = [
        (r#" { "b" : [ 1 , 2.50, 1e3 ] , "a" : null } "#, r#"{"a":null,"b":[1,2.5,1000.0]}"#),
        (r#"{"a":1,"b":{"y":1,"x":2},"a":{"z":1,"z":2}}"#, r#"{"a":{"z":2},"b":{"x":2,"y":1}}"#),
        (r#"{"\u0061":1,"a":2,"A":[{"b":1,"a":1}]}"#, r#"{"A":[{"a":1,"b":1}],"a":2}"#),
        (r#"{"a\"":1,"a#":2,"a!":3,"\n":4,"a":5}"#, r#"{"\n":4,"a":5,"a!":3,"a\"":1,"a#":2}"#),
        (r#"["\u00e9\ud83d\ude00\/",-0,true,[],{}]"#, r#"["é😀/",-0.0,true,[],{}]"#),
    ];
    for (text, expected) in table {
        let read = Incoming::read(text.as_bytes(), 4).unwrap();
        assert_eq!(String::from_utf8(read.placed(4).json()).unwrap(), expected, "{text}");
        assert!(read.placed(4).leaf().is_some(), "{text}");
    }
}

#[test]
fn levels_are_counted_and_no_more_are_read_than_before() {
    for (text, levels) in [("1", 0), ("[]", 1), ("{}", 1), (r#"[[],{"a":[0]}]"#, 3), (r#"{"a":{"b":{"c":{"d":{"e":1}}}}}"#, 5)] {
        for depth in [0, 3, 9] {
            assert_eq!(Incoming::read(text.as_bytes(), depth).unwrap().levels(), levels, "{text}");
        }
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for levels in [127, 128, 129] {
            same(format!("{}0{}", open.repeat(levels), close.repeat(levels)).as_bytes(), 0);
        }
    }
}

#[test]
fn a_text_that_cannot_be_read_is_refused_in_the_same_words() {
    let table: [&[u8]; 23] = [
        b"",
        b" ",
        b"{",
        b"[",
        b"{\"a\"",
        b"{\"a\":",
        b"{\"a\":1",
        b"{\"a\":1,",
        b"{\"a\":1,}",
        b"[1,]",
        b"nul",
        b"1e400",
        b"[01]",
        b"{\"a\":1 \"b\"}",
        b"\"\x01\"",
        b"\"\xff\"",
        b"{\"\xff\":1}",
        b"\"\\ud800\"",
        b"\"\\x\"",
        b"{1:2}",
        b"1 2",
        b"{\"a\":{\"b\":[tru]}}\n",
        b"{\n\"a\":\n[1,\n-]}",
    ];
    for text in table {
        for depth in [0, 2, 4] {
            assert!(same(text, depth).is_none(), "{text:?}");
        }
    }
}

#[test]
fn a_value_that_has_no_text_is_taken_apart_alike() {
    let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(Incoming::of(&deep, 1).levels(), 300);
    let root = json!({"apiVersion": "v1", "kind": "x", "metadata": {"a": {"b": 1}}});
    assert_eq!(Incoming::of(&root, 0).members().unwrap().len(), 3, "a root is taken apart whatever it is");
    assert!(Incoming::of(&json!([1]), 0).members().is_none());
}

/// Reads both ways: a result, or errors in the same words.
fn same(text: &[u8], depth: usize) -> Option<Incoming> {
    let (read, tree) = (Incoming::read(text, depth), serde_json::from_slice::<Json>(text));
    match (read, tree) {
        (Ok(read), Ok(tree)) => {
            assert_eq!(read.placed(depth), node(&tree, depth), "{}", String::from_utf8_lossy(text));
            assert_eq!(read.levels(), crate::state::pointer::depth(&tree));
            Some(read)
        }
        (Err(read), Err(tree)) => {
            assert_eq!(read.to_string(), tree.to_string(), "{}", String::from_utf8_lossy(text));
            None
        }
        (read, tree) => panic!("{:?}: {read:?}, but {tree:?}", String::from_utf8_lossy(text)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_text_becomes_what_its_tree_would(text in text(), depth in 0_usize..6, deeper in 0_usize..6) {
        let read = same(text.as_bytes(), depth).unwrap();
        let tree: Json = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.placed(deeper), node(&tree, deeper), "placed elsewhere");
        prop_assert_eq!(Incoming::of(&tree, depth).placed(depth), node(&tree, depth), "from the tree");
        prop_assert_eq!(read.decode().unwrap(), tree);
    }

    #[test]
    fn a_broken_text_is_refused_in_the_same_words(
        text in text(), cut in any::<prop::sample::Index>(), byte in any::<u8>(), depth in 0_usize..5, way in 0..3,
    ) {
        let mut text = text.into_bytes();
        let at = cut.index(text.len());
        match way {
            0 => text.truncate(at),
            1 => text[at] = byte,
            _ => text.insert(at, byte),
        }
        same(&text, depth);
    }

    #[test]
    fn a_write_shares_what_is_equal(before in json(), text in text(), names in prop::collection::vec("[ab]", 0..6)) {
        let value: Json = serde_json::from_str(&text).unwrap();
        let mut tree = Tree::default();
        prop_assume!(before.is_object());
        tree.write(Op::Put, &[], &before).unwrap();
        let read = Incoming::read(text.as_bytes(), names.len()).unwrap();
        if tree.write(Op::Put, &names, &read).is_ok() {
            let written = tree.clone();
            prop_assert!(!tree.write(Op::Put, &names, &value).unwrap());
            prop_assert!(tree.same(&written), "the same again is the same memory");
            let all: Json = serde_json::from_slice(&tree.json(&[]).unwrap()).unwrap();
            let mut whole = Tree::default();
            whole.write(Op::Put, &[], &all).unwrap();
            prop_assert_eq!(whole, tree, "it is as if it had come at once");
        }
    }
}
