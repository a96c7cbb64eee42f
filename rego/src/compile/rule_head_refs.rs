//! References of heads.

use super::Compiler;

/// The stage `RewriteRuleHeadRefs`.
pub(super) fn rewrite_rule_head_refs(_: &mut Compiler) {}
