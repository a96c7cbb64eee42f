//! Rules that cannot stand side by side.

use super::Compiler;

/// The stage `CheckRuleConflicts`.
pub(super) fn check_rule_conflicts(_: &mut Compiler) {}
