//! Declared variables.

use super::Compiler;

/// The stage `RewriteLocalVars`.
pub(super) fn rewrite_local_vars(_: &mut Compiler) {}
