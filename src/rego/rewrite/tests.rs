use std::sync::Arc;

use super::*;
use crate::rego::{EvalError, Limits, Module, Program, RegoVersion, Value};

/// The document `data.n.r`.
fn answer(text: &str, input: &str) -> Result<Option<serde_json::Value>, EvalError> {
    let module = Module { key: "n.rego".into(), text: text.into() };
    let program = Arc::new(Program::compile(&[module], RegoVersion::Auto).unwrap());
    let input = Value::from_json(input.as_bytes()).unwrap();
    let prepared = program.prepare(Value::object([])).unwrap();
    prepared.document(&["n".into(), "r".into()], Some(&input), &Limits::default())
}

/// Each rule is one way to negate what is undefined; the list is what OPA 1.22 answers.
#[test]
fn what_is_negated_is_lifted_as_opa_does() {
    let input = r#"{"ls": [{}], "ks": ["a"], "c": {}, "js": "{}", "sx": "x", "A": "A", "names": ["t1", "u1"], "lists": [["t"], ["u"]], "f": false}"#;
    let expected = serde_json::json!([
        "call chain ref",
        "compr arg",
        "false arg",
        "index by call",
        "input eq",
        "input unify",
        "local eq",
        "local unify",
        "object.get def",
        "plain input",
        "plain local",
        "rule undef eq"
    ]);
    assert_eq!(answer(include_str!("tests/negation.rego"), input).unwrap(), Some(expected));
}

#[test]
fn a_place_inside_what_was_lifted_leads_back_to_the_negation() {
    let text = "package n\n\nr := x if {\n\tsome c in input.cs\n\tnot startswith(c.l, \"t\")\n\tx := 1 / c.zero\n}\n";
    let rewritten = rewritten(text);
    assert!(rewritten.text.contains("lifted0_0 := c.l; not startswith(lifted0_0, \"t\")"), "{}", rewritten.text);
    assert_eq!(rewritten.original(5, 10), (5, 5));
    assert_eq!(rewritten.original(6, 7), (6, 7));
}

#[test]
fn a_place_in_the_body_of_every_leads_back() {
    let text = "package n\n\nr if {\n\tevery key, x in input.xs { input[key] / x == 1\n\t\tx < 1 }\n}\n";
    let rewritten = rewritten(text);
    assert!(rewritten.text.contains("every each0, each1 in input.xs { key := each0; x := each1; "), "{}", rewritten.text);
    assert_eq!(rewritten.original(4, 11), (4, 11));
    assert_eq!(rewritten.original(5, 9), (5, 9));
}

/// A module as it is rewritten alone.
fn rewritten(text: &str) -> Rewritten {
    let module = crate::rego::parse::parse(&Module { key: "n.rego".into(), text: text.into() }, RegoVersion::Auto).unwrap();
    let parse = |text: &str| {
        let mut interpreter = crate::rego::interpreter::Interpreter::new(std::iter::empty());
        interpreter.add("n.rego", text, true)?;
        Ok(interpreter.trees().remove(0))
    };
    rewrite(&module, &Packages::default(), parse).unwrap()
}

/// Each would end the process, or run for minutes.
#[test]
fn builtins_that_allocate_by_argument_are_bounded() {
    for (call, expected) in [
        ("numbers.range(1, 1000000000000)", "numbers.range would make more than"),
        ("numbers.range_step(1, 1000000000000, 2)", "numbers.range_step would make more than"),
        ("numbers.range(-9007199254740993, 1)", "numbers.range would make more than"),
        ("bits.lsh(1, 9007199254740993)", "bits.lsh would shift by more than"),
        (r#"sprintf("%1000000000d", [1])"#, "sprintf would pad to more than"),
        ("bits.lsh(1, 1000000000000)", "bits.lsh would shift by more than"),
        (r#"net.cidr_expand("::/0")"#, "net.cidr_expand would make more than"),
        (r#"replace(big, "a", big)"#, "replace would make more than"),
        ("concat(big, many)", "concat would make more than"),
        ("json.marshal(many)", "json.marshal would make more than"),
        (r#"numbers["range"](1, 1000000000000)"#, "numbers.range would make more than"),
        (r#"numbers["r\u0061nge"](1, 1000000000000)"#, "numbers.range would make more than"),
        (r#"array["concat"](numbers["range"](1, 999999), numbers["range"](1, 999999))"#, "array.concat would make more than"),
        (r#"strings.replace_n({"a": big}, big)"#, "strings.replace_n would make more than"),
    ] {
        let big = r#"big := concat("a", ["" | some _ in numbers.range(1, 10000)])"#;
        let many = "many := [big | some _ in numbers.range(1, 2000)]";
        let text = format!("package n\n\n{big}\n\n{many}\n\nr := {call}\n");
        let error = answer(&text, "{}").unwrap_err().to_string();
        assert!(error.contains(expected), "{call}: {error}");
        assert!(error.contains("n.rego:"), "{call}: {error}");
    }
}

#[test]
fn bounded_builtins_answer_as_before() {
    for (call, expected) in [
        ("numbers.range(3, 1)", serde_json::json!([3, 2, 1])),
        ("numbers.range_step(0, 4, 2)", serde_json::json!([0, 2, 4])),
        (r#"sprintf("%03d|%s", [7, "x"])"#, serde_json::json!("007|x")),
        (r#"concat("-", ["a", "b"])"#, serde_json::json!("a-b")),
        ("bits.lsh(1, 4)", serde_json::json!(16)),
        (r#"json.marshal({"a": [1]})"#, serde_json::json!(r#"{"a":[1]}"#)),
        (r#"replace("aXa", "a", "b")"#, serde_json::json!("bXb")),
        ("array.concat([1], [2])", serde_json::json!([1, 2])),
    ] {
        assert_eq!(answer(&format!("package n\n\nr := {call}\n"), "{}").unwrap(), Some(expected), "{call}");
    }
    // OPA: the step must be a positive number; the call is undefined.
    assert_eq!(answer("package n\n\nr := numbers.range_step(0, 4, 0)\n", "{}").unwrap(), None);
}

/// A key that is named has no other order than the interpreter's: no answer rather than another one than OPA's.
#[test]
fn a_named_key_beside_sets_and_objects_has_no_wrong_order() {
    let mixed = "{{1}, {}}";
    for list in [
        "[k | some k, _ in MIXED]",
        "[x | some x; MIXED[x]]",
        "[x | MIXED[x] == x]",
        "[x | {{1}, [], {\"a\": 2}}[{\"a\": x}]]",
        "[v | walk({\"a\": MIXED}, [_, v])]",
    ] {
        let error = answer(&format!("package n\nr := {}", list.replace("MIXED", mixed)), "{}").unwrap_err().to_string();
        assert!(error.contains("go through them without naming keys"), "{list}: {error}");
    }
    let kept = [
        "{x | MIXED[x]}",
        "{MIXED[x] | true}",
        "{x: MIXED[x] | true}",
        "[x | some x; {1, {}}[x]]",
        "[x | x := {1}; MIXED[x]]",
        "[x | {{1}, {}, [1, 2]}[[1, x]]]",
        "[v | walk({\"a\": {1}}, [_, v])]",
    ];
    for list in kept {
        assert!(answer(&format!("package n\nr := {}", list.replace("MIXED", mixed)), "{}").is_ok(), "{list}");
    }
}

#[test]
fn values_too_many_to_compare_end_the_evaluation() {
    let doubled = (1..=19).map(|n| format!("x{n} := [x{}, x{}]", n - 1, n - 1)).collect::<Vec<_>>().join("\n");
    let text = format!("package n\nx0 := [set()]\n{doubled}\nr if x19 < [x18, [{{}}]]");
    let error = answer(&text, "{}").unwrap_err().to_string();
    assert!(error.contains("a comparison would put more than"), "{error}");
}

/// OPA has an answer to each, by digits that are not kept.
#[test]
fn what_digits_beyond_a_double_decide_ends_the_evaluation() {
    let (beyond, near) = ("beyond 64-bit floating point", "too near to be told apart");
    for (body, expected) in [
        ("x := 1.5e300 * 1.5e300 * 0.5; x > 1", beyond),
        ("x := input.large * input.large / 3; x > 1", beyond),
        ("x := 1.5e-300; y := x * x; y == 0", beyond),
        ("sum([1e308, 1e308, 0.5]) > 1", beyond),
        ("product([1e308, 1e308, 0.5]) > 1", beyond),
        ("x := 18446744073709551617 / 1; x > 1", "more digits than 64-bit floating point has"),
        ("x := 9007199254740993 / 10 * 10.5; x > 1", near),
    ] {
        let text = format!("package n\n\nr if {{ {body} }}\n");
        let error = answer(&text, r#"{"large": 1.5e300, "a": 0.7234567890123456, "b": 0.7234567890123459}"#);
        assert!(error.as_ref().is_err_and(|error| error.to_string().contains(expected)), "{body}: {error:?}");
    }
}
