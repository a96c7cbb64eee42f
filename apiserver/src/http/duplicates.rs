//! JSON with a note of each field that is there twice; `serde_json` alone keeps the last one silently.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use super::body::Decoded;

/// Notes kept of one body, at most.
const NOTES: usize = 100;

/// Reads one JSON document.
pub(super) fn read(body: &[u8]) -> Result<Decoded, serde_json::Error> {
    let found = RefCell::new(Vec::new());
    let mut reader = serde_json::Deserializer::from_slice(body);
    let object = Value { path: &Path::Root, found: &found }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(Decoded { object, duplicates: found.into_inner() })
}

/// Where we are; on the stack.
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => formatter.write_str(name),
            Self::Field(parent, name) => write!(formatter, "{parent}.{name}"),
            Self::Index(parent, index) => write!(formatter, "{parent}[{index}]"),
        }
    }
}

struct Value<'a> {
    path: &'a Path<'a>,
    found: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(member) = members.next_element_seed(Value { path: &Path::Index(self.path, array.len()), found: self.found })? {
            array.push(member);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = Path::Field(self.path, &name);
            let value = fields.next_value_seed(Value { path: &path, found: self.found })?;
            if object.contains_key(&name) && self.found.borrow().len() < NOTES {
                self.found.borrow_mut().push(path.to_string());
            }
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_that_are_there_twice_are_noted() {
        let body = br#"{"a":1,"spec":{"b":[{"c":1,"c":2}],"d":1,"d":2,"d":3},"a":2}"#;
        let decoded = read(body).unwrap();
        assert_eq!(decoded.object, json!({"a": 2, "spec": {"b": [{"c": 2}], "d": 3}}));
        assert_eq!(decoded.duplicates, ["spec.b[0].c", "spec.d", "spec.d", "a"]);
    }

    #[test]
    fn values_are_those_of_serde_json() {
        for text in ["null", "true", "-3", "18446744073709551615", "1.5", "\"a\\u00e9\"", "[]", "{}", "[1,{\"a\":[null]}]"] {
            assert_eq!(read(text.as_bytes()).unwrap().object, serde_json::from_str::<Json>(text).unwrap(), "{text}");
        }
        for text in ["", "{", "1 2", "[1,]"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
