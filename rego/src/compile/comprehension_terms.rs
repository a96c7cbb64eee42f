//! Heads of comprehensions that must be evaluated.

use super::Compiler;

/// The stage `RewriteComprehensionTerms`.
pub(super) fn rewrite_comprehension_terms(_: &mut Compiler) {}
