//! Modules by package (`v1/ast/compile.go`, `ModuleTreeNode`).

use super::Compiler;

/// All packages.
#[derive(Debug, Default)]
pub struct ModuleTree {
    nodes: Vec<ModuleNode>,
}

/// One package, or a part of the path to some.
#[derive(Debug, Default)]
pub struct ModuleNode {
    /// Indexes of modules, sorted by name.
    pub modules: Vec<usize>,
}

/// The stage `SetModuleTree`.
pub(super) fn set_module_tree(_: &mut Compiler) {}
