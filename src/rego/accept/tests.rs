use super::*;
use crate::rego::{Module, RegoVersion, parse};

fn checked(texts: &[&str]) -> Vec<String> {
    let modules: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let module = Module { key: format!("m{at}.rego"), text: (*text).into() };
            parse::parse(&module, RegoVersion::Auto).unwrap()
        })
        .collect();
    check(&modules)
        .iter()
        .map(|e| format!("{}:{}:{}: {}: {}", e.location.file, e.location.row, e.location.col, e.code, e.message))
        .collect()
}

#[test]
fn first_errors() {
    for (text, expected) in [
        ("package a\np if { x }", "m0.rego:2:8: rego_unsafe_var_error: var x is unsafe"),
        ("package a\np := f(1)", "m0.rego:2:6: rego_type_error: undefined function f"),
    ] {
        assert_eq!(checked(&[text]), [expected], "{text}");
    }
}
