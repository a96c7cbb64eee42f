//! A document on its way into the tree, in the pieces that the tree is made of: they are made while its text is read, and nothing
//! stands in between.
//!
//! ```text
//!  text ─► read: branches ─► whole: encoded as they are kept ─► Incoming ─► place: where it goes ─► Tree::write
//! ```

mod place;
mod read;
mod whole;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::leaf::Leaf;
use super::tree::Node;
pub(crate) use place::opened;
use read::Reader;

/// A document taken apart for a place in the tree. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Incoming {
    node: Node,
    /// How many names below `data` the place is.
    depth: usize,
    /// Levels of nesting: 0 for a scalar.
    levels: usize,
}

/// Reads one document for a place so many names below `data`.
#[derive(Clone, Copy, Debug)]
pub struct At(pub usize);

impl Incoming {
    /// Reads JSON text for a place so many names below `data`. Fails where [`serde_json::from_slice`] does, in its words.
    pub fn read(text: &[u8], depth: usize) -> Result<Self, serde_json::Error> {
        let mut text = serde_json::Deserializer::from_slice(text);
        let read = At(depth).deserialize(&mut text)?;
        text.end().map(|()| read)
    }

    /// Takes a value apart for a place so many names below `data`.
    pub fn of(value: &Json, depth: usize) -> Self {
        // A value has no text that could be wrong; whole it is the same document.
        let whole = |_| Self { node: Node::Leaf(Leaf::new(value).into()), depth, levels: super::pointer::depth(value) };
        At(depth).deserialize(value).unwrap_or_else(whole)
    }

    /// Takes a node for one that goes to a place so many names below `data`, in whatever pieces it is.
    pub(crate) fn placed_at(node: &Node, depth: usize) -> Self {
        Self { node: place::deeper(node, depth), depth, levels: place::levels(node) }
    }

    /// Returns the levels of nesting, 0 for a scalar.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.node.leaf().is_some_and(|leaf| *leaf.json == *b"null")
    }

    /// Returns the document as a value. Fails when what was encoded here cannot be read, which never happens.
    pub fn decode(&self) -> Result<Json, serde_json::Error> {
        self.node.decode()
    }
}

impl From<&Json> for Incoming {
    fn from(value: &Json) -> Self {
        Self::of(value, 0)
    }
}

impl From<Json> for Incoming {
    fn from(value: Json) -> Self {
        Self::of(&value, 0)
    }
}

impl From<&Self> for Incoming {
    fn from(same: &Self) -> Self {
        same.clone()
    }
}

/// By content, wherever they go.
impl PartialEq for Incoming {
    fn eq(&self, other: &Self) -> bool {
        match self.depth == other.depth {
            true => self.node == other.node,
            false => self.node.json() == other.node.json(),
        }
    }
}

impl Eq for Incoming {}

impl<'de> DeserializeSeed<'de> for At {
    type Value = Incoming;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Incoming, D::Error> {
        let mut reader = Reader::default();
        let node = reader.document(self.0).deserialize(deserializer)?;
        Ok(Incoming { node, depth: self.0, levels: reader.levels() })
    }
}

impl Serialize for Incoming {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = String::from_utf8(self.node.json()).map_err(S::Error::custom)?;
        RawValue::from_string(text).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// For a place at the root; [`At`] reads for another one.
impl<'de> Deserialize<'de> for Incoming {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        At(0).deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests;
