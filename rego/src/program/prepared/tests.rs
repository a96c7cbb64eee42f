use std::sync::Arc;

use crate::limits::Limits;
use crate::program::{Program, Request, Text};
use crate::value::{Value, json};

const POLICY: &str = "package a

all[name] := upper(kind) if some name, kind in data.things

names contains name if some name, _ in all

one := count(all)

two := input.two

three := count(all) if input.two

now := time.now_ns()

failed := 1 / 0

many := [x | some x in numbers.range(1, 1000)]

other := x if x := all with data.things as {\"x\": \"y\"}

same := x if x := [one, two] with input as {\"two\": 3}
";

#[test]
fn what_was_asked_for_once_is_kept() {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bound = bound.bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap()).keeping();
    let steps = |path: &[&str]| {
        let (arena, request) = (crate::eval::Arena::new(), Request { now_ns: 5, ..Request::default() });
        let mut evaluation = bound.evaluation(&arena, &request, request.options());
        let path: Vec<_> = path.iter().map(|name| Value::from(*name)).collect();
        let answer = evaluation.document(&path).unwrap().unwrap().to_string();
        let steps = evaluation.context().account.steps();
        bound.prepare_wanted(Limits::default);
        (answer, steps)
    };
    let (first, many) = steps(&["a", "one"]);
    let (again, few) = steps(&["a", "one"]);
    assert!(first == again && few < many, "{many} {few}");
    let (_, untouched) = steps(&["a", "names"]);
    assert!(untouched > few, "nobody had asked for it");
}

/// Whoever asks first must not decide what is kept.
#[test]
fn what_is_kept_is_what_would_be_found_again() {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bind = || program.clone().bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap());
    let (fresh, kept) = (bind(), bind().keeping());
    let input = json::read(br#"{"two": 2}"#, 16).unwrap();
    for path in ["one", "many", "other", "same", "names", "all", "failed", "one", "many", "other", "same", "names", "all"] {
        let path = [Value::from("a"), Value::from(path)];
        let request = Request { input: Some(&input), ..Request::default() };
        assert_eq!(kept.document(&path, &request).unwrap(), fresh.document(&path, &request).unwrap(), "{path:?}");
        kept.prepare_wanted(Limits::default);
        kept.prepare_wanted(|| unreachable!("nothing is wanted any more"));
    }
}

/// A number finds what is called so in base documents, and a text the item at an index. So rules that are asked by such a key find what no document
/// has that was made for all, unless that was made before: what is kept must not decide it.
#[test]
fn what_is_kept_answers_for_names_alone() {
    const OBJECT: &str = "obj[k] := v if some k, v in data.m";
    const TEXTS: &str = "obj[k] := v if { some k, v in data.list; is_string(k) }";
    const SET: &str = "s contains k if some k, _ in data.m";
    const TWO: &str = "s contains k if some k, _ in data.m\n\nq := count(s)\n\nt := [x | x := s[1]]";
    const NESTED: &str = "nest[k].x := v if some k, v in data.m\n\ncounted := count(nest)";
    for (rules, answer, asked, expected) in [
        ("", "{name | some name, thing in data.list[\"0\"]; thing.ok}", "null", r#"{"x"}"#),
        ("", "[name | some name, _ in data.list[\"+0\"]]", "null", r#"["x"]"#),
        ("ready contains name if some name, _ in data.list[\"0\"]", "ready", "null", r#"{"x"}"#),
        (OBJECT, "obj[input]", "1", r#""y""#),
        (OBJECT, "obj[input]", "\"1\"", r#""y""#),
        (OBJECT, "obj[input]", "\"a\"", r#""z""#),
        (OBJECT, "obj[input]", "1.5", "undefined"),
        (OBJECT, "[x | x := obj[input]; count(obj) == 2]", "1", r#"["y"]"#),
        (OBJECT, "[x | count(obj) == 2; x := obj[input]]", "1", "[]"),
        (TEXTS, "obj[input]", "\"0\"", r#"{"x": {"ok": true}}"#),
        (TEXTS, "obj[input]", "0", "undefined"),
        (SET, "s[input]", "1", "1"),
        (SET, "[x | x := s[input]; count(s) == 2]", "1", "[1]"),
        (SET, "[x | count(s) == 2; x := s[input]]", "1", "[]"),
        (SET, "s[input]", "\"a\"", r#""a""#),
        (TWO, "[x | input; q == 2; x := s[1]]", "1", "[]"),
        (TWO, "[x | input; x := s[1]; q == 2]", "1", "[1]"),
        (TWO, "[x | input; count(s) == 2; some x in t]", "1", "[]"),
        (TWO, "[x | input; some x in t; count(s) == 2]", "1", "[1]"),
        (NESTED, "[x | input; counted == 2; x := nest[1].x]", "1", "[]"),
        (NESTED, "[x | input; x := nest[1].x; counted == 2]", "1", r#"["y"]"#),
    ] {
        let text =
            Text { name: "a.rego".to_owned(), text: format!("package a\n\n{rules}\n\nanswer := {answer}\n"), version: None };
        let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let data = json::read(br#"{"list": [{"x": {"ok": true}}], "m": {"1": "y", "a": "z"}}"#, 16).unwrap();
        let (fresh, kept) = (program.clone().bind(data.clone()), program.bind(data).keeping());
        let (path, input) = ([Value::from("a"), Value::from("answer")], json::read(asked.as_bytes(), 16).unwrap());
        let request = Request { input: Some(&input), ..Request::default() };
        for bound in [&fresh, &kept, &kept, &kept] {
            let found =
                bound.document(&path, &request).unwrap().map_or_else(|| "undefined".to_owned(), |value| value.to_string());
            assert_eq!(found, expected, "{rules}: {answer} of {asked}");
            kept.prepare_wanted(Limits::default);
        }
    }
}

#[test]
fn nothing_is_computed_without_time() {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bound = bound.bind(json::read(br#"{"things": {"b": "c"}}"#, 16).unwrap()).keeping();
    let path = [Value::from("a"), Value::from("one")];
    let first = bound.document(&path, &Request::default()).unwrap();
    let was_asked = std::cell::Cell::new(0);
    let limits = |time| {
        was_asked.set(was_asked.get() + 1);
        Limits { time, ..Limits::default() }
    };
    bound.prepare_wanted(|| limits(std::time::Duration::ZERO));
    assert_eq!(bound.document(&path, &Request::default()).unwrap(), first);
    bound.prepare_wanted(|| limits(Limits::default().time));
    bound.prepare_wanted(|| limits(Limits::default().time));
    assert_eq!(was_asked.get(), 2, "what there was no time for is still wanted; what is kept is not");
}

fn answers(limits: Option<Limits>) -> (String, u64) {
    let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bound = bound.bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap());
    let bound = match limits {
        Some(limits) => bound.prepared(limits),
        None => bound,
    };
    let input = json::read(br#"{"two": 2}"#, 16).unwrap();
    let (arena, request) = (crate::eval::Arena::new(), Request { input: Some(&input), now_ns: 5, ..Request::default() });
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    let answer = evaluation.document(&[Value::from("a")]).unwrap().unwrap().to_string();
    (answer, evaluation.context().account.steps())
}

#[test]
fn answers_are_the_same_and_cost_less() {
    let (plain, steps) = answers(None);
    let (prepared, less) = answers(Some(Limits::default()));
    assert_eq!(plain, prepared);
    assert!(less * 10 < steps, "{less} {steps}");
    assert!(plain.contains(r#""other": {"x": "Y"}"#) && plain.contains(r#""same": [2, 3]"#), "{plain}");
}

/// What a limit cuts short is evaluated when it is asked for.
#[test]
fn limits_lose_nothing_but_time() {
    let limits = Limits { steps: 1, ..Limits::default() };
    assert_eq!(answers(Some(limits)).0, answers(None).0);
}

/// Whoever wants all definitions tried gets what comes of that, and not what was found by looking them up.
#[test]
fn without_indices_nothing_is_used_that_was_kept() {
    let policy = "package a\n\np if {\n\tq\n\tdata.t == 1\n}\n\nq := 1 if data.on\n\nq := 2 if data.on\n";
    let text = Text { name: "a.rego".to_owned(), text: policy.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bound = bound.bind(json::read(br#"{"t": 2, "on": true}"#, 16).unwrap()).prepared(Limits::default());
    let asked = |without_indices| {
        let request = Request { without_indices, ..Request::default() };
        bound.document(&["a".into(), "p".into()], &request).map_err(|error| error.to_string())
    };
    assert_eq!(asked(false), Ok(None));
    assert!(asked(true).unwrap_err().contains("data.a.q produced conflicting values"));
}
