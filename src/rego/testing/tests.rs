//! Tests of tests, with the verdicts of `opa test`.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::rego::{Module, RegoVersion};

const POLICY: &str = "package a\n\nallow if input.user == data.admin\n\nw(x) := x * 2\n";
const TESTS: &str = r#"package a

test_ok if true

test_false := false

test_undefined if input.x

test_string := "x"

test_conflict := x if some x in [1, 2]

test_set contains x if some x in [1]

todo_test_x if true

test_cases[note] if some note in ["one"]

test_function(x) := x

test_dup if true

test_dup if false

not_test_x if true

test_print if { print("hello", 1) }

test_with if allow with input as {"user": "x"} with data.admin as "x"

test_with_function if { y := w(1) with w as 7; y == 7 }

test_from_data if data.admin == "root"

group.test_b if false

group.test_b if true

group["test c"].todo_test_d if true

default test_default := true

test_default if false

default test_no := 1
"#;

fn run(test: &Test, prepared: &Prepared) -> (String, Vec<String>) {
    let run = prepared.run_test(test, None, &Limits::default());
    let verdict = match run.verdict {
        Verdict::Error(e) => format!("Error {e}"),
        other => format!("{other:?}"),
    };
    (verdict, run.prints)
}

#[test]
fn tests_end_as_in_opa() {
    let module = |key: &str, text: &str| Module { key: key.into(), text: text.into() };
    let modules = [module("a.rego", POLICY), module("a_test.rego", TESTS)];
    let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
    let prepared = program.prepare(json!({"admin": "root"}).into()).unwrap();
    let tests = program.tests();
    let found = tests.iter().map(|test| (test.name.as_str(), run(test, &prepared).0));
    let found: Vec<_> = found.map(|(name, verdict)| format!("{name} {}", verdict.split(' ').next().unwrap_or(""))).collect();
    let expected = [
        "test_ok Pass",
        "test_false Fail",
        "test_undefined Fail",
        "test_string Fail",
        "test_conflict Error",
        "test_set Fail",
        "todo_test_x Skip",
        "test_cases Pass",
        "test_function Error",
        "test_dup Pass",
        "test_dup#01 Fail",
        "test_print Pass",
        "test_with Pass",
        "test_with_function Pass",
        "test_from_data Pass",
        "group.test_b Fail",
        "group[\"test_b#01\"] Pass",
        "group[\"test c\"].todo_test_d Skip",
        "test_default Pass",
        "test_default#01 Fail",
        "test_no Fail",
    ];
    assert_eq!(found, expected);
    let printing = tests.iter().find(|test| test.name == "test_print").unwrap();
    assert!(run(printing, &prepared).1.concat().contains("hello 1"));
    let second = tests.iter().find(|test| test.name == "test_dup#01").unwrap();
    assert_eq!((second.to_string(), second.location.to_string()), ("data.a.test_dup#01".into(), "a_test.rego:23:1".into()));
}

/// What `opa test` says of the same: the cases that failed, below others with a dot.
#[test]
fn cases_are_those_of_opa() {
    let tests = r#"package a

test_k["a"] := true

test_m.a := true

test_n["b"] := false

test_o.x.y := true

test_u["a"] if false

test_t[note] if {
	some note, tc in {"one": {"a": 1, "w": 1}, "two": {"a": 2, "w": 1}}
	tc.a == tc.w
}

test_v[tc.note] := tc.a == 1 if some tc in [{"note": "x", "a": 1}, {"note": "y", "a": 2}]

test_w[note][n] if {
	some note, ns in {"p": [1, 2], "q": [3, 4]}
	some n in ns
	n != 4
}

test_q[1] := true

test_s[x] if some x in []

test_y := {"a": true}

test_i[i] if {
	some i
	[7, 8][i]
	i == 0
}
"#;
    let modules = [Module { key: "a_test.rego".into(), text: tests.into() }];
    let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
    let prepared = program.prepare(json!({}).into()).unwrap();
    let line = |test: &Test| {
        let run = prepared.run_test(test, None, &Limits::default());
        format!("{} {:?} {}", test.name, run.verdict, serde_json::to_string(&run.cases).unwrap())
    };
    let found: Vec<String> = program.tests().iter().map(line).collect();
    let case = |name: &str, fail: bool| {
        if fail { format!(r#""{name}":{{"name":"{name}","fail":true}}"#) } else { format!(r#""{name}":{{"name":"{name}"}}"#) }
    };
    let expected = [
        format!("test_k Pass {{{}}}", case("a", false)),
        format!("test_m Pass {{{}}}", case("a", false)),
        format!("test_n Fail {{{}}}", case("b", true)),
        "test_o Fail {}".to_owned(),
        "test_u Fail {}".to_owned(),
        format!("test_t Fail {{{},{}}}", case("one", false), case("two", true)),
        format!("test_v Fail {{{},{}}}", case("x", false), case("y", true)),
        format!(
            r#"test_w Fail {{"p":{{"name":"p","sub_results":{{{},{}}}}},"q":{{"name":"q","fail":true,"sub_results":{{{},{}}}}}}}"#,
            case("1", false),
            case("2", false),
            case("3", false),
            case("4", true)
        ),
        format!("test_q Pass {{{}}}", case("1", false)),
        "test_s Pass {}".to_owned(),
        "test_y Fail {}".to_owned(),
        format!("test_i Fail {{{},{}}}", case("0", false), case("1", true)),
    ];
    assert_eq!(found, expected);
}
