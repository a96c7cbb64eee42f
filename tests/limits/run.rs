//! The test, on both sides: who does the cases, and who watches.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll::rego::limits::install_memory_limit;
use plimsoll::rego::{Limits, Module, Program, RegoVersion, Value};

use super::alone::{self, ALONE, End, FROM};
use super::cases::{self, Case};
use super::shapes;

/// Of an evaluation.
const TIME: Duration = Duration::from_millis(200);
/// What is read and compiled before, and a function that is at it when time is up.
const TIMES: u32 = 20;
/// Beyond it a process has no end; compiling without optimisation, on a loaded machine, takes a part of it.
const PATIENCE: Duration = Duration::from_secs(30);
const MEMORY: u64 = 1 << 30;

#[test]
fn every_evaluation_ends_within_its_limits() {
    let cases = cases::chosen();
    if let Some(at_hand) = std::env::var_os(ALONE) {
        return done(&cases, &PathBuf::from(at_hand), std::env::var(FROM).unwrap().parse().unwrap());
    }
    let (mut from, mut failed) = (0, Vec::new());
    let directory = tempfile::tempdir().unwrap();
    let at_hand = directory.path().join("case");
    while from < cases.len() {
        let test = "limits::run::every_evaluation_ends_within_its_limits";
        match alone::run(test, &at_hand, from, PATIENCE) {
            End::Done => break,
            End::At(number, how) => {
                failed.push(format!("{} {how}", cases[number].name));
                from = number + 1;
            }
        }
    }
    let told = |what: &str| std::fs::read_to_string(at_hand.with_extension(what)).unwrap_or_default();
    failed.extend(told("late").lines().map(str::to_owned));
    let evaluated = told("evaluated").lines().count();
    writeln!(std::io::stderr(), "{evaluated} of {} cases compile and were evaluated", cases.len()).unwrap();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), cases.len(), failed.join("\n"));
    // The type checker refuses most operands of a wrong type.
    assert!(evaluated + failed.len() > cases.len() / 4, "hardly a case compiles");
}

/// Does the cases, and says which one is at hand, and which were late.
fn done(cases: &[Case], at_hand: &Path, from: usize) {
    install_memory_limit(Some(MEMORY));
    let input = Value::from_json(shapes::input().as_bytes()).unwrap();
    for (number, case) in cases.iter().enumerate().skip(from) {
        std::fs::write(at_hand, number.to_string()).unwrap();
        let Some(took) = evaluated(case, &input) else { continue };
        tell(at_hand, "evaluated", &case.name);
        if took > TIME * TIMES {
            tell(at_hand, "late", &format!("{} took {took:?}", case.name));
        }
    }
}

/// Adds a line for who watches.
fn tell(at_hand: &Path, what: &str, line: &str) {
    let mut file = File::options().create(true).append(true).open(at_hand.with_extension(what)).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// How long it took; nothing if the compiler refuses it, as most operands of a wrong type.
fn evaluated(case: &Case, input: &Value) -> Option<Duration> {
    let module = Module { key: "n.rego".into(), text: case.text.clone() };
    let program = Arc::new(Program::compile(&[module], RegoVersion::V1).ok()?);
    let prepared = program.prepare(Value::object([])).unwrap();
    let limits = Limits { time: TIME, ..Limits::default() };
    let started = Instant::now();
    // Any answer will do, and any error.
    let _answered = prepared.document(&["n".into(), "r".into()], Some(input), &limits);
    Some(started.elapsed())
}
