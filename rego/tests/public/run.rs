//! Compiles sets and runs their tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Program, Refused, Request};
use plimsoll_rego::testing::{self, Verdict};
use plimsoll_rego::value::Value;

use crate::builtins;
use crate::load::Set;

/// Compiles a set, for its tests, with the builtins that these policies bring.
pub(crate) fn compile(set: &Set) -> Result<Arc<Program>, Refused> {
    let options = Options { extra_builtins: builtins::ROWS, helpers: processors() - 1, ..Options::default() };
    Program::compile(&set.texts, &testing::compile_options(options)).map(Arc::new)
}

/// Runs all tests of a set; by their names, package first.
pub(crate) fn tests(program: &Arc<Program>, data: &Value) -> BTreeMap<String, Verdict> {
    let tests = testing::tests(program);
    let bound = program.bind(data.clone());
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let request = Request { now_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), ..Request::default() };
    let next = AtomicUsize::new(0);
    let work = || {
        let one = || tests.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(one).map(|test| (test.to_string(), testing::run_test(&bound, test, &request).verdict)).collect()
    };
    let threads = processors();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|_| Vec::new())).collect()
    })
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// A verdict as it is recorded.
pub(crate) fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Skip => "skip",
        Verdict::Error(_) => "error",
    }
}
