//! Traces of tests that fail, beside those that `opa test` shows (`record_failing.sh`).

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Program, Request, Text};
use plimsoll_rego::testing;
use plimsoll_rego::trace::{self, Explain};
use plimsoll_rego::value::Value;

/// OPA indents the second column, too.
fn unpadded(lines: &str) -> Vec<(&str, &str)> {
    lines.lines().map(|line| line.split_once(' ').unwrap()).map(|(place, text)| (place, text.trim_start())).collect()
}

#[test]
fn tests_that_fail_are_explained_as_by_opa() {
    let text = Text { name: "failing.rego".to_owned(), text: include_str!("failing.rego").to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &testing::compile_options(Options::default())).unwrap());
    let bound = program.bind(Value::object([]));
    let recorded = [
        (Explain::NotesAndFails, include_str!("failing.notes_and_fails.txt")),
        (Explain::Full, include_str!("failing.full.txt")),
    ];
    for (explain, theirs) in recorded {
        let mut ours = String::new();
        for test in testing::tests(&program).iter().filter(|test| test.name != "test_ok") {
            let told = testing::explain_test(&bound, test, &Request::default(), explain).unwrap();
            let lines = trace::pretty(&told.events);
            // An event without a place is none that the record shows.
            ours.extend(lines.lines().filter(|line| !line.starts_with(' ')).flat_map(|line| [line, "\n"]));
        }
        assert_eq!(unpadded(&ours), unpadded(theirs), "{explain:?}");
    }
}
