//! A document in the interpreter's own form; opaque to the rest of the program.

use std::collections::BTreeMap;

use regorus::Value as Rego;
use serde::de::Error as _;

use super::{answer, exact};

/// A JSON document that policies can read. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub(in crate::rego) Rego);

impl Value {
    /// Parses JSON; nesting beyond 128 levels is an error that says so. Keys that occur often are stored once. Whole numbers are
    /// kept whatever their size, and fractions as doubles.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        Self::read(text, false)
    }

    /// [`Self::from_json`], where a number that would become another one is an error.
    pub fn from_exact_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        Self::read(text, true)
    }

    fn read(text: &[u8], strict: bool) -> Result<Self, serde_json::Error> {
        let text = std::str::from_utf8(text).map_err(serde_json::Error::custom)?;
        let text = exact::readable(text, strict).map_err(serde_json::Error::custom)?;
        let parsed = Rego::from_json_str(&text);
        parsed.map(Self).map_err(|e| e.downcast::<serde_json::Error>().unwrap_or_else(serde_json::Error::custom))
    }

    /// Certificates, each in DER, as Go marshals them: what `crypto.x509.parse_certificates` answers, less `URIStrings`.
    pub fn certificates<'a>(certificates: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, String> {
        let all: Vec<_> = certificates.into_iter().map(super::builtins::marshalled).collect::<Result<_, _>>()?;
        Ok(Self(all.into()))
    }

    /// An object of named documents.
    pub fn object(members: impl IntoIterator<Item = (String, Self)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (string(&name), value.0));
        Self(members.collect::<BTreeMap<_, _>>().into())
    }

    /// The same document with one member of the object set, or with `None` taken away. What is no object is replaced by one.
    /// Copies the members' references, never what is inside them.
    #[must_use]
    pub fn with_member(&self, name: &str, value: Option<Self>) -> Self {
        self.with_members([(name.to_owned(), value)])
    }

    /// [`Self::with_member`] for many members at once: the references are copied once.
    #[must_use]
    pub fn with_members(&self, changes: impl IntoIterator<Item = (String, Option<Self>)>) -> Self {
        let mut copy = if self.0.as_object().is_ok() { self.0.clone() } else { Rego::new_object() };
        if let Ok(members) = copy.as_object_mut() {
            for (name, value) in changes {
                match value {
                    Some(value) => members.insert(string(&name), value.0),
                    None => members.remove(&string(&name)),
                };
            }
        }
        Self(copy)
    }

    /// The member of an object.
    pub fn member(&self, name: &str) -> Option<Self> {
        self.0.as_object().ok()?.get(&string(name)).cloned().map(Self)
    }

    /// The document as JSON; `None` when it is undefined, or holds a number that no answer can. What is undefined inside is left
    /// out, sets are sorted arrays.
    pub fn to_json(&self) -> Option<serde_json::Value> {
        answer::encode(&self.0, usize::MAX).ok().flatten()
    }
}

impl Default for Value {
    /// The empty object.
    fn default() -> Self {
        Self(Rego::new_object())
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        Self(from_json_value(json))
    }
}

/// Not the interpreter's own conversion, which answers `undefined` when memory is short: data must never go missing.
fn from_json_value(json: serde_json::Value) -> Rego {
    use serde_json::Value as Json;
    match json {
        Json::Null => Rego::Null,
        Json::Bool(b) => Rego::Bool(b),
        Json::Number(n) => number(&n),
        Json::String(s) => Rego::String(s.into()),
        Json::Array(items) => items.into_iter().map(from_json_value).collect::<Vec<_>>().into(),
        Json::Object(members) => {
            members.into_iter().map(|(k, v)| (Rego::String(k.into()), from_json_value(v))).collect::<BTreeMap<_, _>>().into()
        }
    }
}

fn number(n: &serde_json::Number) -> Rego {
    if let Some(n) = n.as_u64() {
        return n.into();
    }
    if let Some(n) = n.as_i64() {
        return n.into();
    }
    Rego::from_numeric_string(&n.to_string()).unwrap_or(Rego::Null)
}

fn string(text: &str) -> Rego {
    Rego::String(text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nesting_is_bounded_at_128() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Value::from_json(nested(127).as_bytes()).is_ok());
        let error = Value::from_json(nested(128).as_bytes()).unwrap_err();
        assert!(error.to_string().contains("recursion limit exceeded"), "{error}");
    }

    #[test]
    fn bad_json_is_an_error() {
        for text in [&b"{"[..], b"{\"a\": \xff}", b"", b"{} {}", b"NaN"] {
            assert!(Value::from_json(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn json_comes_back_as_it_was() {
        let json = json!({"n": null, "b": true, "s": "é\"", "list": [1, -2, 2.5, 18446744073709551615_u64], "o": {"": {}}});
        assert_eq!(Value::from(json.clone()).to_json(), Some(json.clone()));
        assert_eq!(Value::from_json(json.to_string().as_bytes()).unwrap(), Value::from(json));
    }

    #[test]
    fn members_are_set_and_taken_away() {
        let one = Value::object([("a".to_owned(), Value::from(json!(1)))]);
        let two = one.with_member("b", Some(Value::from(json!({"x": 2}))));
        assert_eq!(one.to_json(), Some(json!({"a": 1})));
        assert_eq!(two.to_json(), Some(json!({"a": 1, "b": {"x": 2}})));
        assert_eq!(two.member("b"), Some(Value::from(json!({"x": 2}))));
        assert_eq!(two.with_member("b", None), one);
        assert_eq!(one.with_member("none", None), one);
        assert_eq!(Value::from(json!(1)).with_member("a", None), Value::default());
    }

    #[test]
    fn undefined_never_gets_out() {
        let mut inside = Rego::new_object();
        inside.as_object_mut().unwrap().insert("u".into(), Rego::Undefined);
        inside.as_object_mut().unwrap().insert("list".into(), vec![Rego::Undefined, 1.into()].into());
        assert_eq!(Value(inside).to_json(), Some(json!({"list": [1]})));
        assert_eq!(Value(Rego::Undefined).to_json(), None);
    }
}
