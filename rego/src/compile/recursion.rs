//! Rules that depend on themselves.

use super::Compiler;

/// The stage `CheckRecursion`.
pub(super) fn check_recursion(_: &mut Compiler) {}
