//! Imports.

use super::Compiler;

/// The stage `CheckUnusedImports`.
pub(super) fn check_unused_imports(_: &mut Compiler) {}

/// The stage `CheckDuplicateImports`.
pub(super) fn check_duplicate_imports(_: &mut Compiler) {}

/// The stage `RemoveImports`.
pub(super) fn remove_imports(_: &mut Compiler) {}
