//! Objects as Go reads them into a struct: the case of names does not count, and of several the last in the text does.

mod seeds;

use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, DeserializeSeed, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::state::Incoming;
pub use seeds::{Each, List};

/// The members of an object in the order of its text, each name as often as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields<V>(Vec<(String, V)>);

/// A field of text that holds something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoText;

/// A value that may be a text.
pub trait Text {
    /// The text; nothing of `null`.
    fn text(self) -> Result<Option<String>, NoText>;
}

impl Text for Json {
    fn text(self) -> Result<Option<String>, NoText> {
        match self {
            Self::String(text) => Ok(Some(text)),
            Self::Null => Ok(None),
            _ => Err(NoText),
        }
    }
}

impl Text for Box<RawValue> {
    fn text(self) -> Result<Option<String>, NoText> {
        serde_json::from_str(self.get()).map_err(|_| NoText)
    }
}

impl Text for Incoming {
    fn text(self) -> Result<Option<String>, NoText> {
        match self.levels() {
            0 => self.decode().map_err(|_| NoText)?.text(),
            _ => Err(NoText),
        }
    }
}

impl<V> Fields<V> {
    /// The value of a field, whose name is in lower case.
    pub fn take(&mut self, name: &str) -> Option<V> {
        self.all(name).pop()
    }

    /// The value of the name exactly as it is.
    pub fn exactly(&mut self, name: &str) -> Option<V> {
        let at = self.0.iter().rposition(|(key, _)| key == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn all(&mut self, name: &str) -> Vec<V> {
        self.0.extract_if(.., |(key, _)| is_field(key, name)).map(|(_, value)| value).collect()
    }
}

impl Fields<Json> {
    /// The fields under their names in lower case. `null` is as if nothing had been there before, but leaves a text.
    pub fn folded(self, texts: &[&str]) -> Map<String, Json> {
        let mut folded = Map::new();
        for (key, value) in self.0 {
            let name: String = letters(&key).collect();
            match value.is_null() {
                true if texts.contains(&name.as_str()) => {}
                true => drop(folded.remove(&name)),
                false => drop(folded.insert(name, value)),
            }
        }
        folded
    }
}

impl<V: Text> Fields<V> {
    /// A field of text, empty where there is none: `null` leaves what was there.
    pub fn text(&mut self, name: &str) -> Result<String, NoText> {
        self.all(name).into_iter().try_fold(String::new(), |before, value| Ok(value.text()?.unwrap_or(before)))
    }
}

/// Whether a key names a field (Go: `encoding/json`, `foldName`). Beside ASCII two letters fold into it: K and ſ.
pub fn is_field(key: &str, name: &str) -> bool {
    letters(key).eq(name.chars())
}

fn letters(key: &str) -> impl Iterator<Item = char> {
    key.chars().map(|letter| match letter {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        letter => letter.to_ascii_lowercase(),
    })
}

/// The first value of a text, whatever follows it (Go: `json.Decoder`).
pub fn first<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<T>();
    values.next().unwrap_or_else(|| Err(serde::de::Error::custom("there is nothing in it")))
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Fields<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Each(PhantomData).deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(text: &str) -> Fields<Json> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn names_are_in_any_case_and_the_last_one_counts() {
        let table = [
            (r#"{"input": 1, "Input": 2}"#, Some(json!(2))),
            (r#"{"INPUT": 1, "input": 2}"#, Some(json!(2))),
            (r#"{"input": 1, "iNput": null}"#, Some(Json::Null)),
            (r#"{"ınput": 1, "inputs": 2}"#, None),
        ];
        for (text, expected) in table {
            assert_eq!(fields(text).take("input"), expected, "{text}");
        }
        assert!(is_field("taſ\u{212a}", "task") && !is_field("tasq", "task"));
        assert_eq!(fields(r#"{"Input": 1}"#).exactly("input"), None);
        assert_eq!(fields(r#"{"input": 1, "Input": 2, "input": 3}"#).exactly("input"), Some(json!(3)));
    }

    #[test]
    fn the_first_value_counts_and_null_takes_all_but_texts_away() {
        let fields: Fields<Json> =
            first(br#"{"Roots": ["a"], "revision": "r", "rooTs": null, "Revision": null, "X": 1} rest"#).unwrap();
        assert_eq!(Json::Object(fields.folded(&["revision"])), json!({"revision": "r", "x": 1}));
        assert!(first::<Json>(b" ").is_err() && first::<Json>(b"{").is_err());
        assert_eq!(first::<Option<Json>>(b"null").unwrap(), None);
    }

    #[test]
    fn a_text_stays_where_null_follows() {
        let table = [
            (r#"{"op": "a", "Op": null}"#, Ok("a")),
            (r#"{"op": "a", "Op": "b"}"#, Ok("b")),
            ("{}", Ok("")),
            (r#"{"op": "a", "Op": 1}"#, Err(NoText)),
            (r#"{"Op": 1, "op": "a"}"#, Err(NoText)),
        ];
        for (text, expected) in table {
            assert_eq!(fields(text).text("op"), expected.map(str::to_owned), "{text}");
        }
    }
}
