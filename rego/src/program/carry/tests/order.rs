//! What depends on what was evaluated before: numbers that may be written in two ways, and what is asked for at its keys.

use super::*;

/// One operand that could be written otherwise is enough, wherever it stands.
#[test]
fn what_is_asked_for_with_such_a_number_is_found_again() {
    for (asked_for, kept) in [
        ("f(1, \"a\")", 1),
        ("f(1.0, \"a\")", 0),
        ("f(\"a\", 1.0)", 0),
        ("f([2], {\"k\": [3, 1.0]})", 0),
        ("t[1]", 1),
        ("t[1.0]", 0),
        ("t[[2, 1.0]]", 0),
        ("u[1][\"a\"]", 1),
        ("u[\"a\"][1.0]", 0),
    ] {
        let rules = "f(x, y) := [x, y]\n\nt[x] := y if some y, x in [1, [2, 1], 3]\n\nu[x][y] := 1 if {\n\tsome x in [1, \"a\"]\n\tsome y in [1, \"a\"]\n}\n";
        let text = format!("package a\n\nnoted := [{asked_for}, data.limit]\n\n{rules}");
        let text = Text { name: "a.rego".to_owned(), text, version: None };
        let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let older = program.bind(fleet(0, "us", "1")).keeping();
        asked(&older, "noted");
        let newer = older.program().bind(fleet(7, "us", "1")).succeeding(&older);
        assert_eq!(newer.kept(), kept, "{asked_for}");
    }
}

/// Functions are computed once for what is equal, and answer as the first operand was written.
#[test]
fn what_was_evaluated_before_is_not_forgotten_by_what_is_kept() {
    let text = r#"package a

kept := f(data.x)

p := [kept, f(input.y)]

q := [f(input.y), kept]

f(x) := y if some y in [[x, count(numbers.range(1, 100))]]
"#;
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    for (x, y) in [("1", "1.0"), ("1.0", "1"), ("1", "1"), ("0.5", "0.50")] {
        let bind = || program.clone().bind(data(&format!(r#"{{"x": {x}}}"#)));
        let (kept, fresh, input) = (bind().keeping(), bind(), data(&format!(r#"{{"y": {y}}}"#)));
        for name in ["p", "q", "kept", "p", "q"] {
            let path = [Value::from("a"), Value::from(name)];
            let [kept_says, found] = [&kept, &fresh].map(|bound| {
                let request = Request { input: Some(&input), ..Request::default() };
                bound.document(&path, &request).unwrap().unwrap().to_string()
            });
            assert_eq!(kept_says, found, "{name} {x} {y}");
            kept.prepare_wanted(Limits::default);
        }
    }
}

/// The same where the numbers stand in the policy, or are read from a text.
#[test]
fn what_is_written_otherwise_on_the_way_is_found_again() {
    let text = r#"package a

whole := h(1) if data.x

first := [whole, h(1.0)]

last := [h(1.0), whole]

read := [h(json.unmarshal(input.y)), {"a": whole}, keyed[json.unmarshal(input.y)]]

keyed[k] := [k, whole] if some k in [1, 2]

h(x) := [x]
"#;
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bind = || program.clone().bind(data(r#"{"x": true}"#));
    let (kept, fresh) = (bind().keeping(), bind());
    for y in ["1", "1.0"] {
        let input = data(&format!(r#"{{"y": "{y}"}}"#));
        let request = Request { input: Some(&input), ..Request::default() };
        for name in ["whole", "first", "last", "read", "whole", "first", "last", "read"] {
            let path = [Value::from("a"), Value::from(name)];
            let [kept_says, found] = [&kept, &fresh].map(|bound| bound.document(&path, &request).unwrap().unwrap().to_string());
            assert_eq!(kept_says, found, "{name} {y}");
            kept.prepare_wanted(Limits::default);
        }
        assert!(kept.kept() > 0);
    }
}

/// Of members that are asked for at a key behind the first, or at a set, it matters whether all members were made before.
#[test]
fn what_is_asked_for_at_its_keys_is_found_again() {
    let text = r#"package a

two := {"whole": by_region, "at": at_number}

at_number := by_region.eu[1]

by_region[r][n] := 5 if r := data.fleet[n].region

sets := {"whole": below, "at": at_set, "matches": at_pattern}

at_set if below.k[{1}]

at_pattern := v if below.k[[v, {1}]]

below[k] contains {x} if {
	some k in ["k", "l"]
	x := data.one
}

below[k] contains ["a", {x}] if {
	some k in ["k", "l"]
	x := data.one
}

patterns := [all_pairs, by_pattern] if input.y

all_pairs := paired

by_pattern := [v | input.y; some c in data.list; paired[[v, {c.n}]]]

paired contains [x, {x}] if some x in [1]

keys := [all_keyed, by_key] if input.y

all_keyed := keyed

by_key := [v | input.y; some c in data.list; keyed[[v, {c.n: 1}]]]

keyed contains [x, {x: 1}] if some x in [1]

arrays := {"whole": within, "at": within_at}

within_at if within[["a", {1}]]

within contains ["a", {x}] if some x in [1]

constants := {"whole": alone, "at": alone_at}

alone_at if alone[{1}]

alone contains {x} if some x in [1]

functions := {"whole": whole, "at": by_function} if {
	input.y
	whole := alone
}

by_function := [c.n | input.y; some c in data.list; holds(c)]

holds(c) if {
	count([x | some x in c.t]) >= 0
	alone[{c.n}]
}
"#;
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bind = || {
        program
            .clone()
            .bind(data(r#"{"fleet": {"1": {"region": "eu"}, "2": {"region": "us"}}, "one": 1, "list": [{"n": 1, "t": ["x"]}]}"#))
    };
    let kept = bind().keeping();
    let input = data(r#"{"y": true}"#);
    let request = Request { input: Some(&input), ..Request::default() };
    let names = [
        "by_pattern",
        "patterns",
        "by_key",
        "keys",
        "within_at",
        "arrays",
        "by_function",
        "functions",
        "at_number",
        "two",
        "at_set",
        "at_pattern",
        "sets",
        "alone_at",
        "constants",
        "alone",
        "below",
        "by_region",
        "",
    ];
    for _ in 0..3 {
        for name in names {
            let path = [Value::from("a"), Value::from(name)];
            let path = if name.is_empty() { path.get(..1).unwrap() } else { &path[..] };
            let [kept_says, found] = [&kept, &bind()].map(|bound| bound.document(path, &request).unwrap());
            assert_eq!(kept_says.map(|value| value.to_string()), found.map(|value| value.to_string()), "{name}");
            kept.prepare_wanted(Limits::default);
        }
    }
    assert!(kept.kept() > 0);
}

/// A decision that uses nothing that is kept costs what it did.
#[test]
fn what_is_written_otherwise_is_found_again_only_where_something_kept_was_used() {
    let text = "package a\n\nwhole := h(1) if data.x\n\nalone := h(1.0) if input.y\n\nwith_it := [whole, h(1.0)] if input.y\n\nh(x) := [x]\n";
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(data(r#"{"x": true}"#)).keeping();
    let input = data(r#"{"y": 1}"#);
    let request = Request { input: Some(&input), ..Request::default() };
    let is_in_doubt = |name: &str| {
        let arena = Arena::new();
        let mut evaluation = bound.evaluation(&arena, &request, request.options());
        evaluation.document(&["a".into(), name.into()]).unwrap();
        bound.prepare_wanted(Limits::default);
        evaluation.is_in_doubt()
    };
    let found: Vec<_> = ["alone", "with_it", "alone", "with_it"].map(is_in_doubt).into();
    assert_eq!(found, [false, false, false, true]);
}

/// An answer that a function has to give is its answer for whoever calls it later.
#[test]
fn what_functions_have_to_answer_is_found_again() {
    let text = r#"package a

g(x) := 1 if x

else := 2

h(x) := [x, "y"] if count(x) > 0

else := [x, "z"]

one := g(data.x.n)

two := h(data.x)

p := [one, g(data.x.n)] if g(data.x.n, 2)

q := [one, g(data.x.n)] if not g(data.x.n, 2)

r := [v, one] if {
	v := one
	not g(data.x.n, 2)
}

s := [v, two, h(data.x)] if h(data.x, [v, "z"])

t := [v, two] if h(data.x, [v, "y"])
"#;
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let bind = || program.clone().bind(data(r#"{"x": {"n": 1}}"#));
    let kept = bind().keeping();
    for name in ["one", "two", "p", "q", "r", "s", "t", "p", "s", "one", "two", "q", "r"] {
        let path = [Value::from("a"), Value::from(name)];
        let [kept_says, found] = [&kept, &bind()].map(|bound| bound.document(&path, &Request::default()).unwrap());
        assert_eq!(kept_says.map(|value| value.to_string()), found.map(|value| value.to_string()), "{name}");
        kept.prepare_wanted(Limits::default);
    }
    assert!(kept.kept() > 0);
}
