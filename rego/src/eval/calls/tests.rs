use std::sync::Arc;

use super::*;
use crate::eval::Arena;
use crate::limits::Limits;
use crate::program::{Bound, Program, Request, Text};
use crate::value::json;

const POLICY: &str = r#"package a

placed contains name if {
	some name, cluster in data.fleet
	allowed(cluster, "eu")
	cluster.region == input.region
}

allowed(cluster, region) if {
	ready(cluster)
	startswith(cluster.region, region)
}

ready(cluster) if {
	some condition in cluster.conditions
	condition.type == "Ready"
}

clocked contains name if {
	some name, cluster in data.fleet
	after(cluster)
}

after(cluster) if {
	some condition in cluster.conditions
	time.now_ns() > condition.at
}

limited contains name if {
	some name, cluster in data.fleet
	below(cluster)
}

below(cluster) if {
	some condition in cluster.conditions
	condition.at < data.limit
}

said := [text(part) | some part in input.parts]

text(part) := [y | some x in part.xs; y := [x]]

replaced := x if x := placed with startswith as true with ready as true

called := [first(cluster) | some cluster in data.fleet]

picked := [pick(cluster) | some cluster in data.fleet; cluster.number == 1]

pick(cluster) := same(1) if cluster.region

same(x) := [x]

noted := [same(1.0), picked]

first(cluster) := [condition | some condition in cluster.conditions; condition.at > 0][0]
"#;

fn fleet(changed: usize, beat: usize, older: Option<&Value>) -> Value {
    let cluster = |number: usize| {
        let region = if number.is_multiple_of(2) { "eu" } else { "us" };
        let text = format!(
            r#"{{"number": {number}, "region": "{region}", "conditions": [{{"type": "Other", "at": 0}}, {{"type": "Ready", "at": {beat}}}]}}"#
        );
        json::read(text.as_bytes(), 16).unwrap()
    };
    let key = |number: usize| Value::from(format!("c{number:03}"));
    let kept = |number: usize| older?.get(&"fleet".into())?.get(&key(number)).filter(|_| number != changed).cloned();
    let members = (0..100).map(|number| (key(number), kept(number).unwrap_or_else(|| cluster(number))));
    Value::object([("fleet".into(), Value::object(members)), ("limit".into(), Value::from(5_i64))])
}

fn bound() -> Bound {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(fleet(0, 1, None)).keeping()
}

/// The answer, by what is kept and without it, and how many steps the first took.
fn asked(bound: &Bound, name: &str, input: &str) -> (String, u64) {
    let input = json::read(input.as_bytes(), 16).unwrap();
    let (arena, request) = (Arena::new(), Request { input: Some(&input), now_ns: 5, ..Request::default() });
    let path = [Value::from("a"), Value::from(name)];
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    let answer = evaluation.document(&path).unwrap().unwrap_or(Value::Null).to_string();
    let fresh = bound.program().bind(bound.data().clone()).document(&path, &request).unwrap().unwrap_or(Value::Null).to_string();
    assert_eq!(answer, fresh, "{name} of {input}");
    bound.prepare_wanted(Limits::default);
    (answer, evaluation.context().account.steps())
}

#[test]
fn a_function_of_a_member_is_called_again_where_that_has_changed() {
    let first = bound();
    let (_, all) = asked(&first, "placed", r#"{"region": "eu"}"#);
    assert_eq!(first.calls().len(), 200, "allowed and ready, of each cluster");
    let (other, none) = asked(&first, "placed", r#"{"region": "us"}"#);
    assert!(other == "set()" && none * 2 < all, "{other} {none} {all}");
    assert!(none < 550, "an answer that is kept is one step: {none}");
    let second = first.program().bind(fleet(7, 2, Some(first.data()))).succeeding(&first);
    let (_, one) = asked(&second, "placed", r#"{"region": "us"}"#);
    assert_eq!(second.calls().len(), 202);
    let (_, again) = asked(&second, "placed", r#"{"region": "us"}"#);
    assert!(again < one && one < none + (all - none) / 10, "{again} {one} {none}");
}

#[test]
fn what_depends_on_more_than_operands_is_called_each_time() {
    let bound = bound();
    for name in ["clocked", "limited"] {
        asked(&bound, name, "{}");
        assert_eq!(bound.calls().len(), 0, "{name}");
    }
}

#[test]
fn where_functions_are_replaced_nothing_is_kept_and_nothing_used() {
    let bound = bound();
    assert_eq!(asked(&bound, "replaced", r#"{"region": "us"}"#).0.matches("\"c").count(), 50);
    assert_eq!(bound.calls().len(), 0);
    asked(&bound, "placed", r#"{"region": "us"}"#);
    assert_eq!(asked(&bound, "replaced", r#"{"region": "us"}"#).0.matches("\"c").count(), 50);
}

#[test]
fn numbers_that_may_be_written_otherwise_are_not_kept() {
    let bound = bound();
    assert_eq!(asked(&bound, "said", r#"{"parts": [{"xs": [1.0]}, {"xs": [1]}]}"#).0, "[[[1.0]], [[1.0]]]");
    assert_eq!(bound.calls().len(), 0);
    assert_eq!(asked(&bound, "said", r#"{"parts": [{"xs": [1]}, {"xs": [2]}]}"#).0, "[[[1]], [[2]]]");
}

/// A function answers for `1` what it did for `1.0`, if that was asked first: so does what calls it.
#[test]
fn what_may_depend_on_what_was_evaluated_before_is_neither_kept_nor_used() {
    for order in [["picked", "noted"], ["noted", "picked"]] {
        let (bound, mut kept) = (bound(), 0);
        for name in order.into_iter().chain(order) {
            let path = [Value::from("a"), Value::from(name)];
            let answer = bound.document(&path, &Request::default()).unwrap().unwrap().to_string();
            assert_eq!(answer, if name == "noted" { "[[1.0], [[1.0]]]" } else { "[[1]]" }, "{order:?}");
            kept = if name == "picked" { 1 } else { kept };
            assert_eq!(bound.calls().len(), kept, "{order:?}");
        }
    }
}

#[test]
fn answers_that_are_values_are_kept_as_they_are() {
    let bound = bound();
    let first = asked(&bound, "called", "{}").0;
    assert!(first.starts_with(r#"[{"at": 1, "type": "Ready"}, "#), "{first}");
    assert_eq!(asked(&bound, "called", "{}").0, first);
}

/// Replaced rules are seen by functions that read them; what calls for a replacement is found among what was computed for others.
#[test]
fn nothing_is_kept_of_what_with_has_changed() {
    let policy = r#"package a

lim := {"max": 2}

ok(o) if {
	count(o.items) <= lim.max
	o.items[0]
}

what_if := [k | some k, v in data.objs; ok(v)] with data.a.lim as {"max": 0}

rule := [k | some k, v in data.objs; ok(v)] if not what_if[0]

size(o) := n if {
	o.items[0]
	n := count(o.items)
	n < 1000
}

fake(o) := n if {
	o.items[0]
	n := size(o)
	n < 1000
}

both := [size(data.objs.x), json.marshal(data.objs.x)]

builtins := x if x := both with count as 5 with json.marshal as data.a.fake

real := [fake(data.objs.x), size(data.objs.x)] if builtins

sizes contains [k, n] if {
	some k, v in data.objs
	n := size(v)
}

answer(_) := sizes

asking := [size(data.objs.x), upper("text")]

parts := x if x := asking with count as 5 with upper as data.a.answer
"#;
    let text = Text { name: "a.rego".to_owned(), text: policy.replace("what_if := [", "what_if := x if x := ["), version: None };
    let data = json::read(br#"{"objs": {"x": {"items": [1, 2]}, "y": {"items": [1]}}}"#, 16).unwrap();
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(data).keeping();
    for (name, answer) in [
        ("rule", r#"["x", "y"]"#),
        ("builtins", "[5, 5]"),
        ("real", "[2, 2]"),
        ("what_if", "[]"),
        ("rule", r#"["x", "y"]"#),
        ("parts", r#"[5, {["x", 5], ["y", 1]}]"#),
        ("parts", r#"[5, {["x", 5], ["y", 1]}]"#),
        ("sizes", r#"{["x", 2], ["y", 1]}"#),
        ("sizes", r#"{["x", 2], ["y", 1]}"#),
    ] {
        assert_eq!(asked(&bound, name, "{}").0, answer, "{name}");
    }
}

/// An answer that is asked for stays; one that is not asked for goes, and new answers always find room.
#[test]
fn there_is_room_for_so_much() {
    let calls = Calls::new([true, true].into_iter());
    let ask = |id: u32, operand: &Value| {
        let operands = [Val::Ref(operand)];
        let hash = calls.hash(GroupId(id), &operands)?;
        let known = calls.get(GroupId(id), hash, &operands);
        if known.is_none() {
            calls.keep(Answer::new((GroupId(id), hash), &operands, Some(&Value::True)));
        }
        Some(known.is_some())
    };
    let large = |number: i64| Value::array((0..200).map(|at| Value::from(at + number)));
    let mine = large(0);
    assert_eq!(ask(0, &mine), Some(false));
    let most = MOST / (200 * NODE);
    for number in 0..i64::try_from(4 * most).unwrap() {
        let other = large(number);
        assert_eq!((ask(1, &other), ask(1, &other), ask(0, &mine)), (Some(false), Some(true), Some(true)), "{number}");
    }
    assert!((most / 4..=most).contains(&calls.len()), "{} of {most}", calls.len());
    // All at one time, so that each is in a place of its own.
    let others: Vec<_> = (0..i64::try_from(2 * most).unwrap()).map(large).collect();
    others.iter().for_each(|other| assert_eq!(ask(1, other), Some(false)));
    assert!((most / 4..=most).contains(&calls.len()), "{} of {most}", calls.len());
    assert_eq!(ask(0, &mine), Some(false), "nobody asked for it");
}

/// Where there is no room for the young they become old, all at one time, and there is room for as many again.
#[test]
fn the_young_become_old_together() {
    let mut shard = Shard::default();
    let operands: Vec<_> = (0..9).map(|_| Value::array((0..10_000_i64).map(Value::from))).collect();
    let mut sizes = Vec::new();
    for (hash, operand) in (0..).zip(&operands) {
        let answer = Answer::new((GroupId(0), hash), &[Val::Ref(operand)], None);
        assert_eq!(MOST / SHARDS / 2 / answer.bytes, 3, "there is room for so many");
        let gone = shard.keep(answer).map(|gone| gone.len());
        sizes.push((shard.young.len(), shard.old.len(), gone));
    }
    let [first, second, third] = [(1, 3, Some(3)), (2, 3, None), (3, 3, None)];
    assert_eq!(sizes, [(1, 0, None), (2, 0, None), (3, 0, None), (1, 3, Some(0)), second, third, first, second, third]);
    let mut asked = |at: u32| {
        let found = operands.get(usize::try_from(at).unwrap()).map(Val::Ref);
        let found = shard.get(GroupId(0), u64::from(at), found.as_slice());
        (found.map(|(_, gone)| gone.map(|gone| gone.len())), shard.young.len(), shard.old.len())
    };
    assert_eq!(asked(0), (None, 3, 3), "it is gone");
    assert_eq!(asked(8), (Some(None), 3, 3), "it is young");
    assert_eq!(asked(3), (Some(Some(2)), 1, 3), "it was old, and there was no room");
    assert_eq!(asked(6), (Some(None), 2, 2), "it was old, and there was room");
    assert_eq!(asked(4), (None, 2, 2), "it went for another one");
}

/// What is just as large as the room is kept; what is larger is not.
#[test]
fn an_answer_takes_as_much_as_there_is() {
    let (mut shard, most) = (Shard::default(), MOST / SHARDS / 2);
    let mut sizes = |hash: u64, bytes: usize| {
        shard.keep(Answer { bytes, ..Answer::new((GroupId(0), hash), &[Val::Ref(&Value::Null)], None) });
        (shard.young.len(), shard.old.len())
    };
    assert_eq!(sizes(1, most - 10), (1, 0));
    assert_eq!(sizes(1, 10), (1, 0), "it is there");
    assert_eq!(sizes(2, 10), (2, 0));
    assert_eq!(sizes(3, 1), (1, 2));
    assert_eq!(sizes(4, most), (1, 1));
    assert_eq!(sizes(5, most + 1), (0, 1));
    assert_eq!(sizes(6, most), (1, 1), "what is not kept takes no room");
}

/// A function that is called with other values each time is not kept any more.
#[test]
fn what_is_never_used_again_is_not_kept() {
    let calls = Calls::new([true, true].into_iter());
    let hash = |id: u32| calls.hash(GroupId(id), &[Val::Ref(&Value::array([]))]);
    for number in 0..=TRIED {
        assert!(hash(0).is_some(), "{number}");
        let operands = [Val::Ref(&Value::array([Value::Null]))];
        calls.keep(Answer::new((GroupId(0), calls.hash(GroupId(0), &operands).unwrap()), &operands, None));
    }
    assert!(hash(0).is_none() && hash(1).is_some());
}

/// One of four answers that is used again is enough.
#[test]
fn what_is_used_again_is_kept_on() {
    let calls = Calls::new([true].into_iter());
    let operand = Value::array([Value::Null]);
    let operands = [Val::Ref(&operand)];
    let hash = calls.hash(GroupId(0), &operands).unwrap();
    for _ in 0..=TRIED {
        calls.keep(Answer::new((GroupId(0), hash), &operands, None));
    }
    assert!(calls.hash(GroupId(0), &operands).is_none(), "none is used");
    for number in 1..=TRIED / ONE_OF {
        assert!(calls.get(GroupId(0), hash, &operands).is_some(), "{number}");
        assert_eq!(calls.hash(GroupId(0), &operands).is_some(), number == TRIED / ONE_OF, "{number}");
    }
}

/// A hash says where an answer is looked for: others may have the same.
#[test]
fn what_has_the_same_hash_is_another_answer() {
    let mut shard = Shard::default();
    let [mine, other] = [Value::array([Value::Null]), Value::array([Value::Null])];
    shard.keep(Answer::new((GroupId(0), 7), &[Val::Ref(&mine)], Some(&Value::True)));
    assert!(shard.get(GroupId(0), 7, &[Val::Ref(&mine)]).is_some());
    assert!(shard.get(GroupId(0), 7, &[Val::Ref(&other)]).is_none(), "equal, and in another place");
    assert!(shard.get(GroupId(1), 7, &[Val::Ref(&mine)]).is_none());
}

/// Each takes room besides that of its values: else there would be no end of those with few.
#[test]
fn small_answers_take_room_too() {
    let (mut shard, operand) = (Shard::default(), Value::array([]));
    for hash in 0..40_000 {
        shard.keep(Answer::new((GroupId(0), hash), &[Val::Ref(&operand)], Some(&Value::True)));
    }
    assert!((1..=MOST / SHARDS / ANSWER).contains(&shard.len()), "{}", shard.len());
}
