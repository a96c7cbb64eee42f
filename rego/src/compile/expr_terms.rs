//! Calls inside of terms.

use super::Compiler;

/// The stage `RewriteExprTerms`.
pub(super) fn rewrite_expr_terms(_: &mut Compiler) {}
