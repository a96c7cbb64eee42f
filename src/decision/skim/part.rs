//! One value of a text, read as far as it is wanted.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::decision::normal_form::MANAGED_FIELDS;
use crate::rego::Mask;

/// Names and texts that begin so are signs between serde_json and its callers, and no data.
const PRIVATE: &str = "$serde_json::private::";

/// How much of a value is wanted. What is not wanted is an empty value, if its name or its place counts.
pub(super) enum Part<'r> {
    /// The type and the metadata of an object, and what policy reads of it.
    Object(Mask<'r>),
    /// Metadata: all that an engine or a policy may look at.
    Metadata,
    /// The members and items that policy reads; all others are left out.
    Read(Mask<'r>),
    All,
    Nothing,
}

impl<'r> Part<'r> {
    fn member(&self, name: &str) -> Self {
        match self {
            Self::Object(mask) => match name {
                "apiVersion" | "kind" => Self::All,
                "metadata" => Self::Metadata,
                name => Self::read(mask.member(name)),
            },
            Self::Metadata if name == MANAGED_FIELDS => Self::Nothing,
            Self::Read(mask) => Self::read(mask.member(name)),
            Self::Metadata | Self::All => Self::All,
            Self::Nothing => Self::Nothing,
        }
    }

    fn item(&self) -> Self {
        match self {
            Self::Object(mask) | Self::Read(mask) => Self::read(mask.item()),
            Self::Metadata | Self::All => Self::All,
            Self::Nothing => Self::Nothing,
        }
    }

    fn read(mask: Option<Mask<'r>>) -> Self {
        match mask {
            Some(mask) if mask.is_whole() => Self::All,
            Some(mask) => Self::Read(mask),
            None => Self::Nothing,
        }
    }

    fn is_wanted(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Whether members and items are counted that are not wanted themselves.
    fn counts(&self) -> bool {
        matches!(self, Self::Object(mask) | Self::Read(mask) if mask.has_keys())
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Reader(&self))
    }
}

/// Reads a part. Fails where a tree of the whole text could not be made, and where what is not wanted might count after all.
#[derive(Clone, Copy)]
struct Reader<'p, 'r>(&'p Part<'r>);

impl<'de> DeserializeSeed<'de> for Reader<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Json, E> {
        i64::try_from(number).map(Json::from).map_err(|_| E::custom("a number beyond the usual"))
    }

    /// Where there is one that is written as no other is, all of the object tells its class.
    fn visit_f64<E: Error>(self, _: f64) -> Result<Json, E> {
        Err(E::custom("a number with a fraction or an exponent, or beyond 64 bits"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        let text = data(text)?;
        Ok(if self.0.is_wanted() { text.into() } else { Json::Null })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let (item, mut kept) = (self.0.item(), Vec::new());
        let is_kept = item.is_wanted() || self.0.counts();
        while let Some(value) = items.next_element_seed(Reader(&item))? {
            if is_kept {
                kept.push(value);
            }
        }
        Ok(kept.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = members.next_key_seed(Name)? {
            let member = self.0.member(&name);
            let value = members.next_value_seed(Reader(&member))?;
            if member.is_wanted() || self.0.counts() {
                kept.insert(name.into_owned(), value);
            }
        }
        Ok(kept.into())
    }
}

/// The name of a member.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        data(name).map(Cow::Borrowed)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        data(name).map(|name| Cow::Owned(name.to_owned()))
    }
}

fn data<E: Error>(text: &str) -> Result<&str, E> {
    if text.starts_with(PRIVATE) { Err(E::custom("a reserved name")) } else { Ok(text) }
}
