//! Answers: documents that are known to be within limits, written once, with each number as OPA writes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plimsoll_rego::value::{self, json};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::Value;

/// Deeper answers are refused: no client could parse them.
const DEPTH: u32 = 128;

/// From here on doubles are whole numbers, and not each of them.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Why a value is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("an answer of {0} bytes")]
    Size(usize),
    #[error("an answer nested {DEPTH} levels deep")]
    Depth,
    /// What `to_number` makes of some texts.
    #[error("the number {0} is not written so in JSON")]
    Number(String),
}

/// A number that [`Json`] would make another one of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the number {0} has more digits than an answer can hold")]
pub struct Inexact(String);

/// The value of policies, the state, or both together at a path. It serializes as JSON, sets as sorted arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Document(value::Value);

impl Document {
    /// A value as an answer of at most so many bytes. Fails if it is larger, or too deep.
    pub(super) fn new(value: value::Value, most: usize) -> Result<Self, NoAnswer> {
        if value.depth() > DEPTH {
            return Err(NoAnswer::Depth);
        }
        Bytes { most, taken: 0 }.value(&value)?;
        Ok(Self(value))
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        self.0 == value::Value::True
    }

    /// Whether it is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self.0, value::Value::False | value::Value::True)
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.0.as_object().is_some()
    }

    /// The member of an object.
    pub fn member(&self, name: &str) -> Option<Self> {
        self.0.as_object()?.member(name).cloned().map(Self)
    }

    /// The items of an array.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> {
        let items = if let value::Value::Array(items) = &self.0 { items.items() } else { &[] };
        items.iter().cloned().map(Self)
    }

    /// The members of an object whose names are texts.
    pub(super) fn members(&self) -> impl Iterator<Item = (String, Self)> {
        let members = self.0.as_object().into_iter().flat_map(value::Object::iter);
        members.filter_map(|(name, value)| Some((name.as_str()?.to_string(), Self(value.clone()))))
    }

    /// A text, as it is shown.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        self.0.as_str().map(|text| json::shown(text))
    }

    /// Both as one: objects are merged, else `over` counts.
    #[must_use]
    pub fn merged(self, over: Self) -> Self {
        Self(merged(&self.0, over.0))
    }

    /// An object without one of its members.
    #[must_use]
    pub fn without(self, name: &str) -> Self {
        Self(Value(self.0).with_member(name, None).0)
    }

    /// Fails where a number would become another one.
    pub fn to_json(&self) -> Result<Json, Inexact> {
        to_json(&self.0, &|number| exact(number).ok_or_else(|| Inexact(number.to_string())))
    }

    /// Each number as the nearest double, where it is no integer of 64 bits.
    pub fn to_nearest_json(&self) -> Json {
        let nearest = |number: &value::Value| exact(number).or_else(|| number.as_f64().map(Json::from)).ok_or(());
        to_json(&self.0, &nearest).unwrap_or_default()
    }
}

impl From<Json> for Document {
    fn from(json: Json) -> Self {
        Self(Value::from(json).0)
    }
}

/// Counts the bytes of an answer, so that none is written that is too long.
struct Bytes {
    most: usize,
    taken: usize,
}

impl Bytes {
    fn value(&mut self, value: &value::Value) -> Result<(), NoAnswer> {
        match value {
            value::Value::String(text) => self.take(text.len().saturating_add(2)),
            value::Value::Array(items) => self.list(items.items()),
            value::Value::Set(members) => self.list(members.members()),
            value::Value::Object(members) => {
                self.take(2)?;
                members.iter().try_for_each(|(key, value)| {
                    self.take(2)?;
                    self.value(key)?;
                    self.value(value)
                })
            }
            value::Value::Null | value::Value::False | value::Value::True => self.take(4),
            number => match json::write(number, usize::MAX) {
                Ok(text) => self.take(text.len()),
                Err(_) => Err(NoAnswer::Number(number.to_string())),
            },
        }
    }

    fn list(&mut self, items: &[value::Value]) -> Result<(), NoAnswer> {
        self.take(items.len().saturating_add(2))?;
        items.iter().try_for_each(|item| self.value(item))
    }

    fn take(&mut self, bytes: usize) -> Result<(), NoAnswer> {
        self.taken = self.taken.saturating_add(bytes);
        if self.taken > self.most { Err(NoAnswer::Size(self.most)) } else { Ok(()) }
    }
}

fn merged(base: &value::Value, over: value::Value) -> value::Value {
    let (Some(below), Some(above)) = (base.as_object(), over.as_object()) else { return over };
    let mut all: BTreeMap<_, _> = below.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, value) in above.iter() {
        let value = match all.remove(name) {
            Some(old) => merged(&old, value.clone()),
            None => value.clone(),
        };
        all.insert(name.clone(), value);
    }
    value::Value::object(all)
}

/// The members by what their keys are written as, of what is no text its JSON; of keys with the same text the last counts, as in OPA.
fn named(object: &value::Object) -> BTreeMap<String, &value::Value> {
    let name = |key: &value::Value| match key.as_str() {
        Some(text) => json::shown(text).into_owned(),
        None => json::write(key, usize::MAX).unwrap_or_default(),
    };
    object.iter().map(|(key, value)| (name(key), value)).collect()
}

fn to_json<E>(value: &value::Value, number: &impl Fn(&value::Value) -> Result<Json, E>) -> Result<Json, E> {
    let array =
        |items: &[value::Value]| items.iter().map(|item| to_json(item, number)).collect::<Result<_, E>>().map(Json::Array);
    Ok(match value {
        value::Value::Null => Json::Null,
        value::Value::False => Json::Bool(false),
        value::Value::True => Json::Bool(true),
        value::Value::String(text) => Json::String(json::shown(text).into_owned()),
        value::Value::Array(items) => array(items.items())?,
        value::Value::Set(members) => array(members.members())?,
        value::Value::Object(members) => {
            let members = named(members).into_iter().map(|(name, value)| Ok((name, to_json(value, number)?)));
            Json::Object(members.collect::<Result<Map<_, _>, E>>()?)
        }
        other => number(other)?,
    })
}

/// A number, if [`Json`] has it.
fn exact(number: &value::Value) -> Option<Json> {
    if let Some(small) = number.as_i64() {
        return Some(small.into());
    }
    if let Some(whole) = number.as_f64().filter(|double| double.fract() == 0.0 && double.abs() < WHOLE) {
        let integer = format!("{whole:.0}").parse::<i64>().ok().filter(|integer| value::Value::from(*integer) == *number);
        return integer.map(Json::from);
    }
    let held = serde_json::from_str::<serde_json::Number>(&number.to_string()).ok()?;
    (value::Value::number(&held.to_string()).as_ref() == Some(number)).then_some(Json::Number(held))
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written(&self.0).serialize(serializer)
    }
}

/// A value as it is written.
struct Written<'v>(&'v value::Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value::Value::Null => serializer.serialize_unit(),
            value::Value::False => serializer.serialize_bool(false),
            value::Value::True => serializer.serialize_bool(true),
            value::Value::String(text) => serializer.serialize_str(&json::shown(text)),
            value::Value::Array(items) => serializer.collect_seq(items.items().iter().map(Written)),
            value::Value::Set(members) => serializer.collect_seq(members.members().iter().map(Written)),
            value::Value::Object(members) if members.shape().is_text() => {
                let texts = members.iter().filter_map(|(name, value)| Some((json::shown(name.as_str()?), Written(value))));
                serializer.collect_map(texts)
            }
            value::Value::Object(members) => {
                serializer.collect_map(named(members).into_iter().map(|(name, value)| (name, Written(value))))
            }
            value::Value::Int(number) => serializer.serialize_i64(*number),
            number => {
                let text = json::write(number, usize::MAX).map_err(S::Error::custom)?;
                RawValue::from_string(text).map_err(S::Error::custom)?.serialize(serializer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(text: &str) -> Document {
        Document::new(Value::from_json(text.as_bytes()).unwrap().0, 1 << 20).unwrap()
    }

    #[test]
    fn numbers_are_written_as_they_came() {
        for text in ["[1.50,1e3,12345678901234567890,0.1234567890123456789,-0]", "{\"a\":[null,true,\"é\\n\"],\"b\":1e400}"] {
            assert_eq!(serde_json::to_string(&document(text)).unwrap(), text);
            assert_eq!(serde_json::to_string_pretty(&document(text)).unwrap().replace([' ', '\n'], ""), text);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_opa_shows_them() {
        let byte = value::Value::from("a\u{10ffff}");
        let object = Document::new(value::Value::object([(byte.clone(), byte)]), 100).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), "{\"a\u{fffd}\":\"a\u{fffd}\"}");
        assert_eq!(object.to_json().unwrap(), json!({"a\u{fffd}": "a\u{fffd}"}));
    }

    #[test]
    fn what_json_cannot_hold_is_told_or_the_nearest() {
        assert_eq!(document("[1.50, 1e3, 2.0]").to_json().unwrap(), json!([1.5, 1000, 2]));
        for near in ["1.00000000000000000001", "9007199254740990.0000001", "1e-400"] {
            assert!(document(near).to_json().is_err(), "{near}");
        }
        let long = document("0.1234567890123456789");
        assert!(long.to_json().unwrap_err().to_string().contains("0.1234567890123456789"));
        assert_eq!(long.to_nearest_json(), json!(0.123_456_789_012_345_68));
    }

    #[test]
    fn large_and_deep_ones_are_refused() {
        let value = |text: &str| Value::from_json(text.as_bytes()).unwrap().0;
        assert_eq!(Document::new(value("[\"aaaaaaaa\"]"), 8), Err(NoAnswer::Size(8)));
        assert!(Document::new(value("[\"aaaaaaaa\"]"), 16).is_ok());
        let deep = (0..200).fold(value::Value::Null, |inner, _| value::Value::array([inner]));
        assert_eq!(Document::new(deep, 1 << 20), Err(NoAnswer::Depth));
    }

    #[test]
    fn what_is_over_counts() {
        let merged = document("{\"a\": {\"x\": 1, \"y\": 2}, \"b\": 3}").merged(document("{\"a\": {\"y\": 4}, \"c\": [5]}"));
        assert_eq!(merged, document("{\"a\": {\"x\": 1, \"y\": 4}, \"b\": 3, \"c\": [5]}"));
        assert_eq!(merged.without("a").to_json().unwrap(), json!({"b": 3, "c": [5]}));
    }
}
