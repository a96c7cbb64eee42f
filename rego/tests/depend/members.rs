//! Where what changed members alone make of documents is said to be the same, answers are: random policies, documents and changes.
//!
//! `DEPEND_POLICIES=20000` tries more of them.

use std::cell::RefCell;

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Bound, Evaluated, Request};
use plimsoll_rego::value::Value;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::choice::Choices;
use super::document::{change, document};
use super::policy::policy;
use super::{json, set};

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    changes: usize,
    /// Changes that could be told by the changed members alone.
    told: usize,
    /// Answers that were said to be the same, and those that were not but are.
    same: usize,
    missed: usize,
    /// Answers that changed.
    changed: usize,
}

#[test]
fn answers_that_are_said_to_be_the_same_are() {
    let counts = attacked(vec(any::<u8>(), 40..200), written);
    assert!(
        counts.told * 15 > counts.changes && counts.same * 3 > counts.told && counts.changed * 20 > counts.told,
        "{counts:?}"
    );
    assert!(counts.missed < counts.same, "{counts:?}");
}

#[test]
fn so_they_are_with_policies_of_all_kinds() {
    attacked(vec(any::<u8>(), 60..400), policy);
}

/// Policies in which something hides what a changed member makes of it: each was said to be the same once, or might be.
#[test]
fn what_hides_a_change_is_not_taken_for_the_same() {
    let cases: Vec<Case> = yaml_serde::from_str(include_str!("members.yaml")).unwrap();
    assert!(cases.len() > 40);
    for case in cases {
        let texts: Vec<_> = case.modules.iter().map(String::as_str).collect();
        let program = set::compiled(&texts).unwrap_or_else(|errors| panic!("{}: {errors}", case.note));
        let (path, input) = ([Value::from("p"), Value::from("answer")], json::of(&case.input));
        let [older, newer] = [&case.old, &case.new].map(|members| program.bind(json::of(&json!({"m": members}))));
        let [before, after] = [&older, &newer].map(|bound| evaluated(bound, &path, &input));
        let is_settled = before.as_ref().is_ok_and(|found| !found.met_unusual);
        let members = newer.changed_members(&older, &path, &["m".into()], &Limits::default()).filter(|_| is_settled);
        let said = members.is_some_and(|members| members.is_same(&Request { input: Some(&input), ..Request::default() }));
        let [before, after] = [before, after].map(shown);
        assert!(!said || before == after, "{}: {before}, {after}", case.note);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    note: String,
    modules: Vec<String>,
    #[serde(default)]
    input: Json,
    /// `data.m`, before and after.
    old: Json,
    new: Json,
}

fn attacked(
    strategy: impl proptest::strategy::Strategy<Value = Vec<u8>>,
    policy: impl Fn(&mut Choices<'_>) -> [String; 3],
) -> Counts {
    let cases = std::env::var("DEPEND_POLICIES").ok().and_then(|text| text.parse().ok()).unwrap_or(250);
    let mut runner = TestRunner::new(Config { cases, max_shrink_iters: 2000, failure_persistence: None, ..Config::default() });
    let counts = RefCell::new(Counts::default());
    let result = runner.run(&(strategy, vec(vec(any::<u8>(), 150..300), 4)), |(bytes, rounds)| {
        let modules = policy(&mut Choices::new(&bytes));
        check(&modules, &rounds, &mut counts.borrow_mut())
    });
    let counts = counts.into_inner();
    if let Err(error) = result {
        panic!("{error}\n{counts:?}");
    }
    counts
}

fn check(modules: &[String; 3], rounds: &[Vec<u8>], counts: &mut Counts) -> Result<(), TestCaseError> {
    let Ok(program) = set::compiled(&modules.each_ref().map(String::as_str)) else { return Ok(()) };
    let (path, collection) = ([Value::from("p"), Value::from("answer")], [Value::from("m")]);
    for bytes in rounds {
        let mut choices = Choices::new(bytes);
        let input = input(&mut choices);
        let mut tree = json!({"items": document(&mut choices), "m": fleet(&mut choices)});
        let mut older = program.bind(json::of(&tree));
        while choices.more() {
            let before = tree.clone();
            changed(&mut tree, &mut choices);
            if tree == before {
                continue;
            }
            counts.changes += 1;
            let newer = program.bind(json::of(&tree));
            let Some(members) = newer.changed_members(&older, &path, &collection, &Limits::default()) else { continue };
            counts.told += 1;
            let [before, after] = [&older, &newer].map(|bound| evaluated(bound, &path, &input));
            let request = Request { input: Some(&input), ..Request::default() };
            let is_settled = before.as_ref().is_ok_and(|found| !found.met_unusual);
            let said = is_settled && members.is_same(&request);
            counts.same += usize::from(said);
            let [before, after] = [before, after].map(shown);
            counts.changed += usize::from(before != after);
            counts.missed += usize::from(!said && before == after);
            if said && before != after {
                let (policies, old) = (modules.join("\n"), older.data());
                let what = format!("{policies}\ninput: {input}\nold: {old}\nnew: {tree}\nbefore: {before}\nafter: {after}");
                return Err(TestCaseError::fail(what));
            }
            older = newer;
        }
    }
    Ok(())
}

fn evaluated(bound: &Bound, path: &[Value], input: &Value) -> Result<Evaluated, String> {
    let request = Request { input: Some(input), ..Request::default() };
    bound.evaluate(path, &request).map_err(|error| format!("{error:?}"))
}

fn shown(found: Result<Evaluated, String>) -> String {
    match found {
        Ok(found) => found.document.map_or_else(|| "undefined".to_owned(), |value| value.to_string()),
        Err(error) => error,
    }
}

fn input(choices: &mut Choices<'_>) -> Value {
    let (lists, item) = (json!([[], [name(choices)]]), json!({"x": member(choices)}));
    json::of(&json!({"a": word(choices), "n": name(choices), "u": choices.below(3), "m": item, "x": word(choices), "l": lists}))
}

/// Objects by name, mostly.
fn fleet(choices: &mut Choices<'_>) -> Json {
    let members = (0..choices.below(5)).map(|_| (name(choices).to_owned(), member(choices)));
    Json::Object(members.collect())
}

fn member(choices: &mut Choices<'_>) -> Json {
    if choices.chance(30) {
        return json!(choices.chance(2));
    }
    let kinds = if choices.chance(8) { 4 } else { 3 };
    let units = [json!(1), json!(2), json!(0.5), json!(1.0)][choices.below(kinds)].clone();
    let text = choices.of(&["1", "1.0", "2", "eu", "us"]);
    json!({"a": word(choices), "b": choices.chance(2), "u": units, "t": text, "z": [word(choices), word(choices)], "x": {"y": word(choices)}})
}

fn name<'n>(choices: &mut Choices<'_>) -> &'n str {
    choices.of(&["k", "l", "m", "x", "y"])
}

fn word<'n>(choices: &mut Choices<'_>) -> &'n str {
    choices.of(&["eu", "us", "k", "x"])
}

/// Mostly one member that is there is another one now.
fn changed(tree: &mut Json, choices: &mut Choices<'_>) {
    if choices.chance(10) {
        change(tree, choices);
        return;
    }
    for _ in 0..=choices.below(2) {
        let (name, member) = (name(choices), member(choices));
        if let Some(place) = tree["m"].get_mut(name) {
            match choices.below(3) {
                0 => *place = member,
                1 => *place = json!({"a": member["a"], "b": place["b"], "u": place["u"], "t": place["t"], "z": place["z"]}),
                _ => *place = json!({"a": place["a"], "b": member["b"], "u": member["u"], "t": place["t"], "z": place["z"]}),
            }
        }
    }
}

/// Rules that go through `data.m`, and through one another.
fn written(choices: &mut Choices<'_>) -> [String; 3] {
    let (mut q, mut rules) = ("package q\n\n".to_owned(), Vec::new());
    for number in 0..=choices.below(4) {
        q += &rule(choices, number, &rules);
        rules.push(format!("r{number}"));
    }
    q += "f(c) if c.b\n\nf(c) if c.a == input.a\n\ng(c) := to_number(c.t)\n\nh(x) := [x]\n";
    let answer = match choices.below(4) {
        0 => "answer := data.q\n".to_owned(),
        1 => format!("answer := [count(data.q.{0}), input.a]\n\nanswer := 0 if not data.q.{0}\n", source(choices, &rules, "r0")),
        2 => format!("answer contains [k, input.a] if some k, _ in data.q.{}\n", source(choices, &rules, "r0")),
        _ => format!("answer := data.q.{}\n", source(choices, &rules, "r0")),
    };
    [q, format!("package p\n\n{answer}"), "package t\n".to_owned()]
}

fn rule(choices: &mut Choices<'_>, number: usize, rules: &[String]) -> String {
    let (key, value) = (part(choices), part(choices));
    let collection = if choices.chance(3) { source(choices, rules, "data.m") } else { "data.m".to_owned() };
    let mut body = match choices.below(5) {
        0 => format!("some n, _ in {collection}; c := data.m[n]"),
        1 => format!("some n in {collection}; c := data.m[n]"),
        2 => format!("c := {collection}[n]"),
        _ => format!("some n, c in {collection}"),
    };
    if !choices.chance(4) {
        body += "; input.a != \"none\"";
    }
    for _ in 0..=choices.below(2) {
        body += &format!("; {}", condition(choices, rules));
    }
    match choices.below(10) {
        9 => format!("r{number} := x if {{ k := input.a; x := {{{key}: c.t | {body}; c.a = k}} }}\n\n"),
        0 => format!("r{number} := {{{key} | {body}}}\n\n"),
        1 => format!("r{number} := {{\"all\": {{{key}: {value} | {body}}}, \"a\": input.a}}\n\n"),
        2 => format!("r{number} := x if {{ x := {{{key} | {body}}}; input.a }}\n\n"),
        3 => format!("r{number} := [{value} | {body}]\n\n"),
        4 => format!("r{number} := count({{{key} | {body}}})\n\n"),
        5 => format!("r{number} contains n if {{ {body} }}\n\nr{number} contains input.n\n\n"),
        6 => format!("r{number}[n] := {value} if {{ {body} }}\n\n"),
        7 => format!("r{number}[{key}] := {value} if {{ {body} }}\n\n"),
        _ => format!("r{number} contains n if {{ {body} }}\n\n"),
    }
}

fn source(choices: &mut Choices<'_>, rules: &[String], other: &str) -> String {
    if rules.is_empty() { other.to_owned() } else { rules[choices.below(rules.len())].clone() }
}

fn part<'t>(choices: &mut Choices<'_>) -> &'t str {
    let all = [
        "n",
        "\"x\"",
        "c.a",
        "c.u",
        "g(c)",
        "h(c.u)",
        "h(g(c))",
        "[n, c.a]",
        "{\"cluster\": n, \"why\": c.a}",
        "c",
        "input.a",
        "{c.u}",
        "json.marshal(g(c))",
    ];
    choices.of(&all)
}

fn condition(choices: &mut Choices<'_>, rules: &[String]) -> String {
    let rule = source(choices, rules, "data.items");
    match choices.below(22) {
        0 => "c.a == input.a".to_owned(),
        1 => "not c.b".to_owned(),
        2 => "c.u > input.u".to_owned(),
        3 => "n != input.n".to_owned(),
        4 => format!("not {rule}[n]"),
        5 => format!("{rule}[n]"),
        6 => format!("count({rule}) > 1"),
        7 => format!("not {rule}[input.n]"),
        8 => "f(c)".to_owned(),
        9 => "not f(c)".to_owned(),
        10 => "every z in c.z { z != input.a }".to_owned(),
        11 => "data.m[n].a == input.a".to_owned(),
        12 => "data.m[input.n].b".to_owned(),
        13 => "some z in c.z; z == input.a".to_owned(),
        14 => "s := [z | some z in c.z; z != input.a]; count(s) > 0".to_owned(),
        15 => format!("some _, o in {rule}; o != c"),
        16 => "not h(c.t)[0] == input.a".to_owned(),
        17 => "input.l[_] == [k | some k, w in data.m; w.b]".to_owned(),
        18 => "not data.m[n].b".to_owned(),
        19 => format!("some k, _ in {rule}; k != n"),
        20 => "[c.a, _] = [input.a, c.u]".to_owned(),
        _ => "f(input.x) with input.x as c".to_owned(),
    }
}
