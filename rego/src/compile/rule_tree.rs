//! Rules by path (`v1/ast/compile.go`, `TreeNode`).

mod build;

pub(super) use build::package_depth;

use arcstr::ArcStr;
use foldhash::HashMap;

use super::Compiler;
use super::vars::DATA;
use crate::syntax::tree::{Kind, Term};

/// A rule that is no `else`: the index of its module, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId {
    /// In the sorted modules.
    pub module: usize,
    /// In the module's rules.
    pub rule: usize,
}

/// A node, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

/// A part of a path: a scalar. Numbers are one key when they are written alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// `null`.
    Null,
    /// `true`.
    Bool(bool),
    /// As it is written.
    Number(ArcStr),
    /// Text.
    String(ArcStr),
}

/// All rules, at the part of their references that is ground. The root is `data`.
#[derive(Debug)]
pub struct RuleTree {
    nodes: Vec<RuleNode>,
}

/// Rules of one path, and the parts of paths below it.
#[derive(Debug, Default)]
pub struct RuleNode {
    rules: Vec<RuleId>,
    children: HashMap<Key, NodeId>,
    sorted: Vec<(Key, NodeId)>,
    /// Of the first rule.
    arity: Option<usize>,
    known: bool,
}

impl Key {
    /// The key that a term is; `None` for what is no scalar.
    pub fn of(term: &Term) -> Option<Self> {
        match &term.kind {
            Kind::Null => Some(Self::Null),
            Kind::Bool(value) => Some(Self::Bool(*value)),
            Kind::Number(text) => Some(Self::Number(text.clone())),
            Kind::String(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }
}

impl Default for RuleTree {
    fn default() -> Self {
        Self { nodes: vec![RuleNode::default()] }
    }
}

impl RuleTree {
    /// The node of `data`.
    pub const ROOT: NodeId = NodeId(0);

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&RuleNode> {
        self.nodes.get(id.0)
    }

    /// The node below a node.
    pub fn child(&self, id: NodeId, part: &Term) -> Option<NodeId> {
        self.node(id)?.children.get(&Key::of(part)?).copied()
    }

    /// The number of a reference's node, all of whose parts must be there; the first one is `data`.
    pub fn find_id(&self, path: &[Term]) -> Option<NodeId> {
        let (first, rest) = path.split_first()?;
        (first.as_var() == Some(&DATA)).then_some(())?;
        rest.iter().try_fold(Self::ROOT, |node, part| self.child(node, part))
    }

    /// The node of a reference, all of whose parts must be there; the first one is `data`.
    pub fn find(&self, path: &[Term]) -> Option<&RuleNode> {
        self.node(self.find_id(path)?)
    }

    /// Visits a node and all below it, keys in order. What is below a node for which `visit` says `true` is left out.
    pub fn depth_first(&self, id: NodeId, mut visit: impl FnMut(NodeId, &RuleNode) -> bool) {
        let mut rest = vec![id];
        while let Some(id) = rest.pop() {
            let Some(node) = self.node(id) else { continue };
            if !visit(id, node) {
                rest.extend(node.sorted.iter().rev().map(|(_, child)| *child));
            }
        }
    }

    /// Whether a reference always has a value (`isRefToKnownDefinedRule`): a rule with a default, one that makes a set, or a constant.
    pub fn is_known_defined(&self, path: &[Term]) -> bool {
        self.find(path).is_some_and(|node| node.known)
    }
}

impl RuleNode {
    /// Rules of this path: modules in order, then as they are written.
    pub fn rules(&self) -> &[RuleId] {
        &self.rules
    }

    /// Parts of paths below it, in OPA's order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = (&Key, NodeId)> {
        self.sorted.iter().map(|(key, id)| (key, *id))
    }

    /// How many arguments its first rule takes: 0 for what is no function, `None` without rules.
    pub fn arity(&self) -> Option<usize> {
        self.arity
    }
}

/// The stage `SetRuleTree`.
pub(super) fn set_rule_tree(compiler: &mut Compiler) {
    compiler.rule_tree = RuleTree::of(&compiler.modules);
}
