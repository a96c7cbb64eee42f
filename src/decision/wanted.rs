//! What policy wants on an object: found once for all objects of a class, with all that follows from it alone.

use super::class::raw::{ALLOCATION, Raw};
use super::intent::Patch;
use super::normal_form::undo::sum_of;

/// Annotation keys, sorted, and what is to be there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted(Box<[WantedAnnotation]>);

/// One annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedAnnotation {
    /// The key.
    pub key: Box<str>,
    /// The value; `None` is to be absent.
    pub value: Option<Value>,
    /// What a record says of it: its digest, or nothing of what is absent.
    pub sum: Box<str>,
}

/// A value in the two forms in which it leaves the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As it stands on the object.
    pub text: Box<str>,
    /// The same as a string of JSON.
    pub quoted: Raw,
}

impl Wanted {
    /// Of keys to set and (`None`) to remove.
    pub fn of(keys: Patch) -> serde_json::Result<Self> {
        keys.into_iter().map(|(key, value)| WantedAnnotation::of(key, value)).collect::<Result<_, _>>().map(Self)
    }

    /// One after the other.
    pub fn annotations(&self) -> impl Iterator<Item = &WantedAnnotation> {
        self.0.iter()
    }

    /// Returns the keys with their values.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.annotations().filter_map(|annotation| Some((&*annotation.key, annotation.value.as_ref()?)))
    }

    /// About how many bytes it takes beside itself.
    pub(super) fn size(&self) -> usize {
        let beside = size_of::<WantedAnnotation>() + 3 * ALLOCATION;
        let values = self.values().map(|(_, value)| value.text.len() + value.quoted.size()).sum::<usize>();
        values + self.annotations().map(|annotation| annotation.key.len() + annotation.sum.len() + beside).sum::<usize>()
    }
}

impl WantedAnnotation {
    fn of(key: String, value: Option<String>) -> serde_json::Result<Self> {
        let sum = sum_of(value.as_deref()).into();
        let value = value.map(|text| Ok::<_, serde_json::Error>(Value { quoted: Raw::of(&text)?, text: text.into() }));
        Ok(Self { key: key.into(), value: value.transpose()?, sum })
    }

    /// Returns the value as text; `None` where the key is to be absent.
    pub fn text(&self) -> Option<&str> {
        self.value.as_ref().map(|value| &*value.text)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::digest;

    use super::*;

    #[test]
    fn each_annotation_has_what_follows_from_it() {
        let text = "{\"a\":\"\u{1f6a2}\\n\"}";
        let keys = Patch::from([("b".to_owned(), None), ("a".to_owned(), Some(text.to_owned()))]);
        let wanted = Wanted::of(keys).unwrap();
        let found: Vec<_> =
            wanted.annotations().map(|annotation| (&*annotation.key, annotation.text(), annotation.sum.to_string())).collect();
        assert_eq!(found, [("a", Some(text), digest(text)), ("b", None, String::new())]);
        let quoted: Vec<_> = wanted.values().map(|(key, value)| (key, value.quoted.text().to_owned())).collect();
        assert_eq!(quoted, [("a", serde_json::to_string(text).unwrap())]);
    }
}
