use std::sync::Arc;

use crate::eval::Arena;
use crate::program::{Bound, Program, Request, Text};
use crate::value::{Value, json};

const POLICY: &str = r#"package a

fit[name] := capacity(cluster, 2) if {
	some name, cluster in data.fleet
	cluster.region == input.region
	ready(cluster)
}

ready(cluster) if {
	some condition in cluster.conditions
	condition.type == "Ready"
}

capacity(cluster, factor) := json.unmarshal(cluster.units) * factor

other := ready(input.cluster)

replaced := x if x := fit with ready as never

never(_) := false

first := one(data.fleet.c000)

all := [one(cluster) | some cluster in data.fleet; input.region]

louder if {
	some cluster in data.fleet
	loud(cluster) == input.region
}

loud(cluster) := upper(cluster.units)

before := [wrapped(1), alone]

alone := [odd(cluster) | some cluster in data.fleet; input.region]

odd(cluster) := [wrapped(1.0), cluster.number]

wrapped(x) := [x]

one(cluster) := x if some x in [cluster.units, cluster.region]
"#;

fn program() -> Arc<Program> {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    Arc::new(Program::compile(&[text], &Default::default()).unwrap())
}

/// A hundred clusters.
fn fleet(units: &str) -> Value {
    let conditions = r#"[{"type": "Other"}, {"type": "Ready"}]"#;
    let cluster = |number: usize| {
        format!(r#""c{number:03}": {{"number": {number}, "region": "eu", "units": "{units}", "conditions": {conditions}}}"#)
    };
    let text = format!(r#"{{"fleet": {{{}}}}}"#, (0..100).map(cluster).collect::<Vec<_>>().join(", "));
    json::read(text.as_bytes(), 16).unwrap()
}

/// The same with another first cluster, and what else is there as it was.
fn replaced(older: &Bound, units: &str) -> Bound {
    let (key, first) = (Value::from("fleet"), Value::from("c000"));
    let members = older.data().get(&key).unwrap().as_object().unwrap();
    let changed = fleet(units).get(&key).unwrap().get(&first).unwrap().clone();
    let members = members.iter().map(|(name, value)| (name.clone(), if *name == first { &changed } else { value }.clone()));
    older.program().bind(Value::object([(key, Value::object(members))])).succeeding(older)
}

/// An answer, and how many steps it took.
fn asked(bound: &Bound, name: &str) -> (String, u64) {
    let input = json::read(br#"{"region": "eu", "cluster": {"conditions": [{"type": "Ready"}]}}"#, 16).unwrap();
    let (arena, request) = (Arena::new(), Request { input: Some(&input), ..Request::default() });
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    let answer = evaluation.document(&[Value::from("a"), Value::from(name)]);
    evaluation.keep_calls();
    let text =
        answer.map_or_else(|error| error.to_string(), |answer| answer.map_or_else(String::new, |answer| answer.to_string()));
    (text, evaluation.context().account.steps())
}

#[test]
fn a_cluster_is_asked_once_until_it_changes() {
    let bound = program().bind(fleet("3")).keeping();
    let (first, all) = asked(&bound, "fit");
    let (again, none) = asked(&bound, "fit");
    assert_eq!((&first, bound.calls.len()), (&again, 200), "`ready` and `capacity` of each");
    assert!(none + 300 < all, "{all} {none}");
    let newer = replaced(&bound, "4");
    assert_eq!(newer.calls.len(), 198, "what is gone leaves nothing behind");
    let (changed, one) = asked(&newer, "fit");
    assert_eq!((one - none) * 100, all - none, "one of a hundred");
    assert_eq!(changed, first.replacen('6', "8", 1));
}

#[test]
fn what_is_no_member_is_not_kept_and_what_is_replaced_is_not_asked() {
    let bound = program().bind(fleet("3")).keeping();
    for _ in 0..2 {
        assert_eq!(asked(&bound, "other").0, "true");
        assert_eq!(asked(&bound, "replaced").0, "{}");
    }
    assert_eq!(bound.calls.len(), 0);
}

/// `wrapped(1.0)` is what `wrapped(1)` was, if that was asked first.
#[test]
fn what_depends_on_what_was_evaluated_before_is_not_kept() {
    let (bound, fresh) = (program().bind(fleet("3")).keeping(), program().bind(fleet("3")));
    for name in ["before", "alone", "before", "alone"] {
        assert_eq!(asked(&bound, name).0, asked(&fresh, name).0, "{name}");
    }
    assert_eq!(bound.calls.len(), 0);
}

/// A function that has two answers is one that fails, whoever was content with the first one.
#[test]
fn what_fails_is_not_kept() {
    let bound = program().bind(fleet("3")).keeping();
    for name in ["first", "all", "first", "all"] {
        let (answer, _) = asked(&bound, name);
        assert!(answer.contains("conflicting values"), "{answer}");
    }
    assert_eq!(bound.calls.len(), 0);
}

#[test]
fn without_room_nothing_more_is_kept() {
    let bound = program().bind(fleet(&"a".repeat(300_000))).keeping();
    assert_eq!(asked(&bound, "louder").0, "");
    let taken = bound.calls.0.read().bytes;
    assert!(taken <= super::MOST && (10..90).contains(&bound.calls.len()), "{taken}");
    assert_eq!(
        bound.calls.0.read().by_member.values().flat_map(|known| &known.answers).map(super::Answer::bytes).sum::<usize>(),
        taken
    );
}

#[test]
fn numbers_that_are_written_otherwise_are_evaluated() {
    for units in ["3.0", "1e1"] {
        let bound = program().bind(fleet(units)).keeping();
        let fresh = program().bind(fleet(units));
        for _ in 0..2 {
            assert_eq!(asked(&bound, "fit").0, asked(&fresh, "fit").0);
        }
    }
}
