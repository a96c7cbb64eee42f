//! Tests of policies as `opa test` runs them, and what they cover (opa `v1/tester`, `v1/cover`).
//!
//! A test is a rule with a name that begins with `test_`. It is compiled with two stages that OPA's compiler has for tests alone
//! ([`compile_options`]): rules of one name get numbers, so that each runs on its own, and rules with keys in their heads say to
//! which case they have come. So a set is compiled once, and a test is one document.

mod cases;
pub mod coverage;
mod duplicate_names;
mod explain;
mod name;
mod run;
mod test;
mod test_case_func;

pub use cases::{Case, Cases, cases_of};
pub use explain::{explain_test, stack_of_test};
pub use run::{Printed, Run, TestError, Verdict, run_test};
pub use test::{Shape, Test, needs_stages, tests};

use crate::compile::{Options, Stage};

/// The stages for tests, and behind which stage each of them is (opa `v1/tester/runner.go`, `setupTestRun`).
const STAGES: &[(&str, Stage)] = &[
    ("RewriteRuleHeadRefs", Stage { name: "RewriteDuplicateTestNames", run: duplicate_names::rewrite_duplicate_test_names }),
    ("RewriteLocalVars", Stage { name: "InjectTestCaseFunc", run: test_case_func::inject_test_case_func }),
];

/// How a set is compiled whose tests are run: `print` is kept.
#[must_use]
pub fn compile_options(options: Options) -> Options {
    Options { prints: true, later_stages: STAGES, ..options }
}
