//! Comparisons as unifications.

use super::Compiler;

/// The stage `RewriteEquals`.
pub(super) fn rewrite_equals(_: &mut Compiler) {}
