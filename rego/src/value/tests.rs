//! Values as a whole: order, hashes, depth, sharing.

use super::*;
use crate::limits::{Account, Halt, Limits};

fn number(text: &str) -> Value {
    Value::number(text).unwrap()
}

/// `levels` collections around a number, of all kinds in turn; objects hold the next one as key and as value.
fn nested(levels: u32) -> Value {
    (0..levels).fold(Value::Int(1), |value, level| match level % 4 {
        0 => Value::array([value]),
        1 => Value::set([value]),
        2 => Value::object([(value, Value::Null)]),
        _ => Value::object([(Value::from("k"), value)]),
    })
}

fn doubled(times: u32) -> Value {
    (0..times).fold(Value::Int(1), |value, _| Value::array([value.clone(), value]))
}

/// Recorded: `sort([...])` of OPA 1.22.
#[test]
fn values_are_in_the_order_of_opa() {
    let text = |text: &str| Value::from(text);
    let object = |members: &[(&str, i64)]| Value::object(members.iter().map(|(key, value)| (text(key), Value::Int(*value))));
    let sorted = [
        Value::Null,
        Value::False,
        Value::True,
        number("-1.5"),
        Value::Int(0),
        number("0.5"),
        Value::Int(1),
        text(""),
        text("a"),
        text("ab"),
        text("b"),
        text("é"),
        Value::array([]),
        Value::array([Value::Int(1)]),
        Value::array([Value::Int(1), Value::Int(2)]),
        Value::array([Value::Int(2)]),
        object(&[]),
        object(&[("a", 1)]),
        object(&[("a", 1), ("c", 0)]),
        object(&[("a", 2), ("b", 0)]),
        object(&[("b", 0)]),
        Value::set([]),
        Value::set([Value::Int(1)]),
        Value::set([Value::Int(1), Value::Int(3)]),
        Value::set([Value::Int(2)]),
    ];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!((a.cmp(b), a == b), (i.cmp(&j), i == j), "{a} {b}");
        }
    }
}

#[test]
fn written_forms_stay_as_in_opa() {
    assert_eq!(Value::set([number("1.0"), Value::Int(1)]).to_string(), "{1.0}");
    let object = Value::object([(number("1.0"), Value::from("a")), (Value::Int(1), Value::from("b"))]);
    assert_eq!(object.to_string(), r#"{1.0: "b"}"#);
    let (one, other) = (Set::new(vec![Value::Int(1)]), Set::new(vec![number("1.0")]));
    let first = |set: Set| set.members().first().map(ToString::to_string);
    assert_eq!(first(one.union(&other, &mut Free).unwrap()).as_deref(), Some("1"));
    assert_eq!(first(other.intersection(&one, &mut Free).unwrap()).as_deref(), Some("1.0"));
    let two = Set::new(vec![number("1.0"), Value::Int(2)]);
    assert_eq!(first(two.intersection(&one, &mut Free).unwrap()).as_deref(), Some("1"));
    assert_eq!(first(two.difference(&one, &mut Free).unwrap()).as_deref(), Some("2"));
}

#[test]
fn equal_values_hash_alike() {
    let a = Value::object([(Value::Int(1), Value::array([number("2.0")])), (Value::from("k"), Value::set([number("1e0")]))]);
    let b = Value::object([(Value::from("k"), Value::set([Value::Int(1)])), (number("1.0"), Value::array([Value::Int(2)]))]);
    assert_eq!(a, b);
    assert_eq!(a.hash64(), b.hash64());
    assert_ne!(a.hash64(), Value::object([(Value::from("k"), Value::Int(1))]).hash64());
    assert_ne!(Value::array([Value::Int(1)]).hash64(), Value::set([Value::Int(1)]).hash64());
}

/// Also below: `--test-threads` have 2 MiB each.
#[test]
fn nothing_overflows_on_deep_values() {
    let (a, b) = (nested(10_000), nested(10_000));
    assert_eq!(a.depth(), 10_000);
    assert!(a == b && a.cmp(&b).is_eq() && a.hash64() == b.hash64());
    assert_ne!(a, nested(9_999));
    assert_eq!(a.to_string(), b.to_string());
    // Keys within keys are text within text: with each level the escapes double.
    assert_eq!(json::write(&a, 100_000), Err(json::TextError::Limit(100_000)));
    let array = (0..10_000).fold(Value::Null, |value, _| Value::array([value]));
    assert_eq!(json::write(&array, 100_000).map(|text| text.len()), Ok(20_004));
    drop((a, b));
    drop(nested(100_000));
    drop((0..1_000_000).fold(Value::Null, |value, _| Value::array([value])));
}

#[test]
fn shared_graphs_cost_what_is_looked_at() {
    let (a, b) = (doubled(60), doubled(60));
    assert_eq!((a.depth(), a.nodes()), (60, u32::MAX));
    assert!(a == a.clone() && a.hash64() == b.hash64());
    let limits = || Limits { steps: 100_000, ..Limits::default() };
    let halted = Err(Halt::Steps(100_000));
    assert_eq!(a.equal_within(&b, &mut Account::new(limits())), halted);
    assert_eq!(a.compare_within(&b, &mut Account::new(limits())).map(|_| true), halted);
    assert_eq!(doubled(60).hash_within(&mut Account::new(limits())).map(|hash| hash == a.hash64()), Ok(true));
    let other = Value::array([doubled(58), doubled(59)]);
    assert_eq!(a.equal_within(&other, &mut Account::new(limits())), Ok(false));
    let members =
        |value: &Value| (0..60).fold(value.clone(), |value, _| Value::object([("a".into(), value.clone()), ("b".into(), value)]));
    let (x, y) = (members(&Value::Int(1)), members(&Value::Int(2)));
    let (x, y) = (x.as_object().unwrap(), y.as_object().unwrap());
    assert!(x.union(y, &mut Account::new(limits())).is_err());
    let mut account = Account::new(limits());
    assert!(Set::new_within(vec![a.clone(), b, a], &mut account).is_err());
}

#[test]
fn large_sets_and_objects_find_their_members() {
    let keys: Vec<Value> =
        (0..1_000).map(|at| if at % 3 == 0 { Value::Int(at) } else { Value::from(format!("k{at}")) }).collect();
    let set = Set::new(keys.iter().rev().cloned().collect());
    let object = Value::object(keys.iter().map(|key| (key.clone(), Value::array([key.clone()]))));
    let object = object.as_object().unwrap();
    for _ in 0..2 {
        for key in &keys {
            assert_eq!(set.get(key), Some(key));
            assert_eq!(object.get(key).and_then(|value| value.get(&Value::Int(0))), Some(key));
        }
    }
    assert_eq!(
        (set.get(&number("3.0")), set.get(&number("1.0")), object.get(&Value::from("k3"))),
        (Some(&Value::Int(3)), None, None)
    );
    assert_eq!((object.member("k1").is_some(), object.member("k0")), (true, None));
}

#[test]
fn objects_change_by_sharing() {
    let value = Value::object([("a".into(), Value::Int(1)), ("c".into(), Value::Int(3))]);
    let object = value.as_object().unwrap();
    let same_keys = object.with("a".into(), Value::Int(2));
    assert!(Arc::ptr_eq(object.shape(), same_keys.shape()));
    let shown = |object: Object| Value::Object(Arc::new(object)).to_string();
    assert_eq!(shown(same_keys), r#"{"a": 2, "c": 3}"#);
    assert_eq!(shown(object.with("b".into(), Value::Null)), r#"{"a": 1, "b": null, "c": 3}"#);
    assert_eq!(object.without(&"a".into()).map(shown).as_deref(), Some(r#"{"c": 3}"#));
    assert!(object.without(&"b".into()).is_none());
    let other = Value::object([("a".into(), value.clone()), ("c".into(), Value::object([]))]);
    let both = Value::object([("a".into(), other.clone()), ("d".into(), Value::Int(4))]);
    let merged = other.as_object().unwrap().union(both.as_object().unwrap(), &mut Free).unwrap();
    assert_eq!(shown(merged), r#"{"a": {"a": {"a": 1, "c": 3}, "c": {}}, "c": {}, "d": 4}"#);
}

#[test]
fn references_go_one_step() {
    let array = Value::array([Value::from("x"), Value::from("y")]);
    assert_eq!(array.get(&number("1.0")), Some(&Value::from("y")));
    assert_eq!((array.get(&number("1e0")), array.get(&Value::Int(2)), array.get(&Value::Int(-1))), (None, None, None));
}
