//! The memory limit holds for the whole process, hence a process of its own.

use std::sync::Arc;
use std::time::Duration;

use plimsoll::rego::limits::install_memory_limit;
use plimsoll::rego::{EvalError, Limits, Module, Program, RegoVersion, Value};
use serde_json::json;

const POLICY: &str = r#"package a

small := count([i | some i in numbers.range(1, 100)])

text := concat("", ["x" | some _ in numbers.range(1, 10000)])

large := count([s | some i in numbers.range(1, 100); some j in numbers.range(1, 200); s := sprintf("%s%d", [text, i * j])])
"#;

#[test]
fn an_evaluation_beyond_the_limit_ends_and_the_next_one_works() {
    install_memory_limit(Some(96 << 20));
    let module = Module { key: "a.rego".into(), text: POLICY.into() };
    let program = Arc::new(Program::compile(&[module], RegoVersion::V1).unwrap());
    let prepared = program.prepare(Value::default()).unwrap();
    let limits = Limits { time: Duration::from_secs(120), ..Limits::default() };
    let at = |name: &str| prepared.document(&["a".into(), name.into()], None, &limits);
    for _ in 0..2 {
        let error = at("large").unwrap_err();
        assert!(matches!(&error, EvalError::Limit { limit, .. } if limit.contains("memory limit")), "{error}");
        assert_eq!(at("small").unwrap(), Some(json!(100).into()));
    }
    let text = format!("[{}1]", format!("\"{}\",", "x".repeat(1000)).repeat(100_000));
    let error = Value::from_json(text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("memory limit"), "{error}");
    install_memory_limit(None);
    assert!(Value::from_json(text.as_bytes()).is_ok());
}
