//! Rules by path (`v1/ast/compile.go`, `TreeNode`).

use super::Compiler;
use crate::syntax::tree::Term;

/// A rule that is no `else`: the index of its module, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId {
    /// In the sorted modules.
    pub module: usize,
    /// In the module's rules.
    pub rule: usize,
}

/// A node, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) usize);

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key;

/// All rules, at the part of their references that is ground.
#[derive(Debug, Default)]
pub struct RuleTree {
    nodes: Vec<RuleNode>,
}

/// Rules of one path, and the parts of paths below it.
#[derive(Debug, Default)]
pub struct RuleNode {
    /// Rules of this path.
    pub rules: Vec<RuleId>,
}

impl RuleTree {
    /// The node of a reference, all of whose parts must be there.
    pub fn find(&self, _path: &[Term]) -> Option<&RuleNode> {
        None
    }
}

impl RuleNode {
    /// How many arguments its first rule takes: 0 for what is no function, `None` without rules.
    pub fn arity(&self) -> Option<usize> {
        None
    }
}

/// The stage `SetRuleTree`.
pub(super) fn set_rule_tree(_: &mut Compiler) {}
