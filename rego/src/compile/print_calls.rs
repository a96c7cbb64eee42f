//! Calls of `print`.

use super::Compiler;

/// The stage `RewritePrintCalls`.
pub(super) fn rewrite_print_calls(_: &mut Compiler) {}
