//! The trie of a rule index.
//!
//! OPA's trie (`v1/ast/index.go`, `trieNode`) has a level for each reference in a fixed order, and an "absent" child where a rule says
//! nothing about one; a walk always enters it. Here a rule's path has only the levels that it constrains, and a node may have several.

use super::{Affixes, ReferenceNumber};
use crate::value::{ArcStr, Str, Value};
use std::collections::HashMap;

/// A node of the trie, by its number.
pub type NodeNumber = usize;

/// A node for an item of an array, by its number.
pub type ArrayNumber = usize;

/// A hash map whose keys are constants of policies.
type Constants<K, T> = HashMap<K, T, foldhash::fast::FixedState>;

/// Where a walk comes to.
#[derive(Debug, Default)]
pub struct TrieNode {
    /// Entries that are reached.
    pub entries: Vec<usize>,
    /// What else is looked up from here.
    pub levels: Vec<Level>,
}

/// What the value of a reference leads to.
#[derive(Debug)]
pub struct Level {
    /// The reference.
    pub reference: ReferenceNumber,
    /// With whatever value it has.
    pub any: Option<NodeNumber>,
    /// With this value.
    pub scalars: ByScalar<Children>,
    /// With a collection that holds this value.
    pub members: ByScalar<Children>,
    /// With an array.
    pub array: Option<ArrayNumber>,
    /// With text that is an array once it is split at one of these delimiters, each with the letters it consists of.
    pub delimiters: Vec<ArcStr>,
    /// With text that begins so, or a collection that holds some.
    pub prefixes: Affixes,
    /// With text that ends so, or a collection that holds some.
    pub suffixes: Affixes,
}

/// Where a value leads to.
#[derive(Debug, Default)]
pub struct Children {
    /// What rules share that want this value alone.
    pub node: Option<NodeNumber>,
    /// Those of rules that want one of several values.
    pub shared: Vec<NodeNumber>,
}

/// A position in an array.
#[derive(Debug, Default)]
pub struct ArrayNode {
    /// With whatever item is next.
    pub any: Option<ArrayNumber>,
    /// With this item.
    pub scalars: ByScalar<ArrayNumber>,
    /// With no further item.
    pub end: Option<NodeNumber>,
}

/// A table of scalars: text by itself, so that a part of a text can be looked up.
#[derive(Debug)]
pub struct ByScalar<T> {
    texts: Constants<Str, T>,
    others: Constants<Value, T>,
}

impl<T> Default for ByScalar<T> {
    fn default() -> Self {
        Self { texts: HashMap::default(), others: HashMap::default() }
    }
}

impl<T> ByScalar<T> {
    /// What a value leads to; nothing for a collection.
    pub fn get(&self, value: &Value) -> Option<&T> {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(_) | Value::Object(_) | Value::Set(_) => None,
            _ if self.others.is_empty() => None,
            other => self.others.get(other),
        }
    }

    /// What a text leads to.
    pub fn text(&self, text: &str) -> Option<&T> {
        self.texts.get(text)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.others.is_empty()
    }

    /// The place of a scalar.
    pub fn entry(&mut self, value: Value) -> &mut T
    where
        T: Default,
    {
        match value {
            Value::String(text) => self.texts.entry(text).or_default(),
            other => self.others.entry(other).or_default(),
        }
    }
}

impl Level {
    /// A level that leads nowhere yet.
    pub fn new(reference: ReferenceNumber) -> Self {
        Self {
            reference,
            any: None,
            scalars: ByScalar::default(),
            members: ByScalar::default(),
            array: None,
            delimiters: Vec::new(),
            prefixes: Affixes::default(),
            suffixes: Affixes::default(),
        }
    }
}

impl Children {
    /// All of them.
    pub fn nodes(&self) -> impl Iterator<Item = NodeNumber> + '_ {
        self.node.iter().chain(&self.shared).copied()
    }
}
