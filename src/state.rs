//! What the sources replicated: a persistent tree of pruned bytes, and how fresh each source is.

pub mod source;
pub mod tree;

pub use source::{KindState, SourceState};
pub use tree::{Leaf, Node, PatchOp, Tree, WriteError};

use std::sync::Arc;

use imbl::OrdMap;
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::ObjectName;

/// All replicated state at one revision. Cloning is cheap; nothing in it changes, but the ages (atomics) of its sources.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// `data`, without what policies define.
    pub tree: Tree,
    /// Declared sources by name.
    pub sources: OrdMap<String, Arc<SourceState>>,
}

impl State {
    /// The row of the table of kinds for a resource, from whichever source declared it.
    pub fn kind(&self, gvr: &Gvr) -> Option<&Kind> {
        self.sources.values().flat_map(|s| &s.kinds).map(|k| &k.kind).find(|k| k.gvr == *gvr)
    }

    /// The row for an object's apiVersion and kind.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        let mut kinds = self.sources.values().flat_map(|s| &s.kinds).map(|k| &k.kind);
        kinds.find(|k| k.kind == kind && k.gvr.api_version() == api_version)
    }

    /// The fleet kind, if one is declared.
    pub fn fleet(&self) -> Option<&Kind> {
        self.sources.values().flat_map(|s| &s.kinds).map(|k| &k.kind).find(|k| k.fleet)
    }

    /// One replicated object.
    pub fn object(&self, kind: &Kind, name: &ObjectName) -> Option<&Leaf> {
        let mut path = vec!["kubernetes", kind.state_path()];
        if kind.namespaced {
            path.push(&name.namespace);
        }
        path.push(&name.name);
        self.tree.get(&path).and_then(Node::leaf)
    }
}
