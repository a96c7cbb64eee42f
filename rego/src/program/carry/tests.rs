mod order;

use std::sync::Arc;

use super::*;
use crate::eval::Arena;
use crate::limits::Limits;
use crate::program::{Request, Text};
use crate::value::json;

const POLICY: &str = r#"package a

ready contains name if {
	some name, cluster in data.fleet
	some condition in cluster.conditions
	condition.type == "Ready"
}

regions := {cluster.region | some cluster in data.fleet}

both := [count(ready), count(regions)]

limit := data.limit

noted := [f(1.0), f(data.limit)]

f(x) := [x]
"#;

fn program() -> Arc<Program> {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    Arc::new(Program::compile(&[text], &Default::default()).unwrap())
}

fn data(text: &str) -> Value {
    json::read(text.as_bytes(), 16).unwrap()
}

fn fleet(beat: u32, region: &str, limit: &str) -> Value {
    let cluster = |name: &str, region: &str, beat: u32| {
        format!(r#""{name}": {{"region": "{region}", "conditions": [{{"type": "Ready", "at": {beat}}}], "beat": {beat}}}"#)
    };
    data(&format!(r#"{{"fleet": {{{}, {}}}, "limit": {limit}}}"#, cluster("x", region, beat), cluster("y", "eu", 0)))
}

/// An answer, and how many steps it took.
fn asked(bound: &Bound, name: &str) -> (String, u64) {
    let (arena, request) = (Arena::new(), Request::default());
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    let answer = evaluation.document(&[Value::from("a"), Value::from(name)]).unwrap();
    bound.prepare_wanted(Limits::default);
    (answer.unwrap().to_string(), evaluation.context().account.steps())
}

fn all(bound: &Bound) -> Vec<String> {
    ["ready", "regions", "both", "limit", "noted"].iter().map(|name| asked(bound, name).0).collect()
}

#[test]
fn a_heartbeat_evaluates_nothing() {
    let older = program().bind(fleet(0, "us", "1")).keeping();
    let (before, first) = (all(&older), asked(&older, "both").1);
    let newer = older.program().bind(fleet(7, "us", "1")).succeeding(&older);
    assert_eq!(newer.kept(), 4, "what is made with 1.0 is not known to be the same");
    newer.prepare_again(Duration::MAX, Limits::default);
    newer.prepare_wanted(|| unreachable!("nothing was asked for"));
    assert_eq!((asked(&newer, "both").1, all(&newer)), (first, before));
}

/// A head with empty brackets makes a document, too.
#[test]
fn what_a_function_without_operands_reads_is_found_again() {
    let policy = POLICY.replace("regions := {", "regions := g\n\ng() := {");
    let text = Text { name: "a.rego".to_owned(), text: policy, version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let older = program.bind(fleet(0, "us", "1")).keeping();
    all(&older);
    let newer = program.bind(fleet(0, "sa", "1")).succeeding(&older);
    assert_eq!(newer.kept(), 2, "`ready` and `limit`");
    assert_eq!(asked(&newer, "regions").0, r#"{"eu", "sa"}"#);
}

#[test]
fn what_has_changed_alone_is_found_again() {
    let older = program().bind(fleet(0, "us", "1")).keeping();
    all(&older);
    let newer = older.program().bind(fleet(0, "sa", "1")).succeeding(&older);
    assert_eq!(newer.kept(), 2, "`ready` and `limit`");
    newer.prepare_again(Duration::ZERO, || Limits { time: Duration::from_secs(60), ..Limits::default() });
    assert_eq!(newer.kept(), 2, "there was no time");
    newer.prepare_again(Duration::from_secs(60), Limits::default);
    assert_eq!(newer.kept(), 5);
    assert_eq!(all(&newer), all(&newer.program().bind(fleet(0, "sa", "1"))));
}

#[test]
fn a_number_that_is_written_otherwise_is_another_one() {
    let older = program().bind(fleet(0, "us", "1")).keeping();
    all(&older);
    for (limit, kept) in [("1.0", 0), ("2", 3)] {
        let newer = older.program().bind(fleet(0, "us", limit)).succeeding(&older);
        assert_eq!(newer.kept(), kept, "{limit}");
        assert_eq!(all(&newer), all(&older.program().bind(fleet(0, "us", limit))));
        let again = older.program().bind(fleet(1, "us", limit)).succeeding(&newer);
        assert_eq!(all(&again), all(&older.program().bind(fleet(1, "us", limit))));
    }
}

/// How many steps and bytes it takes to find the document of a rule, perhaps by parts that are kept.
fn spent(bound: &Bound, name: &str, by_parts: bool) -> (u64, u64) {
    let groups = &bound.program().policy().groups;
    let number = groups.iter().position(|group| *group.name == *format!("data.a.{name}")).unwrap();
    let (arena, request) = (Arena::new(), Request::default());
    let mut evaluation = bound.fresh(&arena, &request, request.options());
    if by_parts {
        evaluation = evaluation.with_parts(&bound.parts, bound.program().spots());
    }
    assert!(evaluation.prepare(GroupId(u32::try_from(number).unwrap())).1);
    let account = &evaluation.context().account;
    (account.steps(), account.bytes())
}

/// The steps alone, by parts.
fn steps(bound: &Bound, name: &str) -> u64 {
    spent(bound, name, true).0
}

fn many(changed: usize, region: &str, beat: usize) -> Value {
    let cluster = |number: usize| {
        let (region, beat) = if number == changed { (region, beat) } else { ("eu", 0) };
        let conditions = r#"[{"type": "Other"}, {"type": "Ready"}]"#;
        format!(r#""c{number:03}": {{"region": "{region}", "conditions": {conditions}, "beat": {beat}}}"#)
    };
    data(&format!(r#"{{"fleet": {{{}}}}}"#, (0..100).map(cluster).collect::<Vec<_>>().join(", ")))
}

/// The same with one cluster of its own, and the others of older data.
fn replaced(older: &Bound, changed: usize, region: &str, beat: usize) -> Bound {
    let (fleet, key) = (Value::from("fleet"), Value::from(format!("c{changed:03}")));
    let cluster = many(changed, region, beat).get(&fleet).unwrap().get(&key).unwrap().clone();
    let before = older.data().get(&fleet).unwrap().as_object().unwrap();
    let members = before.iter().map(|(name, value)| (name.clone(), if *name == key { &cluster } else { value }.clone()));
    let data = Value::object([(fleet, Value::object(members))]);
    older.program().bind(data).succeeding(older)
}

#[test]
fn the_facts_of_one_cluster_alone_are_found_again() {
    let first = program().bind(many(0, "eu", 0)).keeping();
    let all = steps(&first, "ready");
    assert_eq!(first.parts.len(), 100);
    let none = steps(&first, "ready");
    let one = (all - none) / 100;
    assert!(one >= 3 && none < 200, "{all} {none}");
    let beating = replaced(&first, 7, "eu", 3);
    assert_eq!(steps(&beating, "ready"), none, "a heartbeat is not read");
    let moved = replaced(&beating, 7, "us", 3);
    assert_eq!(steps(&moved, "ready"), none, "nor is the region, here");
    let (all, none) = (steps(&moved, "regions"), steps(&moved, "regions"));
    let again = steps(&replaced(&moved, 7, "sa", 3), "regions");
    assert_eq!(again - none, (all - none) / 100);
}

/// An evaluation that ends in an error keeps no parts, though some were made before it.
#[test]
fn parts_of_what_fails_are_not_kept() {
    let policy = r#"package a

conflicting[name] := cluster.region if some name, cluster in data.fleet

conflicting[name] := cluster.beat if some name, cluster in data.fleet

fine[name] := cluster.region if some name, cluster in data.fleet
"#;
    let text = Text { name: "a.rego".to_owned(), text: policy.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(fleet(0, "us", "1"));
    for (name, parts) in [("conflicting", 0), ("fine", 2), ("conflicting", 2)] {
        steps(&bound, name);
        assert_eq!(bound.parts.len(), parts, "{name}");
    }
}

/// Whoever adds a part to a collection pays for what it adds, as if nothing was kept.
#[test]
fn parts_take_the_bytes_of_what_is_made_of_them() {
    let policy = r#"package a

array := [cluster.region | some cluster in data.fleet]

set := {name | some name, _ in data.fleet}

object := {name: cluster.region | some name, cluster in data.fleet}
"#;
    let text = Text { name: "a.rego".to_owned(), text: policy.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(many(0, "eu", 0)).keeping();
    for name in ["array", "set", "object"] {
        let [(_, whole), _, (_, found)] = [false, true, true].map(|by_parts| spent(&bound, name, by_parts));
        assert_eq!(found, whole, "{name}");
    }
    assert_eq!(bound.parts.len(), 300);
}

/// Members are gone through whether their parts are kept or not, and each is a step.
#[test]
fn each_member_is_a_step_though_its_part_is_kept() {
    let text = "package a\n\narray := [cluster.region | some cluster in data.fleet]\n";
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(many(0, "eu", 0)).keeping();
    let [whole, made, found] = [false, true, true].map(|by_parts| spent(&bound, "array", by_parts).0);
    assert_eq!(bound.parts.len(), 100);
    assert!((100..150).contains(&found) && made >= found + 100 && whole.abs_diff(made) < 10, "{whole} {made} {found}");
}

#[test]
fn clusters_that_are_gone_leave_nothing_behind() {
    let first = program().bind(many(0, "eu", 0)).keeping();
    for name in ["ready", "regions"] {
        steps(&first, name);
    }
    assert_eq!(first.parts.len(), 200);
    let fewer = first.program().bind(fleet(0, "us", "1")).succeeding(&first);
    steps(&fewer, "ready");
    assert_eq!(first.parts.len(), 102);
}

#[test]
fn another_program_takes_nothing_over() {
    let older = program().bind(fleet(0, "us", "1")).keeping();
    all(&older);
    assert_eq!(program().bind(fleet(0, "us", "1")).succeeding(&older).kept(), 0);
}

/// Who hears what is printed has it evaluated by nothing that is kept, once.
#[test]
fn what_is_kept_is_printed_once_for_whoever_listens() {
    // Written otherwise than others would, and not.
    for number in ["1.0", "123"] {
        let text = format!("package a\n\nnoted := h({number}) if print(h({number}), data.x)\n\nh(x) := [x]\n");
        let text = Text { name: "a.rego".to_owned(), text, version: None };
        let options = crate::compile::Options { prints: true, ..Default::default() };
        let bound = Arc::new(Program::compile(&[text], &options).unwrap()).bind(data(r#"{"x": true}"#)).keeping();
        for _ in 0..2 {
            let lines = Arc::new(parking_lot::Mutex::new(Vec::new()));
            let heard = Arc::clone(&lines);
            let hook = move |_, line| heard.lock().push(line);
            let request = Request { print: Some(Arc::new(parking_lot::Mutex::new(hook))), ..Request::default() };
            let noted = bound.document(&["a".into(), "noted".into()], &request).unwrap().unwrap();
            assert_eq!((noted.to_string(), &*lines.lock()), (format!("[{number}]"), &vec![format!("[{number}] true")]));
            bound.prepare_wanted(Limits::default);
        }
    }
}

/// What is kept of a cluster was found with the functions and the documents of outside.
#[test]
fn what_with_replaces_is_found_without_parts() {
    let policy = r#"package a

fits(cluster) := cluster.region == "eu"

fine contains name if {
	some name, cluster in data.fleet
	fits(cluster)
}

never(_) := false

found := [x, y, z, v] if {
	x := fine
	y := fine with fits as never
	z := fine with data.fleet as {"other": {"region": "eu"}}
	v := fine with data.fleet as {"more": {"region": "eu"}} with fits as never
}
"#;
    let text = Text { name: "a.rego".to_owned(), text: policy.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bound = program.clone().bind(fleet(0, "us", "1")).keeping();
    let (groups, path) = (&program.policy().groups, ["a".into(), "found".into()]);
    for name in ["fine", "found", "found"] {
        let number = groups.iter().position(|group| *group.name == *format!("data.a.{name}")).unwrap();
        let (arena, request) = (Arena::new(), Request::default());
        let evaluation = bound.fresh(&arena, &request, request.options());
        let mut evaluation = evaluation.with_parts(&bound.parts, program.spots());
        evaluation.prepare(GroupId(u32::try_from(number).unwrap()));
        let found = evaluation.document(&path).unwrap().unwrap();
        assert_eq!(found.to_string(), r#"[{"y"}, set(), {"other"}, set()]"#);
    }
}
