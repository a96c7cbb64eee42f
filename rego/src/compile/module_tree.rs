//! Modules by package (`v1/ast/compile.go`, `ModuleTreeNode`).

use arcstr::ArcStr;
use foldhash::HashMap;

use super::Compiler;
use crate::syntax::tree::{Module, Term};

/// A node, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(usize);

/// All packages. The root is `data`.
#[derive(Debug)]
pub struct ModuleTree {
    nodes: Vec<ModuleNode>,
}

/// One package, or a part of the path to some.
#[derive(Debug, Default)]
pub struct ModuleNode {
    /// Indexes of modules, sorted by name.
    pub modules: Vec<usize>,
    children: HashMap<ArcStr, PackageId>,
}

impl Default for ModuleTree {
    fn default() -> Self {
        Self { nodes: vec![ModuleNode::default()] }
    }
}

impl ModuleTree {
    /// The node of `data`.
    pub const ROOT: PackageId = PackageId(0);

    /// The tree of modules that are sorted.
    pub fn of(modules: &[Module]) -> Self {
        let mut tree = Self::default();
        for (index, module) in modules.iter().enumerate() {
            let names = module.package.path.iter().skip(1).filter_map(Term::as_str);
            let id = names.fold(Self::ROOT, |node, name| tree.add(node, name));
            if let Some(node) = tree.nodes.get_mut(id.0) {
                node.modules.push(index);
            }
        }
        tree
    }

    fn add(&mut self, parent: PackageId, name: &ArcStr) -> PackageId {
        let new = PackageId(self.nodes.len());
        let Some(node) = self.nodes.get_mut(parent.0) else { return parent };
        let id = *node.children.entry(name.clone()).or_insert(new);
        if id == new {
            self.nodes.push(ModuleNode::default());
        }
        id
    }

    /// A node.
    pub fn node(&self, id: PackageId) -> Option<&ModuleNode> {
        self.nodes.get(id.0)
    }

    /// The node of a whole path below a node: names, as strings.
    pub fn find(&self, id: PackageId, path: &[Term]) -> Option<PackageId> {
        path.iter().try_fold(id, |id, part| self.node(id)?.children.get(part.as_str()?).copied())
    }

    /// All nodes, those above before those below.
    pub fn nodes(&self) -> &[ModuleNode] {
        &self.nodes
    }
}

/// The stage `SetModuleTree`.
pub(super) fn set_module_tree(compiler: &mut Compiler) {
    compiler.module_tree = ModuleTree::of(&compiler.modules);
}
