//! Targets and values of `with`.

use super::Compiler;

/// The stage `RewriteWithValues`.
pub(super) fn rewrite_with_values(_: &mut Compiler) {}
