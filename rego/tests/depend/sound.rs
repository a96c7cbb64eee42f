//! What is not read changes no answer: random policies, documents and changes.
//!
//! `DEPEND_POLICIES=20000` tries more of them.

use std::cell::RefCell;

use plimsoll_rego::depend::Reads;
use plimsoll_rego::eval::EvalError;
use plimsoll_rego::program::{Evaluated, Request};
use plimsoll_rego::value::Value;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value as Json;

use super::choice::Choices;
use super::document::{change, change_at_edge, document};
use super::policy::policy;
use super::{json, set};

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    policies: usize,
    refused: usize,
    /// Answers that are errors, and those that are not undefined.
    failed: usize,
    defined: usize,
    changes: usize,
    unread: usize,
    /// Changes of what is read in part, but not there.
    same_part: usize,
    /// Answers that are not kept.
    unsettled: usize,
    /// Changes of what is read, after which the answer is another one.
    moved: usize,
}

#[test]
fn what_is_not_read_changes_no_answer() {
    let cases = std::env::var("DEPEND_POLICIES").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut runner = TestRunner::new(Config { cases, max_shrink_iters: 400, failure_persistence: None, ..Config::default() });
    let counts = RefCell::new(Counts::default());
    let strategy = (vec(any::<u8>(), 60..400), vec(vec(any::<u8>(), 200..400), 5));
    let result = runner.run(&strategy, |(bytes, rounds)| {
        let modules = policy(&mut Choices::new(&bytes));
        check(&modules, &rounds, &mut counts.borrow_mut())
    });
    let counts = counts.into_inner();
    if let Err(error) = result {
        panic!("{error}\n{counts:?}");
    }
    #[allow(clippy::print_stdout, reason = "the figures are the point of the test")]
    {
        println!("{counts:?}");
    }
    assert!(counts.refused * 3 < counts.policies, "{counts:?}");
    assert!(counts.unread * 5 > counts.changes && counts.same_part * 100 > counts.changes, "{counts:?}");
    assert!(counts.unsettled * 10 < counts.unread, "{counts:?}");
    assert!(counts.moved * 50 > counts.changes && counts.failed * 200 > counts.defined, "{counts:?}");
}

/// The same for one set.
pub(super) fn holds(modules: &[String; 3], rounds: &[Vec<u8>]) -> Result<(), TestCaseError> {
    check(modules, rounds, &mut Counts::default())
}

fn check(modules: &[String; 3], rounds: &[Vec<u8>], counts: &mut Counts) -> Result<(), TestCaseError> {
    counts.policies += 1;
    let program = match set::compiled(&modules.each_ref().map(String::as_str)) {
        Ok(program) => program,
        Err(_) => {
            counts.refused += 1;
            return Ok(());
        }
    };
    let reads = set::reads(&program, "data.p.answer");
    let edges = [reads.input.paths(), reads.data.paths()];
    // Where builtins are strict, other errors are met.
    let answers = |input: &Json, data: &Json| {
        let (input, bound) = (json::of(input), program.bind(json::of(data)));
        [false, true].map(|strict_builtin_errors| {
            let request = Request { input: Some(&input), strict_builtin_errors, ..Request::default() };
            Said::of(bound.evaluate(&[Value::from("p"), Value::from("answer")], &request))
        })
    };
    for bytes in rounds {
        let mut choices = Choices::new(bytes);
        let (input, data) = (document(&mut choices), document(&mut choices));
        let before = answers(&input, &data);
        counts.failed += usize::from(before[0].is_settled.is_none());
        counts.defined += usize::from(before[0].text != "undefined");
        while choices.more() {
            let is_input = choices.below(2) == 0;
            let (mut new_input, mut new_data) = (input.clone(), data.clone());
            let (changed, paths) = if is_input { (&mut new_input, &edges[0]) } else { (&mut new_data, &edges[1]) };
            let edge = if choices.chance(2) { change_at_edge(changed, paths, &mut choices) } else { None };
            let path = edge.unwrap_or_else(|| change(changed, &mut choices));
            counts.changes += 1;
            let read = changes(&reads, is_input, &path, [(&input, &data), (&new_input, &new_data)], counts)?;
            let after = answers(&new_input, &new_data);
            if read {
                counts.moved += usize::from(before != after);
                continue;
            }
            counts.unsettled += usize::from(before[0].is_settled == Some(false));
            if before.iter().zip(&after).any(|(before, after)| !before.holds_for(after)) {
                let what = format!("{} {path:?}\ninput: {input}\ndata: {data}\nnew: {new_input}\n{new_data}", modules.join("\n"));
                let read = set::shown(&reads).join("\n");
                return Err(TestCaseError::fail(format!("{what}\n{read}\n{before:#?}\n{after:#?}")));
            }
        }
    }
    Ok(())
}

/// What policy says.
#[derive(Debug, PartialEq)]
struct Said {
    text: String,
    /// Whether numbers that could be written otherwise decided nothing; `None` of errors.
    is_settled: Option<bool>,
}

impl Said {
    fn of(found: Result<Evaluated, EvalError>) -> Self {
        match found {
            Ok(Evaluated { document, met_unusual, .. }) => {
                let text = document.map_or_else(|| "undefined".to_owned(), |value| value.to_string());
                Self { text, is_settled: Some(!met_unusual) }
            }
            Err(error) => Self { text: format!("{error:?}"), is_settled: None },
        }
    }

    /// Whether nothing else may be said where this was. It is not kept for others where functions were called with numbers that could be written
    /// otherwise: those are computed once for equal operands, which are compared in parts that are read nowhere.
    fn holds_for(&self, other: &Self) -> bool {
        self.text == other.text
            || match self.is_settled {
                Some(is_settled) => !is_settled,
                None => other.is_settled == Some(false),
            }
    }
}

/// Whether a change is one of what is read.
fn changes(
    reads: &Reads,
    is_input: bool,
    path: &[Value],
    [(input, data), (new_input, new_data)]: [(&Json, &Json); 2],
    counts: &mut Counts,
) -> Result<bool, TestCaseError> {
    let touched = if is_input { reads.input.touches(path) } else { reads.data.touches(path) };
    let [old, new] = match is_input {
        true => [input, new_input].map(|document| reads.project(&json::of(document)).to_string()),
        false => [data, new_data].map(|document| reads.project_data(&json::of(document)).to_string()),
    };
    if old != new {
        // Where numbers are written in an unusual way, the projection is the document.
        let documents = [input, new_input, data, new_data].map(|document| json::of(document).to_string());
        if !touched && !documents.contains(&old) && !documents.contains(&new) {
            return Err(TestCaseError::fail(format!("{path:?} is not touched: {old} {new}\n{}", set::shown(reads).join("\n"))));
        }
        return Ok(true);
    }
    counts.unread += usize::from(!touched);
    counts.same_part += usize::from(touched);
    Ok(false)
}
