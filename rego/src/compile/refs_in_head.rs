//! Heads that must be evaluated.

use super::Compiler;

/// The stage `RewriteRefsInHead`.
pub(super) fn rewrite_refs_in_head(_: &mut Compiler) {}
