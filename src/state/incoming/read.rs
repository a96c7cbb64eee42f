//! Text as branches and leaves, made as it is read.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::whole::{Encoder, Whole};
use crate::state::leaf::{LEAF_DEPTH, Leaf, is_object};
use crate::state::tree::{Members, Node};

/// Makes the nodes of one document.
#[derive(Debug, Default)]
pub(super) struct Reader {
    encoder: Encoder,
}

/// A document that is about to be read.
pub(super) struct Document<'r> {
    reader: &'r mut Reader,
    /// Names below `data`.
    depth: usize,
    /// Containers that are open around it.
    level: usize,
    /// It is a branch whatever is in it, if it is an object.
    open: bool,
}

impl Reader {
    /// One that stands so many names below `data`.
    pub(super) fn document(&mut self, depth: usize) -> Document<'_> {
        Document { reader: self, depth, level: 0, open: false }
    }

    /// Reads a document that becomes a branch if it is an object, whatever is in it.
    pub(super) fn members(&mut self, depth: usize) -> Document<'_> {
        Document { open: true, ..self.document(depth) }
    }

    /// Levels of nesting of what was read.
    pub(super) fn levels(&self) -> usize {
        self.encoder.levels
    }
}

impl Document<'_> {
    /// Returns a leaf, which is kept as it is written.
    fn leaf<E: Error>(self, encode: impl FnOnce(Whole<'_>) -> Result<(), E>) -> Result<Node, E> {
        encode(self.reader.encoder.document(self.level))?;
        Ok(Node::Leaf(Arc::new(self.reader.encoder.take())))
    }

    fn member(&mut self) -> Document<'_> {
        Document { reader: self.reader, depth: self.depth + 1, level: self.level + 1, open: false }
    }
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_i64(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_u64(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_f64(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_str(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        self.leaf(|whole| whole.visit_unit())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Node, A::Error> {
        self.leaf(|whole| whole.visit_seq(elements))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut read: A) -> Result<Node, A::Error> {
        if self.depth >= LEAF_DEPTH && !self.open {
            return self.leaf(|whole| whole.visit_map(read));
        }
        self.reader.encoder.enter(self.level);
        let mut members = Members::new();
        while let Some(name) = read.next_key_seed(Name)? {
            let node = read.next_value_seed(self.member())?;
            // Of several of one name the last counts.
            members.insert(name, node);
        }
        let is_whole = !self.open && is_object(&members);
        let branch = Node::Branch(members);
        Ok(if is_whole { Node::Leaf(Arc::new(Leaf::of_text(branch.json()))) } else { branch })
    }
}

/// The name of a member.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Arc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Arc<str>, E> {
        Ok(name.into())
    }
}
