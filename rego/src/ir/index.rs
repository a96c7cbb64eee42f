//! What a rule index is made of: which definitions of a group may hold is looked up, not tried (opa `v1/ast/index.go`).

mod affixes;
mod split;
mod trie;

pub use affixes::Affixes;
pub use split::split;
pub use trie::{ArrayNode, ArrayNumber, ByScalar, Children, Level, NodeNumber, TrieNode};

use crate::value::Value;

/// A reference, by its number in [`RuleIndex::references`].
pub type ReferenceNumber = usize;

/// The index of a group.
#[derive(Debug, Default)]
pub struct RuleIndex {
    /// Definitions: rules in order, the `else` of each behind it. The default is none of them.
    pub entries: Vec<Entry>,
    /// What is looked up.
    pub references: Vec<IndexReference>,
    /// What the values of references lead to; the first one is the root.
    pub nodes: Vec<TrieNode>,
    /// Nodes for the items of arrays.
    pub arrays: Vec<ArrayNode>,
    /// All definitions agree on one value (`mayEarlyExit`).
    pub early_exit: bool,
    /// The same where indices are switched off: a definition of a partial document does not speak against it then (opa `v1/ast/index.go`,
    /// `AllRules`).
    pub early_exit_of_all: bool,
    /// Nothing has to be looked up: every definition is always a candidate.
    pub trivial: bool,
}

/// One definition.
#[derive(Debug)]
pub struct Entry {
    /// The rule's place in its group.
    pub rule: usize,
    /// 0 for the rule, 1 for its first `else`.
    pub branch: usize,
    /// The first entry of the next rule.
    pub next_rule: usize,
    /// Whether others agree with it on a value.
    pub agreement: Agreement,
    /// References that must have some value.
    pub required: Box<[ReferenceNumber]>,
    /// References whose value must be a key of what another reference finds.
    pub memberships: Box<[(ReferenceNumber, ReferenceNumber)]>,
}

/// Whether definitions can be left once one of them holds (`agreeOnValue`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// It agrees with no other one.
    Never,
    /// It has no value of its own.
    Always,
    /// It agrees with all that have the same number.
    Value(usize),
}

impl Agreement {
    /// What two agree on.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Always, other) | (other, Self::Always) => other,
            (Self::Value(a), Self::Value(b)) if a == b => self,
            _ => Self::Never,
        }
    }
}

/// Where a reference begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexRoot {
    /// `input`.
    Input,
    /// `data`: base documents.
    Data,
    /// An operand of the function.
    Operand(usize),
}

/// A reference all of whose keys are constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexReference {
    /// Where it begins.
    pub root: IndexRoot,
    /// How it goes on.
    pub path: Vec<Value>,
}

impl IndexReference {
    /// A root by itself.
    pub fn root(root: IndexRoot) -> Self {
        Self { root, path: Vec::new() }
    }
}
