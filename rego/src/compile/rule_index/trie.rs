//! Puts the paths of definitions into a trie (opa `v1/ast/index.go`, `insertPath`, `trieNode`).

use std::collections::BTreeMap;

use foldhash::HashMap;

use super::constraint::{Constraint, Wanted};
use super::path::{Path, Wants};
use crate::compile::constants::value as constant;
use crate::compile::terms::is_scalar;
use crate::ir::{Affixes, ArrayNode, ArrayNumber, Level, NodeNumber, ReferenceNumber, TrieNode};
use crate::syntax::tree::{Kind, Term};
use crate::value::ArcStr;

/// A level: its node, and its place there.
type LevelPlace = (NodeNumber, usize);

/// The trie while it grows.
pub(super) struct Trie {
    nodes: Vec<TrieNode>,
    arrays: Vec<ArrayNode>,
    levels: HashMap<(NodeNumber, ReferenceNumber), usize>,
    prefixes: HashMap<LevelPlace, BTreeMap<ArcStr, NodeNumber>>,
    suffixes: HashMap<LevelPlace, BTreeMap<ArcStr, NodeNumber>>,
}

impl Default for Trie {
    fn default() -> Self {
        Self {
            nodes: vec![TrieNode::default()],
            arrays: Vec::new(),
            levels: HashMap::default(),
            prefixes: HashMap::default(),
            suffixes: HashMap::default(),
        }
    }
}

impl Trie {
    /// Adds one way to reach an entry.
    pub(super) fn insert(&mut self, path: Path<'_>, entry: usize) {
        let mut node = 0;
        let mut levels = path.0.into_iter().peekable();
        while let Some(mut wants) = levels.next() {
            let ends = levels.peek().is_none() || wants.values.iter().any(|value| value.is_affix() || !is_scalar(&value.value));
            node = match wants.values.as_slice() {
                [only] => self.child(node, only),
                [first, ..] if first.is_var() => {
                    let child = self.child(node, first);
                    wants.values.iter().for_each(|value| self.split(node, value));
                    child
                }
                _ if ends => {
                    wants.one_end();
                    for value in wants.values {
                        let child = self.child(node, value);
                        self.reach(child, entry);
                    }
                    return;
                }
                _ => self.converge(node, &wants),
            };
        }
        self.reach(node, entry);
    }

    fn reach(&mut self, node: NodeNumber, entry: usize) {
        if let Some(node) = self.nodes.get_mut(node)
            && node.entries.last() != Some(&entry)
        {
            node.entries.push(entry);
        }
    }

    fn place(&mut self, node: NodeNumber, reference: ReferenceNumber) -> LevelPlace {
        let Some(here) = self.nodes.get_mut(node) else { return (node, 0) };
        let at = *self.levels.entry((node, reference)).or_insert(here.levels.len());
        if at == here.levels.len() {
            here.levels.push(Level::new(reference));
        }
        (node, at)
    }

    fn level(&mut self, (node, at): LevelPlace) -> Option<&mut Level> {
        self.nodes.get_mut(node)?.levels.get_mut(at)
    }

    /// Makes a node, if it is the next one.
    fn made(&mut self, node: NodeNumber) -> NodeNumber {
        if node == self.nodes.len() {
            self.nodes.push(TrieNode::default());
        }
        node
    }

    /// The node that all with this constraint go on from.
    fn child(&mut self, node: NodeNumber, constraint: &Constraint) -> NodeNumber {
        let (place, next) = (self.place(node, constraint.reference), self.nodes.len());
        let affixes = match constraint.wanted {
            Wanted::Prefix => &mut self.prefixes,
            Wanted::Suffix => &mut self.suffixes,
            Wanted::Member => {
                let value = constant(&constraint.value);
                let Some((level, value)) = self.level(place).zip(value) else { return node };
                let child = *level.members.entry(value).node.get_or_insert(next);
                return self.made(child);
            }
            Wanted::Equal | Wanted::Split(_) => {
                self.split(node, constraint);
                return self.equal(place, &constraint.value);
            }
        };
        let text = constraint.value.as_str().cloned().unwrap_or_default();
        let child = *affixes.entry(place).or_default().entry(text).or_insert(next);
        self.made(child)
    }

    /// Remembers the delimiters of a pattern.
    fn split(&mut self, node: NodeNumber, constraint: &Constraint) {
        let place = self.place(node, constraint.reference);
        if let Wanted::Split(delimiters) = &constraint.wanted
            && let Some(level) = self.level(place)
            && !level.delimiters.contains(delimiters)
        {
            level.delimiters.push(delimiters.clone());
        }
    }

    fn equal(&mut self, place: LevelPlace, value: &Term) -> NodeNumber {
        let (next, next_array) = (self.nodes.len(), self.arrays.len());
        let Some(level) = self.level(place) else { return place.0 };
        if let Kind::Array(items) = &value.kind {
            let array = *level.array.get_or_insert(next_array);
            return self.array(array, items);
        }
        let child = match constant(value).filter(|_| is_scalar(value)) {
            Some(value) => *level.scalars.entry(value).node.get_or_insert(next),
            None => *level.any.get_or_insert(next),
        };
        self.made(child)
    }

    /// What stands for itself is looked at item by item; any other item may be anything.
    fn array(&mut self, mut at: ArrayNumber, items: &[Term]) -> NodeNumber {
        for item in items {
            let next = self.made_array(at);
            let Some(here) = self.arrays.get_mut(at) else { return 0 };
            at = match constant(item).filter(|_| is_scalar(item)) {
                Some(value) => {
                    let child = here.scalars.entry(value);
                    // The first array is a level's, and nobody's item.
                    if *child == 0 {
                        *child = next;
                    }
                    *child
                }
                None => *here.any.get_or_insert(next),
            };
        }
        self.made_array(at);
        let next = self.nodes.len();
        let child = self.arrays.get_mut(at).map_or(0, |array| *array.end.get_or_insert(next));
        self.made(child)
    }

    /// Makes a node for an item, if it is the next one; the number of the one after all.
    fn made_array(&mut self, at: ArrayNumber) -> ArrayNumber {
        if at == self.arrays.len() {
            self.arrays.push(ArrayNode::default());
        }
        self.arrays.len()
    }

    /// A node for what one of several values leads to (`insertAlternatives`).
    fn converge(&mut self, node: NodeNumber, wants: &Wants<'_>) -> NodeNumber {
        let (place, next) = (self.place(node, wants.reference), self.nodes.len());
        for constraint in &wants.values {
            let value = constant(&constraint.value);
            let Some((level, value)) = self.level(place).zip(value) else { continue };
            let table = if constraint.wanted == Wanted::Member { &mut level.members } else { &mut level.scalars };
            table.entry(value).shared.push(next);
        }
        self.made(next)
    }

    /// What was made.
    pub(super) fn finish(mut self) -> (Vec<TrieNode>, Vec<ArrayNode>) {
        for (place, texts) in std::mem::take(&mut self.prefixes) {
            if let Some(level) = self.level(place) {
                level.prefixes = Affixes::prefixes(texts);
            }
        }
        for (place, texts) in std::mem::take(&mut self.suffixes) {
            if let Some(level) = self.level(place) {
                level.suffixes = Affixes::suffixes(texts);
            }
        }
        (self.nodes, self.arrays)
    }
}
