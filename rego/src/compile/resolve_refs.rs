//! Names of rules and imports as full references.

use super::Compiler;

/// The stage `ResolveRefs`.
pub(super) fn resolve_all_refs(_: &mut Compiler) {}
