//! Builtins of a program's own, beside those of OPA.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use plimsoll_rego::builtins::error::Answer;
use plimsoll_rego::builtins::{Builtin, BuiltinError, Context, Dependence, Type, operand, row};
use plimsoll_rego::compile::Options;
use plimsoll_rego::depend::Dependencies;
use plimsoll_rego::program::{Program, Request, Text};
use plimsoll_rego::value::{Value, json};

const ROWS: &[Builtin] = &[
    row("fleet.age", &[Type::String], Some(Type::Number)).by(age).depends(Dependence::Clock),
    row("is_home", &[Type::Any], Some(Type::Boolean)).by(is_home),
];

/// Nanoseconds since a number of nanoseconds.
fn age(context: &mut Context, operands: &[&Value]) -> Answer {
    let since: i64 = operand::string(operands, 0)?.parse().map_err(|_| BuiltinError::failed("no number"))?;
    Ok(Some(Value::Int(context.now_ns.saturating_sub(since))))
}

fn is_home(_: &mut Context, operands: &[&Value]) -> Answer {
    Ok(Some(Value::from(operand::at(operands, 0)?.get(&"home".into()) == Some(&Value::True))))
}

fn compile(rules: &str) -> Result<Arc<Program>, String> {
    let text = Text { name: "a.rego".to_owned(), text: format!("package a\n{rules}"), version: None };
    let options = Options { extra_builtins: ROWS, ..Options::default() };
    Program::compile(&[text], &options).map(Arc::new).map_err(|refused| refused.errors.to_string())
}

/// `data.a.v`, or what is wrong.
fn answer(rules: &str) -> String {
    let bound = match compile(rules) {
        Ok(program) => program.bind(Value::object([])),
        Err(errors) => return errors,
    };
    let input = json::read(br#"{"name": "b", "home": true}"#, 8).unwrap();
    let request = Request { input: Some(&input), now_ns: 50, strict_builtin_errors: true, ..Request::default() };
    match bound.document(&["a", "v"].map(Value::from), &request) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn they_are_called_checked_and_replaced_like_those_of_opa() {
    for (rules, wanted) in [
        (r#"v := fleet.age("8")"#, "42"),
        ("v if is_home(input)", "true"),
        ("v if not is_home({})", "true"),
        ("v if fleet.age(\"8\", 42)", "true"),
        (r#"v := x if x := fleet.age("8") with fleet.age as 7"#, "7"),
        ("f(_) := 6\nv := x if x := fleet.age(\"8\") with fleet.age as f", "6"),
        (r#"v := x if x := count("abc") with count as fleet.age"#, "eval_builtin_error: fleet.age: no number"),
        (r#"v := fleet.age("x")"#, "eval_builtin_error: fleet.age: no number"),
        ("v := fleet.age(1)", "rego_type_error: fleet.age: invalid argument(s)"),
        ("v := fleet.age()", "rego_type_error: fleet.age: arity mismatch"),
        ("v := fleet.name(1)", "rego_type_error: undefined function fleet.name"),
    ] {
        assert_eq!(answer(rules), wanted, "{rules}");
    }
}

#[test]
fn what_they_are_given_is_read_whole() {
    let program = compile("v if is_home(input)\nw if is_object(input)\nx := fleet.age(input.name)").unwrap();
    let depend = Dependencies::of(program.policy());
    let input = json::read(br#"{"name": "b", "home": true}"#, 8).unwrap();
    let reads = |rule: &str| depend.entry(program.policy(), &["a", rule].map(Value::from));
    assert_eq!(reads("v").project(&input), input);
    assert_ne!(reads("w").project(&input), input);
    assert!(!reads("v").clock);
    assert!(reads("x").clock);
}
