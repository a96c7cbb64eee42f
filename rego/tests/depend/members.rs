//! Where what changed members alone make of documents is said to be the same, answers are: random policies, documents and changes.
//!
//! `DEPEND_POLICIES=20000` tries more of them.

mod written;

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
use written::written;

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    changes: usize,
    /// Answers where the change could be told by the changed members alone.
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
        counts.told * 15 > counts.changes * 2 && counts.same * 3 > counts.told && counts.changed * 20 > counts.told,
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
        for strict_builtin_errors in [false, true] {
            let request = Request { input: Some(&input), strict_builtin_errors, ..Request::default() };
            let [before, after] = [&older, &newer].map(|bound| evaluated(bound, &path, &request));
            let is_settled = before.as_ref().is_ok_and(|found| !found.met_unusual);
            let members = newer.changed_members(&older, &path, &["m".into()], &Limits::default()).filter(|_| is_settled);
            let said = members.is_some_and(|members| members.is_same(&request));
            let [before, after] = [before, after].map(shown);
            assert!(!said || before == after, "{}, strict: {strict_builtin_errors}: {before}, {after}", case.note);
        }
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
            counts.told += 2;
            for strict_builtin_errors in [false, true] {
                let request = Request { input: Some(&input), strict_builtin_errors, ..Request::default() };
                let [before, after] = [&older, &newer].map(|bound| evaluated(bound, &path, &request));
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
            }
            older = newer;
        }
    }
    Ok(())
}

fn evaluated(bound: &Bound, path: &[Value], request: &Request<'_>) -> Result<Evaluated, String> {
    bound.evaluate(path, request).map_err(|error| format!("{error:?}"))
}

fn shown(found: Result<Evaluated, String>) -> String {
    match found {
        Ok(found) => found.document.map_or_else(|| "undefined".to_owned(), |value| value.to_string()),
        Err(error) => error,
    }
}

fn input(choices: &mut Choices<'_>) -> Value {
    let (lists, item) = (json!([[], [name(choices)]]), json!({"x": member(choices)}));
    let named = if choices.chance(4) { json!(1) } else { name(choices).into() };
    json::of(&json!({"a": word(choices), "n": named, "u": choices.below(3), "m": item, "x": word(choices), "l": lists}))
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
    choices.of(&["k", "l", "m", "x", "y", "k", "l", "1"])
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
