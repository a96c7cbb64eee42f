//! References and comprehensions inside of other terms.

use super::Compiler;

/// The stage `RewriteDynamicTerms`.
pub(super) fn rewrite_dynamic_terms(_: &mut Compiler) {}

/// The stage `RewriteTestRulesForTracing`.
pub(super) fn rewrite_test_rules_for_tracing(_: &mut Compiler) {}
