//! JSON that is written once, and sent as often as somebody asks.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Number, Value as Json};

/// What the allocator takes beside what is asked for, about.
pub(crate) const ALLOCATION: usize = 16;

/// One JSON value as text: without spaces, members sorted, as `serde_json` writes it.
#[derive(Clone, Debug)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Writes a value. Fails where it is none of JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        to_raw_value(value).map(Self)
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The text, to be written as it is.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }

    /// The value, each number as it was before it was written.
    pub fn to_json(&self) -> serde_json::Result<Json> {
        tree(&self.0)
    }

    /// The items of an array; `None` of anything else.
    pub fn items(&self) -> Option<Vec<&RawValue>> {
        serde_json::from_str(self.text()).ok()
    }

    /// The members of an object; `None` of anything else.
    pub fn members(&self) -> Option<BTreeMap<String, &RawValue>> {
        serde_json::from_str(self.text()).ok()
    }

    /// About how many bytes it takes beside itself.
    pub fn size(&self) -> usize {
        self.text().len() + ALLOCATION
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A text as it is, anything else as JSON: what people are shown of a value.
pub(super) fn sentence(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// `serde_json` reads some doubles as their neighbours; the standard library does not.
pub(in crate::decision) fn tree(value: &RawValue) -> serde_json::Result<Json> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            members.into_iter().map(|(name, value)| Ok((name, tree(value)?))).collect::<Result<Map<_, _>, _>>().map(Json::Object)
        }
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)?.into_iter().map(tree).collect(),
        Some(b'-' | b'0'..=b'9') => match number(text) {
            Some(number) => Ok(Json::Number(number)),
            None => serde_json::from_str(text),
        },
        _ => serde_json::from_str(text),
    }
}

fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let values = [
            json!(null),
            json!(true),
            json!(-7),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(-0.0),
            json!(1e300),
            json!(0.1),
            json!("a\n\"b\u{7f}\u{2028}ü\u{1f6a2}"),
            json!([]),
            json!({}),
            json!({"b": [1, {"a\"": []}], "a": "1"}),
        ];
        for value in values {
            let raw = Raw::of(&value).unwrap();
            assert_eq!((raw.text(), raw.to_json().unwrap()), (value.to_string().as_str(), value));
        }
    }

    #[test]
    fn people_see_texts_as_they_are_and_the_rest_as_json() {
        for (value, expected) in
            [(json!("a \"b\""), "a \"b\""), (json!(["a"]), "[\"a\"]"), (json!(1.5), "1.5"), (json!(null), "null")]
        {
            assert_eq!(sentence(&Raw::of(&value).unwrap().0), expected);
        }
    }

    #[test]
    fn only_arrays_have_items_and_only_objects_members() {
        let raw = |value: Json| Raw::of(&value).unwrap();
        assert_eq!(
            raw(json!([1, "x"])).items().map(|items| items.iter().map(|item| item.get().to_owned()).collect::<Vec<_>>()),
            Some(vec!["1".to_owned(), "\"x\"".to_owned()])
        );
        assert!(raw(json!({})).items().is_none() && raw(json!("[]")).items().is_none());
        assert!(raw(json!([])).members().is_none() && raw(json!({"a": 1})).members().is_some());
    }

    proptest! {
        #[test]
        fn every_double_is_read_as_it_was(bits in any::<u64>()) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            let read = Raw::of(&json!([double])).unwrap().to_json().unwrap();
            prop_assert_eq!(read[0].as_f64().map(f64::to_bits), Some(bits));
        }
    }
}
