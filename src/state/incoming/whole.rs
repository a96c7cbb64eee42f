//! Documents that are kept whole, encoded as they are read: compact, members sorted, of several of one name the last.

mod sort;

use std::fmt;
use std::mem;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::state::leaf::Leaf;

/// Larger memory is not kept for the next document.
const KEPT: usize = 64 << 10;

/// Where documents are encoded, one after the other.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    text: Vec<u8>,
    /// Of the objects that are open.
    members: Vec<Member>,
    /// The deepest level there was.
    pub(super) levels: usize,
}

/// A member in the text.
#[derive(Clone, Copy, Debug)]
struct Member {
    start: usize,
    /// After the closing quote of its name.
    named: usize,
    end: usize,
}

/// A document that is about to be encoded.
pub(super) struct Whole<'e> {
    encoder: &'e mut Encoder,
    /// Containers that are open around it.
    level: usize,
}

impl Encoder {
    /// One with so many containers open around it.
    pub(super) fn document(&mut self, level: usize) -> Whole<'_> {
        Whole { encoder: self, level }
    }

    /// The document that was encoded.
    pub(super) fn take(&mut self) -> Leaf {
        if self.text.len() > KEPT {
            return Leaf::of_text(mem::take(&mut self.text));
        }
        let leaf = Leaf::of_text(self.text.as_slice());
        self.text.clear();
        leaf
    }

    /// A container with so many around it.
    pub(super) fn enter(&mut self, level: usize) {
        self.levels = self.levels.max(level.saturating_add(1));
    }

    fn scalar<E: Error>(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), E> {
        serde_json::to_writer(&mut self.text, value).map_err(E::custom)
    }
}

impl Whole<'_> {
    fn inner(&mut self) -> Whole<'_> {
        Whole { encoder: self.encoder, level: self.level + 1 }
    }
}

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.encoder.scalar(&value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.encoder.scalar(&value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.encoder.scalar(&value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.encoder.scalar(&value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.encoder.scalar(value)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.encoder.scalar(&())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.encoder.enter(self.level);
        self.encoder.text.push(b'[');
        let start = self.encoder.text.len();
        while elements.next_element_seed(Element { start, whole: self.inner() })?.is_some() {}
        self.encoder.text.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.encoder.enter(self.level);
        self.encoder.text.push(b'{');
        let (start, first) = (self.encoder.text.len(), self.encoder.members.len());
        while let Some((begin, named)) = members.next_key_seed(Name { start, encoder: self.encoder })? {
            members.next_value_seed(self.inner())?;
            let end = self.encoder.text.len();
            self.encoder.members.push(Member { start: begin, named, end });
        }
        self.encoder.sort(start, first);
        self.encoder.text.push(b'}');
        Ok(())
    }
}

/// An element of an array that begins at `start`.
struct Element<'e> {
    start: usize,
    whole: Whole<'e>,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.whole.encoder.text.len() > self.start {
            self.whole.encoder.text.push(b',');
        }
        self.whole.deserialize(deserializer)
    }
}

/// The name of a member of an object that begins at `start`; where it begins and ends.
struct Name<'e> {
    start: usize,
    encoder: &'e mut Encoder,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = (usize, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = (usize, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let Encoder { text, .. } = self.encoder;
        if text.len() > self.start {
            text.push(b',');
        }
        let begin = text.len();
        self.encoder.scalar(name)?;
        let named = self.encoder.text.len();
        self.encoder.text.push(b':');
        Ok((begin, named))
    }
}
