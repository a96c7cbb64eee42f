use super::*;
use crate::rego::{Module, RegoVersion, parse};

pub(super) fn checked(texts: &[&str]) -> Vec<String> {
    let modules: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let module = Module { key: format!("m{at}"), text: (*text).into() };
            parse::parse(&module, RegoVersion::Auto).unwrap()
        })
        .collect();
    let text =
        |e: &Diagnostic| format!("{}:{}: {}: {}", e.location.row, e.location.col, e.code.trim_start_matches("rego_"), e.message);
    check(&modules).iter().map(text).collect()
}

/// Module below `package a`, and OPA 1.22's answer.
const REFUSED: &[(&str, &[&str])] = &[
    ("p if { x }", &["2:8: unsafe_var_error: var x is unsafe"]),
    ("p if { not x }", &["2:8: unsafe_var_error: var x is unsafe"]),
    ("p contains x if { true }", &["2:12: unsafe_var_error: var x is unsafe"]),
    ("p := [x | y := 1; y > 0]", &["2:6: unsafe_var_error: var x is unsafe"]),
    ("p if { every x in input.xs { x > y } }", &["2:30: unsafe_var_error: var y is unsafe"]),
    ("p if { x > 1; x == 2 }", &["2:8: unsafe_var_error: var x is unsafe"]),
    ("p := f(1)", &["2:6: type_error: undefined function f"]),
    ("p := count(1, 2, 3)", &["2:6: type_error: count: arity mismatch"]),
    ("f(x) := x\np := f(1, 2, 3)", &["3:6: type_error: function data.a.f has arity 1, got 3 arguments"]),
    ("p if { p }", &["2:1: recursion_error: rule data.a.p is recursive: data.a.p -> data.a.p"]),
    ("p := data.a[input.x]", &["2:1: recursion_error: rule data.a.p may be recursive: data.a.p -> data.a.p"]),
    ("f(x) := f(x)", &["2:1: recursion_error: rule data.a.f is recursive: data.a.f -> data.a.f"]),
    ("p := 1\np contains 2", &["2:1: type_error: conflicting rules data.a.p found"]),
    ("p := 1\np(x) := x", &["2:1: type_error: conflicting rules data.a.p found"]),
    ("default p := 1\ndefault p := 2", &["1:1: type_error: multiple default rules data.a.p found at m0:2, m0:3"]),
    ("p if { x := 1; x := 2 }", &["2:16: compile_error: var x assigned above"]),
    ("p if { some x; input.y }", &["2:8: compile_error: declared var x unused"]),
    ("f(x) := 1 if { x := 2 }", &["2:16: compile_error: arg x redeclared"]),
    ("p if { not x := 1 }", &["2:8: compile_error: cannot assign vars inside negated expression"]),
    ("p if { input.x := 1 }", &["2:8: compile_error: cannot assign to ref"]),
    ("f(x) := x\np if { f }", &["3:8: type_error: function data.a.f used as reference, not called"]),
    (
        "p if { true with foo as 1 }",
        &["2:18: type_error: with keyword target must reference existing input, data, or a function"],
    ),
    ("p if { print(x); x = 1 }", &["2:14: compile_error: var x is undeclared"]),
    (
        "p := http.send({})",
        &["2:6: type_error: built-in function http.send is not available: a decision must not depend on the network"],
    ),
    ("import data.x\nimport data.y.x\np := x", &["3:1: compile_error: import must not shadow import data.x"]),
];

#[test]
fn refused_as_opa_does() {
    for (text, expected) in REFUSED {
        assert_eq!(checked(&[&format!("package a\n{text}")]), *expected, "{text}");
    }
}

#[test]
fn rules_of_several_modules_are_one_set() {
    let cycle = checked(&["package a\np if data.b.q", "package b\nq if data.a.p"]);
    assert_eq!(
        cycle,
        [
            "2:1: recursion_error: rule data.a.p is recursive: data.a.p -> data.b.q -> data.a.p",
            "2:1: recursion_error: rule data.b.q is recursive: data.b.q -> data.a.p -> data.b.q",
        ]
    );
    assert_eq!(checked(&["package a\nb := 1", "package a.b\nc := 2"]).len(), 2);
}

#[test]
fn a_builtin_replaces_nothing() {
    let refused = |name: &str, col: usize| {
        let message = "is not available as a replacement in `with`: name a function of a policy that calls it";
        vec![format!("2:{col}: type_error: built-in function {name} {message}")]
    };
    let unsafe_at = |name: &str, col: usize| vec![format!("2:{col}: unsafe_var_error: var {name} is unsafe")];
    let table = [
        ("p if { count([1]) == 1 with count as sum }", refused("sum", 38)),
        ("p if { f(1) with f as json.is_valid }\nf(x) := x", refused("json.is_valid", 23)),
        ("p if { not f(1) with data.a.f as count }\nf(x) := x", refused("count", 34)),
        ("p := [y | y := f(1) with f as count]\nf(x) := x", refused("count", 31)),
        ("p if { time.now_ns() == 1 with time.now_ns as opa.runtime }", refused("opa.runtime", 47)),
        ("p if { f(1) with f as plus }\nf(x) := x", vec!["2:8: type_error: data.a.f: arity mismatch".to_owned()]),
        // OPA says so too: only a function has a function in its place.
        ("p if { input.x with input.x as count }", unsafe_at("count", 32)),
        ("p if { data.x with data.x as json.is_valid }", unsafe_at("json", 30)),
        ("p if { q with q as count }\nq := 1", unsafe_at("count", 20)),
        // A function of the policy, and variables and rules that are called like a builtin.
        ("p if { count([1]) == 1 with count as g }\ng(x) := sum(x)", vec![]),
        ("p if { count := 3; f(1) == 3 with f as count }\nf(x) := x", vec![]),
        ("p if { f(1) == 3 with f as count }\nf(x) := x\ncount := 3", vec![]),
        ("p if { f(1) == 3 with f as count([1]) }\nf(x) := x", vec![]),
    ];
    for (text, expected) in table {
        assert_eq!(checked(&[&format!("package a\n{text}")]), expected, "{text}");
    }
}

#[test]
fn what_opa_accepts_is_accepted() {
    for text in [
        "p if { x > 1; x = 2 }",
        "p contains n if some n, c in data.clusters; q := count(p)",
        "p[k].v := v if { some k, v in input.m }\nq := p.x.v",
        "p := {k: v | some k; v := data.c[k]; not startswith(v.n, \"t\")}",
        "f(x) := y if { split(x, \"-\", y) } else := [] if { x == \"\" }",
        "p if { every k, v in input { k != v; f(k) } }\nf(x) if x",
        "default p := false\np if { input.x with input as {\"x\": 1} with count as 3 }",
        "p := x if { some k in [\"q\"]; x := data.a[k] }\nq := 1",
        "p if { y := [x | x := input.xs[_]]; count(y) > 0; not y[0] == \"a\" }",
        "p if { [x, y] := [1, 2]; {\"a\": z} := {\"a\": x}; y != z }",
        "a.b.c := 1\na.b.d[x] := x if some x in [1]\nq := a.b",
        "deny contains msg if { walk(input, [path, value]); msg := sprintf(\"%v %v\", [path, value]) }",
    ] {
        assert_eq!(checked(&[&format!("package a\n{}", text.replace("; q :=", "\nq :="))]), [""; 0], "{text}");
    }
    assert_eq!(
        checked(&["package a\np[x] { x := input.xs[_]; not q[x] }\nq[1] { true }\nr = y { y = p[_] } else = 2 { true }"]),
        [""; 0]
    );
}

#[test]
fn long_chains_of_rules_do_not_overflow() {
    let mut text = "package a\nr0 := 1\n".to_owned();
    (1..3000).for_each(|n| text.push_str(&format!("r{n} := r{}\n", n - 1)));
    assert_eq!(checked(&[&text]), [""; 0]);
    text.push_str("r := r2999\n");
    assert_eq!(checked(&[&text.replace("r0 := 1", "r0 := r2999")]).len(), 1001);
}

#[test]
fn errors_have_a_limit_and_no_line_of_any_length() {
    let text = format!("package a\np := [{}1]\n", "f(1), ".repeat(20_000));
    let module = Module { key: "m.rego".into(), text };
    let errors = super::check(&[parse::parse(&module, RegoVersion::Auto).unwrap()]);
    assert_eq!((errors.len(), errors.last().unwrap().message.as_str()), (1001, "error limit reached"));
    assert!(errors.iter().flat_map(|error| &error.details).all(String::is_empty));
}

/// OPA's answer to those that are refused is nothing, or an internal error, though every variable has a value.
#[test]
fn what_opa_comes_to_before_its_variables_is_refused() {
    for (body, refused) in [
        ("x = 2; every e in [i] { lst[e] = x }; lst[i] = x", true),
        ("x := 2; every e in z { e == x }; z = [lst]", true),
        ("x = 2; z != {q | lst[q] = x}; z = lst[_]", true),
        ("x = 2; not z == {q | lst[q] = x}; z = lst[_]", true),
        ("y := [1 | x := 2; every e in [i] { lst[e] = x }; lst[i] = x]", true),
        ("every e in [i] { lst[e] = x }; lst[i] = x; x = 2", false),
        ("x = 2; lst[i] = x; every e in [i] { lst[e] = x }", false),
        ("x = 2; every e in lst[i] { e != x }; i = 1", false),
        ("x = 2; w = [z, {q | lst[q] = x}]; z = lst[_]", false),
        ("every e in lst { e != w }; w = {q | lst[q] = x}; x = 2", false),
    ] {
        let errors = checked(&[&format!("package a\nlst := [1, 2]\np if {{ {body} }}")]);
        let place = if refused { vec![true] } else { vec![] };
        let early = |error: &String| error.contains("compile_error: OPA comes to this statement before");
        assert_eq!(errors.iter().map(early).collect::<Vec<_>>(), place, "{body}: {errors:?}");
    }
}
