//! Small checks.

use super::Compiler;

/// The stage `CheckKeywordOverrides`.
pub(super) fn check_keyword_overrides(_: &mut Compiler) {}

/// The stage `CheckVoidCalls`.
pub(super) fn check_void_calls(_: &mut Compiler) {}
