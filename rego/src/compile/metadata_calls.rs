//! Calls of `rego.metadata.*`.

use super::Compiler;

/// The stage `RewriteRegoMetadataCalls`.
pub(super) fn rewrite_rego_metadata_calls(_: &mut Compiler) {}
