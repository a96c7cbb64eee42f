use super::bounded::{LOOKED_AT, ORDERED};
use super::*;

fn value(rego: &str) -> Value {
    regorus::Engine::new().eval_query(format!("x := {rego}"), false).unwrap().result[0].bindings["x"].clone()
}

#[test]
fn objects_come_before_sets_wherever_they_stand() {
    let ascending = [
        "null",
        "false",
        "true",
        "-1",
        "1.5",
        "\"\"",
        "\"b\"",
        "[]",
        "[{}]",
        "[set()]",
        "[{1}]",
        "[{1}, 1]",
        "{}",
        "{1: 1, 2: {1}}",
        "{1: {}}",
        "{1: set()}",
        "{{}: 1}",
        "{set(): 1}",
        "set()",
        "{1}",
        "{1, 2}",
        "{{}}",
        "{{}, {1: 2}}",
        "{{}, set()}",
        "{{1: 2}, set()}",
        "{set()}",
    ];
    let values: Vec<_> = ascending.iter().map(|text| value(text)).collect();
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            assert_eq!(compare(a, b), Ok(i.cmp(&j)), "{} beside {}", ascending[i], ascending[j]);
        }
    }
    let shuffled = [7, 3, 20, 25, 0, 14, 9, 22, 11, 1, 18, 5, 24, 13, 2, 16, 8, 21, 4, 10, 23, 6, 12, 19, 15, 17];
    assert_eq!(sorted(shuffled.iter().map(|at| &values[*at])), Ok(values.iter().collect()));
}

#[test]
fn only_what_the_interpreter_orders_otherwise_is_replaced() {
    let kept = ["{1, [2], {}}", "{\"a\": {{1}}, \"b\": {}}", "[{1}, {}]", "\"a\""];
    assert_eq!(is_kept(&value("{{1}, {2}, [{1}], 3}"), true), Ok(true));
    for text in kept {
        assert_eq!(instead(&value(text)), Ok(None), "{text}");
    }
    assert_eq!(instead(&value("{{1}, {}, 2}")), Ok(Some(value("[2, {}, {1}]"))));
    assert_eq!(instead(&value("{{1}: 1, {}: 2}")), Ok(Some(value("[2, 1]"))));
    let deep = value("{\"a\": [{{1}, {}}]}");
    assert_eq!((is_kept(&deep, false), is_kept(&deep, true)), (Ok(true), Ok(false)));
}

#[test]
fn what_shared_parts_hide_ends() {
    let shared = |leaf: &str| (0..40).fold(value(leaf), |inner, _| Value::from(vec![inner.clone(), inner]));
    assert_eq!(is_kept(&shared("1"), true), Err(TooMany(LOOKED_AT)));
    assert_eq!(compare(&shared("{1}"), &shared("{}")), Err(TooMany(ORDERED)));
}
