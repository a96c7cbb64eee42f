//! From the interpreter's values to JSON: nothing undefined gets out, and the size is bounded.

use regorus::Value as Rego;
use serde_json::{Map, Value as Json};

use super::{exact, order};

/// Deeper answers are refused: no client could parse them.
const DEPTH: usize = 128;

/// Why a value has no JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("an answer of {0} bytes")]
    Size(usize),
    #[error("an answer nested {DEPTH} levels deep")]
    Depth,
    #[error("an answer that {0}")]
    Order(#[from] order::TooMany),
    #[error("the number {0} has more digits than an answer can hold")]
    Number(String),
}

/// The JSON of a value, `None` for undefined; undefined members are left out. `limit` counts bytes of compact JSON, escapes aside.
pub(super) fn encode(value: &Rego, limit: usize) -> Result<Option<Json>, AnswerError> {
    Encoder { limit, used: 0 }.value(value, 0)
}

struct Encoder {
    limit: usize,
    used: usize,
}

impl Encoder {
    fn value(&mut self, value: &Rego, depth: usize) -> Result<Option<Json>, AnswerError> {
        if depth > DEPTH {
            return Err(AnswerError::Depth);
        }
        Ok(Some(match value {
            Rego::Undefined => return Ok(None),
            Rego::Null => self.charge(4, Json::Null)?,
            Rego::Bool(b) => self.charge(5, Json::Bool(*b))?,
            Rego::String(s) => self.charge(s.len().saturating_add(2), Json::String(s.to_string()))?,
            // Its own text would be that of a double.
            Rego::Number(number) => self.number(number.format_decimal())?,
            Rego::Array(items) => self.array(items.iter(), depth)?,
            Rego::Set(items) => self.array(order::members(items)?.into_iter(), depth)?,
            Rego::Object(members) => self.object(members, depth)?,
        }))
    }

    fn array<'a>(&mut self, items: impl Iterator<Item = &'a Rego>, depth: usize) -> Result<Json, AnswerError> {
        self.charge(2, ())?;
        let mut array = Vec::new();
        for item in items {
            self.charge(1, ())?;
            array.extend(self.value(item, depth.saturating_add(1))?);
        }
        Ok(Json::Array(array))
    }

    fn object(&mut self, members: &regorus::value::Object, depth: usize) -> Result<Json, AnswerError> {
        self.charge(2, ())?;
        let mut object = Map::new();
        for (key, value) in members.iter_sorted() {
            let Some(key) = self.key(key, depth)? else { continue };
            if let Some(value) = self.value(value, depth.saturating_add(1))? {
                self.charge(key.len().saturating_add(4), ())?;
                object.insert(key, value);
            }
        }
        Ok(Json::Object(object))
    }

    /// Keys that are no strings are written as their JSON text, as OPA does.
    fn key(&mut self, key: &Rego, depth: usize) -> Result<Option<String>, AnswerError> {
        if let Rego::String(key) = key {
            return Ok(Some(key.to_string()));
        }
        Ok(self.value(key, depth.saturating_add(1))?.map(|key| key.to_string()))
    }

    fn number(&mut self, text: String) -> Result<Json, AnswerError> {
        self.charge(text.len(), ())?;
        // Never another number: the policy decided on this one.
        if !exact::is_held(&text) {
            return Err(AnswerError::Number(text));
        }
        serde_json::from_str(&text).map_err(|_| AnswerError::Number(text))
    }

    fn charge<T>(&mut self, bytes: usize, value: T) -> Result<T, AnswerError> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit { Err(AnswerError::Size(self.limit)) } else { Ok(value) }
    }
}
