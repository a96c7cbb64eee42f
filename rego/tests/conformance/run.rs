//! Runs cases.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cases::Case;
use super::engine::{Engine, Question};
use super::judge::{Verdict, judge};

/// Runs all cases on all processors, on the usual stack of a thread; the verdicts in the order of the cases.
pub(super) fn all(engine: &dyn Engine, cases: &[Case]) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut found: Vec<(usize, Verdict)> = std::thread::scope(|scope| {
        let work = || {
            let mut found = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(at) else { return found };
                found.push((at, one(engine, case)));
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, verdict)| verdict).collect()
}

/// A panic is never the right answer.
fn one(engine: &dyn Engine, case: &Case) -> Verdict {
    let question = Question {
        version: case.version,
        modules: &case.modules,
        data: &case.data,
        input: case.input.as_ref(),
        query: &case.query,
        strict: case.strict_error,
    };
    let answer = catch_unwind(AssertUnwindSafe(|| engine.query(&question)));
    answer.map_or_else(|_| Verdict::Differs("panic".to_owned()), |answer| judge(case, answer))
}
