//! Which rule refers to which (`v1/ast/compile.go`, `Graph`).

use super::Compiler;

/// Edges between rules.
#[derive(Debug, Default)]
pub struct Graph {}

/// The stage `SetGraph`.
pub(super) fn set_graph(_: &mut Compiler) {}
