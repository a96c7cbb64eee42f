//! One object as the API server wrote it: its name is read, the rest passes through as bytes.

use std::borrow::Cow;

use bytes::Bytes;
use plimsoll_contract::source::ObjectName;
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::lines::LONGEST;

/// The engine refuses deeper documents.
const DEEPEST: usize = 128;

/// An object: one line of JSON, with `apiVersion` and `kind`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name.
    pub name: ObjectName,
    /// For preconditions and Events.
    pub uid: String,
    /// Where a watch goes on.
    pub resource_version: String,
    /// The whole object.
    pub json: Bytes,
}

/// A change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The object as it now is.
    Put(Object),
    /// The object is gone.
    Remove(ObjectName),
}

/// An object that cannot be replicated; costs one warning.
#[derive(Debug, Error)]
pub enum Unfit {
    /// Not an object with `metadata.name`.
    #[error("not an object with metadata.name: {0}")]
    Shape(#[from] serde_json::Error),
    /// Deeper than the engine reads.
    #[error("{} is nested deeper than {DEEPEST} levels", display(.0))]
    Deep(ObjectName),
    /// Longer than the engine reads.
    #[error("{} is larger than {LONGEST} bytes", display(.0))]
    Long(ObjectName),
}

/// `namespace/name`, or the name alone.
pub(crate) fn display(name: &ObjectName) -> String {
    if name.namespace.is_empty() { name.name.clone() } else { format!("{}/{}", name.namespace, name.name) }
}

/// Group, version and kind for objects that lack them, as in the list of a built-in kind.
#[derive(Clone, Debug)]
pub struct Stamp {
    prefix: String,
}

impl Stamp {
    /// For objects of one kind.
    pub fn new(api_version: &str, kind: &str) -> Self {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        Self { prefix: format!(r#"{{"apiVersion":{},"kind":{},"#, quoted(api_version), quoted(kind)) }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow)]
    api_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    resource_version: String,
}

impl Object {
    /// Reads the head of an object and stamps it if needed.
    pub fn read(raw: &RawValue, stamp: &Stamp) -> Result<Self, Unfit> {
        let text = raw.get();
        let head: Head<'_> = serde_json::from_str(text)?;
        let Metadata { name, namespace, uid, resource_version } = head.metadata;
        let name = ObjectName { namespace, name };
        if text.len() + stamp.prefix.len() + 16 > LONGEST {
            return Err(Unfit::Long(name));
        }
        if depth(text) > DEEPEST {
            return Err(Unfit::Deep(name));
        }
        let is_stamped = head.api_version.is_some() && head.kind.is_some();
        let json = one_line(text, if is_stamped { None } else { Some(stamp) });
        Ok(Self { name, uid, resource_version, json })
    }
}

/// Line ends in JSON are white space between tokens: one line is the same document.
fn one_line(text: &str, stamp: Option<&Stamp>) -> Bytes {
    let rest = text.trim_start().strip_prefix('{').unwrap_or_default();
    let joined = match stamp {
        None => text.to_owned(),
        Some(stamp) => format!("{}{rest}", stamp.prefix),
    };
    if joined.contains(['\n', '\r']) { joined.replace(['\n', '\r'], " ").into() } else { joined.into() }
}

/// The deepest nesting of brackets outside strings.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Object, Unfit> {
        let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
        Object::read(&raw, &Stamp::new("apps/v1", "ReplicaSet"))
    }

    #[test]
    fn a_list_item_gets_group_and_kind_and_a_complete_object_stays_as_it_is() {
        let item = read(r#"{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{}}"#).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&item.json).unwrap();
        assert_eq!((json["apiVersion"].as_str(), json["kind"].as_str()), (Some("apps/v1"), Some("ReplicaSet")));
        assert_eq!((display(&item.name).as_str(), item.uid.as_str(), item.resource_version.as_str()), ("n/a", "u", "7"));
        let whole = r#"{"apiVersion":"x/v1","kind":"X","metadata":{"name":"a"}}"#;
        assert_eq!(read(whole).unwrap().json, whole);
    }

    #[test]
    fn an_object_is_always_one_line() {
        let json = read("{\n \"metadata\": {\n\"name\": \"a\\nb\"\r\n}\n}").unwrap().json;
        assert!(!json.contains(&b'\n'));
        let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(value["metadata"]["name"], "a\nb");
    }

    #[test]
    fn what_the_engine_would_refuse_is_unfit() {
        assert!(matches!(read(r#"{"metadata":{}}"#), Err(Unfit::Shape(_))));
        assert!(matches!(read("[1]"), Err(Unfit::Shape(_))));
        let nested =
            |levels: usize| format!(r#"{{"metadata":{{"name":"a"}},"x":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert!(read(&nested(DEEPEST)).is_ok());
        assert!(matches!(read(&nested(DEEPEST + 1)), Err(Unfit::Deep(_))));
        let long = format!(r#"{{"metadata":{{"name":"a"}},"x":"{}"}}"#, "y".repeat(LONGEST));
        assert!(matches!(read(&long), Err(Unfit::Long(_))));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(depth(r#"{"a":"[[[{\"[","b":[1]}"#), 2);
    }
}
