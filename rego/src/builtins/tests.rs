//! What holds for all builtins of these topics: values that seem endless end within limits.

use super::testing::{answer, call, context, limited};
use super::{BuiltinError, find};
use crate::limits::{Halt, Limits};
use crate::value::{Free, Value, json};

const NAMES: &[&str] = &[
    "equal",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "plus",
    "minus",
    "or",
    "and",
    "union",
    "intersection",
    "set_diff",
    "count",
    "sum",
    "product",
    "max",
    "min",
    "sort",
    "all",
    "any",
    "array.concat",
    "array.reverse",
    "array.flatten",
    "object.get",
    "object.keys",
    "object.remove",
    "object.filter",
    "object.union",
    "object.union_n",
    "object.subset",
    "json.filter",
    "json.remove",
    "json.patch",
    "graph.reachable",
    "graph.reachable_paths",
    "internal.member_2",
    "internal.member_3",
    "internal.template_string",
    "cast_set",
    "cast_array",
    "is_array",
    "type_name",
    "to_number",
    "numbers.range",
    "bits.and",
];

/// Sixty times doubled: made twice, so that no part of one is a part of the other.
fn doubled(kind: u8) -> Value {
    (0..60).fold(Value::Int(1), |value, _| match kind {
        0 => Value::array([value.clone(), value]),
        1 => Value::object([("a".into(), value.clone()), ("b".into(), value)]),
        2 => Value::set([value.clone(), Value::array([value])]),
        _ => Value::object([(value.clone(), Value::Null), (Value::array([value]), Value::Null)]),
    })
}

/// Operands that hold such a value: itself, and as item, key, value and member.
fn shapes(value: &Value) -> Vec<Value> {
    vec![
        value.clone(),
        Value::array([value.clone(), Value::Int(1)]),
        Value::array([Value::array([value.clone()])]),
        Value::set([value.clone()]),
        Value::set([Value::set([value.clone()])]),
        Value::object([(value.clone(), Value::array([value.clone()]))]),
        Value::object([("a".into(), Value::object([("op".into(), "test".into()), ("path".into(), value.clone())]))]),
    ]
}

#[test]
fn doubled_values_end_within_limits() {
    let limits = || Limits { steps: 20_000, memory: 10_000_000, ..Limits::default() };
    let mut halted = 0;
    for kind in 0..4 {
        let (first, second) = (shapes(&doubled(kind)), shapes(&doubled(kind)));
        for name in NAMES {
            let count = find(name).map_or(0, |builtin| builtin.operands.len());
            for a in &first {
                for b in &second {
                    let operands: Vec<_> = [a, b, b].into_iter().take(count).cloned().collect();
                    let answer = call(&mut limited(limits()), name, &operands);
                    if let Some(halt) = answer.err().as_ref().and_then(BuiltinError::halt) {
                        assert!(matches!(halt, Halt::Steps(_) | Halt::Memory(_)), "{name}: {halt}");
                        halted += 1;
                    }
                }
            }
        }
    }
    assert!(halted > 100, "{halted}");
}

/// A piece of text is shorter than a step; where they have no end, the clock is looked at all the same.
#[test]
fn text_of_doubled_values_is_paid_for() {
    let halt = Halt::Time(std::time::Duration::ZERO);
    for kind in 0..4 {
        let doubled = doubled(kind);
        for (name, operands) in [
            ("sprintf", vec!["%v".into(), Value::array([doubled.clone()])]),
            ("sprintf", vec!["".into(), Value::array([doubled.clone(), Value::Int(1)])]),
            ("json.marshal", vec![doubled.clone()]),
            ("yaml.marshal", vec![doubled]),
        ] {
            let mut context = limited(Limits { time: std::time::Duration::ZERO, ..Limits::default() });
            assert_eq!(call(&mut context, name, &operands), Err(halt.into()), "{name}");
        }
    }
}

/// Each line is a call, its operands, and what OPA 1.22 prints of the answer; `undefined` for an error, too.
#[test]
fn calls_are_answered_as_opa_does() {
    let mut count = 0;
    for line in include_str!("recorded.tsv").lines() {
        let Some((name, (operands, expected))) =
            line.split_once('\t').and_then(|(name, rest)| Some((name, rest.split_once('\t')?)))
        else {
            panic!("{line}")
        };
        let found = answer(&mut context(), name, operands);
        let found = if found.starts_with("eval_") { "undefined" } else { &found };
        assert_eq!(found, expected, "{name} {operands}");
        count += 1;
    }
    assert!(count > 1_000, "{count}");
}

/// What grows the stack leaves so much of it for values that are no deeper than 64 levels.
#[test]
fn shallow_values_fit_in_what_is_left() {
    let nested = |key: &str, end: i64| {
        (0..crate::value::deep::SHALLOW - 2).fold(Value::Int(end), |value, level| match level % 3 {
            0 => Value::array([value]),
            1 => Value::object([(key.into(), value)]),
            _ => Value::set([value]),
        })
    };
    let objects = |end: i64| (0..60).fold(Value::Int(end), |value, _| Value::object([("a".into(), value)]));
    let path = || Value::array([Value::array((0..58).map(|_| Value::from("a")))]);
    let work = move || {
        let (a, b) = (nested("a", 1), nested("a", 2));
        let text = json::write(&Value::array([a.clone()]), 1 << 20).unwrap();
        assert_eq!(a.depth(), 62);
        assert!(json::read(text.as_bytes(), 99).is_ok() && a < b && a != b && a.hash64() != b.hash64());
        assert!(a.to_string() < b.to_string() && a.print_within(1 << 20, &mut Free).is_ok());
        let operation = [("op", "replace".into()), ("path", path().as_array().unwrap()[0].clone()), ("value", Value::Null)];
        let operations = Value::array([Value::object(operation.map(|(key, value)| (key.into(), value)))]);
        for (name, operands) in [
            ("object.union", [objects(1), objects(2)]),
            ("object.subset", [objects(1), objects(2)]),
            ("json.filter", [objects(1), path()]),
            ("json.remove", [objects(1), path()]),
            ("json.patch", [objects(1), operations]),
        ] {
            assert!(call(&mut context(), name, &operands).is_ok_and(|answer| answer.is_some()), "{name}");
        }
        let both = [Value::array([objects(1), objects(2)])];
        assert!(call(&mut context(), "object.union_n", &both).is_ok());
    };
    std::thread::Builder::new().stack_size(crate::value::deep::LEFT).spawn(work).unwrap().join().unwrap();
}
