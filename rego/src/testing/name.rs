//! Which rules are tests (opa `v1/tester/runner.go`, `ruleName`).

use crate::compile::terms::ground_prefix;
use crate::syntax::tree::{Head, Term};

/// What tests begin with.
const TEST: &str = "test_";
/// What tests begin with that are not run yet.
const TODO: &str = "todo_test_";

/// The name of a test in the reference of its head. It may stand behind others: `group.test_a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'t> {
    /// `test_a`.
    pub(super) text: &'t str,
    /// `data`, the package, and all up to the name.
    pub(super) path: &'t [Term],
    /// What stands behind it: the keys of cases.
    pub(super) keys: &'t [Term],
    /// It is not run.
    pub(super) todo: bool,
}

impl<'t> Name<'t> {
    /// The name in a head whose package, of so many parts, is in front; `None` for what is no test.
    pub(super) fn of(head: &'t Head, package: usize) -> Option<Self> {
        let named = |part: &'t Term| part.as_str().filter(|name| name.starts_with(TEST) || name.starts_with(TODO));
        let parts = ground_prefix(&head.reference).iter().enumerate().skip(package);
        let (at, text) = parts.filter_map(|(at, part)| Some((at, named(part)?))).next()?;
        let (path, keys) = head.reference.split_at_checked(at.saturating_add(1))?;
        Some(Self { text, path, keys, todo: text.starts_with(TODO) })
    }
}
