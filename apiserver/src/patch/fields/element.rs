//! One step of a field's path, and how `fieldsV1` spells it. Source: `structured-merge-diff` `fieldpath/{element,serialize-pe}.go`.

use std::fmt;

use serde_json::Value as Json;

use crate::patch::go_text;
use crate::patch::ordered::Ordered;

/// Selects a child of an object or of a list. In this order they stand in a set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// `f:`: a field of an object, or an entry of a map.
    Field(String),
    /// `k:`: the member of a list that has these values of the list's keys, by name.
    Key(Vec<(String, Ordered)>),
    /// `v:`: the member of a set.
    Value(Ordered),
    /// `i:`: by position; nothing that is written nowadays, but it may be read.
    Index(i64),
}

/// A key of `fieldsV1` that is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ElementError {
    /// Not `x:` and something.
    #[error("{0:?} is no path element: it must start with a letter and a colon")]
    NoType(String),
    /// What follows is not as the letter says.
    #[error("path element {text:?} cannot be read: {source}")]
    Content {
        /// The whole key.
        text: String,
        /// Why.
        source: serde_json::Error,
    },
}

impl Element {
    /// A field.
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// Reads a key of `fieldsV1`; `None` for a type of a later version, to be skipped with all below it.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, ElementError> {
        let wrong = |source| ElementError::Content { text: text.to_owned(), source };
        let Some((kind, content)) = text.split_at_checked(2).filter(|(kind, _)| kind.ends_with(':')) else {
            return Err(ElementError::NoType(text.to_owned()));
        };
        Ok(match kind {
            "f:" => Some(Self::Field(content.to_owned())),
            "v:" => Some(Self::Value(Ordered(serde_json::from_str(content).map_err(wrong)?))),
            "i:" => Some(Self::Index(serde_json::from_str(content).map_err(wrong)?)),
            "k:" => {
                let keys: serde_json::Map<String, Json> = serde_json::from_str(content).map_err(wrong)?;
                Some(Self::Key(keys.into_iter().map(|(name, value)| (name, Ordered(value))).collect()))
            }
            _ => None,
        })
    }

    /// The key of `fieldsV1`: keys sorted, no spaces.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Value(value) => format!("v:{}", escaped(&value.0)),
            Self::Index(index) => format!("i:{index}"),
            Self::Key(keys) => {
                let pairs: Vec<String> =
                    keys.iter().map(|(name, value)| format!("{}:{}", Json::from(name.as_str()), escaped(&value.0))).collect();
                format!("k:{{{}}}", pairs.join(","))
            }
        }
    }
}

/// As a JSON encoder of Go writes values: `<`, `>` and `&` as escapes.
fn escaped(value: &Json) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// As messages show it: `.spec`, `[name="a"]`, `[="v"]`, `[0]`.
impl fmt::Display for Element {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(out, ".{name}"),
            Self::Value(value) => write!(out, "[={}]", shown(&value.0)),
            Self::Index(index) => write!(out, "[{index}]"),
            Self::Key(keys) => {
                let pairs: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={}", shown(&value.0))).collect();
                write!(out, "[{}]", pairs.join(","))
            }
        }
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::String(text) => go_text::quoted(text),
        other => go_text::plain(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_read_and_write_as_upstream() {
        let table = [
            ("f:spec", ".spec"),
            ("f:", "."),
            (r#"k:{"containerPort":80,"protocol":"TCP"}"#, r#"[containerPort=80,protocol="TCP"]"#),
            (r#"v:"example.com/finalizer""#, r#"[="example.com/finalizer"]"#),
            ("v:true", "[=true]"),
            ("v:1.5", "[=1.5]"),
            ("i:3", "[3]"),
            (r#"k:{"name":"a\u003cb"}"#, r#"[name="a<b"]"#),
        ];
        for (key, text) in table {
            let element = Element::parse(key).unwrap().unwrap();
            assert_eq!(element.key(), key);
            assert_eq!(element.to_string(), text);
        }
    }

    #[test]
    fn keys_are_sorted_and_later_types_are_skipped() {
        let element = Element::parse(r#"k:{ "b": 1, "a": "x" }"#).unwrap().unwrap();
        assert_eq!(element.key(), r#"k:{"a":"x","b":1}"#);
        assert!(Element::parse("x:anything").unwrap().is_none());
    }

    #[test]
    fn what_is_no_element_is_refused() {
        for key in ["", "f", "é:", "spec", "v:", "v:{", "i:x", "k:[]", "k:1"] {
            assert!(Element::parse(key).is_err(), "{key}");
        }
    }
}
