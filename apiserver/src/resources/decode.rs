//! Reads bodies: JSON or YAML to a value, bounded in depth and size, with the fields that were there twice.

mod documents;
mod flow;

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use super::prepare::bad_request;
use crate::status::Status;

pub use documents::{DocumentError, documents};

/// Objects nested deeper are refused; the rest of the product refuses them at the same depth.
pub const MOST_LEVELS: usize = 128;

/// What aliases may blow a YAML body up to, counted in values and in bytes of text. CVE-2019-11253.
const MOST_VALUES: usize = 1_000_000;
const MOST_TEXT: usize = 16 << 20;

/// More duplicates than this are not told.
const MOST_DUPLICATES: usize = 100;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' own names")]
pub enum Format {
    Json,
    Yaml,
}

/// A body, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The last of several fields with one name counts.
    pub object: Json,
    /// Paths of fields that were there more than once.
    pub duplicates: Vec<String>,
}

/// Why a body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Nothing there.
    #[error("the request body is empty; send an object")]
    Empty,
    /// Not JSON, or too deep.
    #[error("json parse error: {0}")]
    Json(#[from] serde_json::Error),
    /// So many brackets that the parser would take too long.
    #[error("error converting YAML to JSON: more than {} brackets outside of block scalars; send JSON instead", flow::MOST)]
    Brackets,
    /// Not YAML, too deep, or too large once its aliases are followed.
    #[error("error converting YAML to JSON: yaml: {0}")]
    Yaml(#[from] yaml_serde::Error),
}

impl From<DecodeError> for Status {
    fn from(error: DecodeError) -> Self {
        bad_request(error.to_string())
    }
}

/// Reads one object.
pub fn decode(body: &[u8], format: Format) -> Result<Decoded, DecodeError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(DecodeError::Empty);
    }
    match format {
        Format::Json => json(body),
        Format::Yaml => yaml(body),
    }
}

fn json(body: &[u8]) -> Result<Decoded, DecodeError> {
    let mut reader = Reader { path: Vec::new(), duplicates: Vec::new(), values: usize::MAX, text: usize::MAX };
    let mut source = serde_json::Deserializer::from_slice(body);
    let object = Value(&mut reader).deserialize(&mut source)?;
    source.end()?;
    Ok(Decoded { object, duplicates: reader.duplicates })
}

/// JSON is YAML too, and most that comes as YAML is JSON.
fn yaml(body: &[u8]) -> Result<Decoded, DecodeError> {
    if body.trim_ascii_start().first() == Some(&b'{')
        && let Ok(decoded) = json(body)
    {
        return Ok(decoded);
    }
    if flow::is_too_deep(body) {
        return Err(DecodeError::Brackets);
    }
    let mut reader = Reader { path: Vec::new(), duplicates: Vec::new(), values: MOST_VALUES, text: MOST_TEXT };
    let object = Value(&mut reader).deserialize(yaml_serde::Deserializer::from_slice(body))?;
    Ok(Decoded { object, duplicates: reader.duplicates })
}

/// What is known while reading.
struct Reader {
    path: Vec<Step>,
    duplicates: Vec<String>,
    values: usize,
    text: usize,
}

enum Step {
    Field(String),
    Index(usize),
}

/// Reads one value.
struct Value<'r>(&'r mut Reader);

/// Reads the key of a map. YAML's may be numbers and booleans.
struct Key;

impl Reader {
    fn spend(&mut self, text: usize) -> Result<(), &'static str> {
        self.values = self.values.checked_sub(1).ok_or("excessive aliasing: too many values")?;
        self.text = self.text.checked_sub(text).ok_or("excessive aliasing: too much text")?;
        if self.path.len() > MOST_LEVELS { Err("exceeded max depth of 128") } else { Ok(()) }
    }

    fn duplicate(&mut self, name: &str) {
        let mut path = String::new();
        let name = Step::Field(name.to_owned());
        for step in self.path.iter().chain([&name]) {
            match step {
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => path.push_str(&format!(".{name}")),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        if self.duplicates.len() < MOST_DUPLICATES && !self.duplicates.contains(&path) {
            self.duplicates.push(path);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Json, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    /// A document without content.
    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Json, E> {
        self.0.spend(0).map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Json, E> {
        self.0.spend(0).map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Json, E> {
        self.0.spend(0).map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        self.0.spend(0).map_err(E::custom)?;
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("a number that JSON has not"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Json, E> {
        self.0.spend(value.len()).map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Json, E> {
        self.0.spend(value.len()).map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Json, A::Error> {
        self.0.spend(0).map_err(A::Error::custom)?;
        let mut members = Vec::new();
        loop {
            self.0.path.push(Step::Index(members.len()));
            let member = source.next_element_seed(Value(self.0))?;
            self.0.path.pop();
            match member {
                Some(member) => members.push(member),
                None => return Ok(Json::Array(members)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Json, A::Error> {
        self.0.spend(0).map_err(A::Error::custom)?;
        let mut fields = Map::new();
        while let Some(name) = source.next_key_seed(Key)? {
            self.0.spend(name.len()).map_err(A::Error::custom)?;
            if fields.contains_key(&name) {
                self.0.duplicate(&name);
            }
            self.0.path.push(Step::Field(name.clone()));
            let value = source.next_value_seed(Value(self.0))?;
            self.0.path.pop();
            fields.insert(name, value);
        }
        Ok(Json::Object(fields))
    }
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<String, D::Error> {
        source.deserialize_any(self)
    }
}

impl Visitor<'_> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }

    fn visit_bool<E>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E>(self, value: f64) -> Result<String, E> {
        Ok(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicates_are_told_with_their_paths() {
        let body = br#"{"a":1,"a":2,"spec":{"list":[{"x":1},{"x":1,"x":2}],"y":1,"y":1}}"#;
        let decoded = decode(body, Format::Json).unwrap();
        assert_eq!(decoded.object, json!({"a": 2, "spec": {"list": [{"x": 1}, {"x": 2}], "y": 1}}));
        assert_eq!(decoded.duplicates, ["a", "spec.list[1].x", "spec.y"]);
    }

    #[test]
    fn yaml_is_read_as_json() {
        let decoded = decode(b"a: 1\n1: [x, true, null, 1.5]\nb: &n {c: d}\ne: *n\n", Format::Yaml).unwrap();
        let expected = json!({"a": 1, "1": ["x", true, null, 1.5], "b": {"c": "d"}, "e": {"c": "d"}});
        assert_eq!(decoded, Decoded { object: expected, duplicates: Vec::new() });
        assert_eq!(decode(b"a: 1\na: 2\n", Format::Yaml).unwrap().duplicates, ["a"]);
    }

    #[test]
    fn bad_bodies_are_refused() {
        let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
        let cases = [
            (Vec::new(), Format::Json),
            (b" ".to_vec(), Format::Yaml),
            (b"{".to_vec(), Format::Json),
            (b"{} x".to_vec(), Format::Json),
            (b"a: [".to_vec(), Format::Yaml),
            (b"a: .nan".to_vec(), Format::Yaml),
            (deep("[", "]").into_bytes(), Format::Json),
            (deep("{\"a\":", "}").into_bytes(), Format::Json),
            (deep("[", "]").into_bytes(), Format::Yaml),
            (bomb().into_bytes(), Format::Yaml),
        ];
        for (body, format) in cases {
            let error = decode(&body, format).unwrap_err();
            assert_eq!(Status::from(error).code, 400);
        }
    }

    /// The billion laughs.
    fn bomb() -> String {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..10 {
            let before = format!("*a{}", level - 1);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(",")));
        }
        text
    }
}
