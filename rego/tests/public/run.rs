//! Compiles sets and runs their tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Bound, Program, Refused, Request};
use plimsoll_rego::syntax::print;
use plimsoll_rego::syntax::tree::{Module, Rule, Term};
use plimsoll_rego::value::Value;

use crate::builtins;
use crate::load::Set;

/// What becomes of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is true.
    Pass,
    /// It is anything else.
    Fail,
    /// Its name begins with `todo_`.
    Skip,
    /// It ends in an error.
    Error(String),
}

impl Verdict {
    /// As it is recorded.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Error(_) => "error",
        }
    }
}

/// Compiles a set with the builtins that these policies bring.
pub(crate) fn compile(set: &Set) -> Result<Arc<Program>, Refused> {
    let options = Options { extra_builtins: builtins::ROWS, prints: true, ..Options::default() };
    Program::compile(&set.texts, &options).map(Arc::new)
}

/// Runs all tests of a set; their names are those that OPA gives them, package first.
pub(crate) fn tests(program: &Arc<Program>, data: &Value) -> BTreeMap<String, Verdict> {
    let tests = found(program);
    let bound = program.bind(data.clone());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut verdicts = Vec::new();
        while let Some((name, path)) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            verdicts.push((name.clone(), verdict(&bound, path)));
        }
        verdicts
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

/// Names and paths of rules that are tests.
fn found(program: &Program) -> Vec<(String, Vec<Value>)> {
    let all = program.compiled().modules.iter().flat_map(|module| module.rules.iter().map(move |rule| (module, rule)));
    let named: BTreeMap<_, _> = all.filter_map(|(module, rule)| name(module, rule)).collect();
    named.into_iter().collect()
}

fn name(module: &Module, rule: &Rule) -> Option<(String, Vec<Value>)> {
    let package = module.package.path.len();
    let is_test = |term: &Term| term.as_str().is_some_and(|name| name.starts_with("test_") || name.starts_with("todo_test_"));
    let at = rule.head.reference.iter().skip(package).position(is_test)?;
    let whole = rule.head.reference.get(..=package + at)?;
    let path = whole.iter().skip(1).filter_map(|term| term.as_str().map(|name| Value::from(name.as_str()))).collect();
    Some((print::reference(whole), path))
}

fn verdict(bound: &Bound, path: &[Value]) -> Verdict {
    let is_todo = |key: &Value| key.as_str().is_some_and(|name| name.starts_with("todo_test_"));
    if path.iter().any(is_todo) {
        return Verdict::Skip;
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let request = Request { now_ns: i64::try_from(now).unwrap_or(i64::MAX), ..Request::default() };
    match bound.document(path, &request) {
        Ok(Some(value)) if holds(&value) => Verdict::Pass,
        Ok(_) => Verdict::Fail,
        Err(error) => Verdict::Error(error.to_string()),
    }
}

/// A test of several cases is an object, at any depth.
fn holds(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::Object(cases) => cases.iter().all(|(_, case)| holds(case)),
        _ => false,
    }
}
