//! What is evaluated: rules whose variables are slots and whose references are resolved.
//!
//! The compiler has put the expressions of every body into an order in which each variable is bound before it is needed. So which
//! variables are bound at a place is known beforehand, and nothing is unified at run time: a variable that is not bound yet is
//! written, one that is bound is compared.

mod body;
mod ids;
mod index;
mod rule;

pub use body::{
    Block, Call, Comprehension, DataChange, Element, Every, Filter, Head, IndexedComprehension, Iterate, KnownPath, Members, Op,
    Pattern, Reference, Replacement, Shaped, Step, Target, Term, Wanted, With,
};
pub use ids::{GroupId, NodeId, Slot};
pub use index::{
    Affixes, Agreement, ArrayNode, ArrayNumber, ByScalar, Children, Entry, IndexReference, IndexRoot, Level, NodeNumber,
    ReferenceNumber, RuleIndex, TrieNode, split,
};
pub use rule::{Definition, Group, GroupKind, Node, Rule};

use std::collections::HashMap;
use std::sync::Arc;

use crate::syntax::source::Sources;
use crate::value::Value;

/// Functions by their paths, `data` first, and how many operands they take.
pub type Functions = HashMap<Vec<Value>, (GroupId, usize)>;

/// All rules of a set.
#[derive(Debug, Default)]
pub struct Policy {
    /// The rule tree: packages and what rules define; the first one is `data`.
    pub nodes: Vec<Node>,
    /// What the rules at one node define together.
    pub groups: Vec<Group>,
    /// Which of them can be called: functions, and rules with one value, whose brackets are empty, `r()`.
    pub functions: Functions,
    /// The texts, for places in errors.
    pub sources: Arc<Sources>,
    /// What METADATA labels rules with, each object once.
    pub labels: Vec<Value>,
    /// By the numbers of groups, whether rules with labels are evaluated for them; empty where nothing has labels.
    pub labelled: Vec<bool>,
}

impl Policy {
    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// A group.
    pub fn group(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(id.index())
    }
}
