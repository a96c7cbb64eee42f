//! What the store holds: objects as the bytes that are sent.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use regex::bytes::Regex;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Tells nearly every object without `metadata.initializers` from one that has them, without parsing it.
static INITIALIZERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""initializers":"#).ok());

/// Where an object is kept. Orders as lists are ordered: by collection, namespace, name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The collection, `group/plural`, such as `apps/deployments`; `core/configmaps` for the core group. One for all
    /// versions of a resource.
    pub collection: Arc<str>,
    /// Empty for what has no namespace.
    pub namespace: Arc<str>,
    /// `metadata.name`.
    pub name: Arc<str>,
}

/// One object at one revision.
#[derive(Debug)]
pub struct Record {
    /// Where.
    pub key: Key,
    /// Revision of the last change; the same as `metadata.resourceVersion` in `value`.
    pub revision: u64,
    /// Revision of its creation.
    pub created: u64,
    /// The object as JSON in its storage version, with its resourceVersion.
    pub value: Bytes,
    /// It has `metadata.initializers`: only who asks for such objects sees it.
    pub uninitialized: bool,
}

impl Record {
    /// A record of `value`, JSON as this store writes it (no spaces between its parts).
    pub fn new(key: Key, revision: u64, created: u64, value: Bytes) -> Self {
        let uninitialized = has_initializers(&value);
        Self { key, revision, created, value, uninitialized }
    }
}

fn has_initializers(value: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        initializers: Option<IgnoredAny>,
    }
    let may = INITIALIZERS.as_ref().is_none_or(|text| text.is_match(value));
    may && serde_json::from_slice::<Object>(value).is_ok_and(|object| object.metadata.initializers.is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn only_the_metadata_of_the_object_itself_counts() {
        let pending = json!({"pending": [{"name": "a.b.c"}]});
        let table = [
            (json!({"metadata": {"initializers": pending}}), true),
            (json!({"metadata": {"initializers": {}}}), true),
            (json!({"metadata": {"initializers": null}}), false),
            (json!({"metadata": {"name": "a"}, "initializers": [{"name": "a.b.c"}]}), false),
            (json!({"metadata": {"annotations": {"initializers": "x"}}}), false),
            (json!({"metadata": {}, "spec": {"template": {"metadata": {"initializers": pending}}}}), false),
            (json!({"metadata": {}, "data": {"x": "{\"metadata\":{\"initializers\":{}}}"}}), false),
            (Json::Null, false),
        ];
        for (object, expected) in table {
            assert_eq!(has_initializers(object.to_string().as_bytes()), expected, "{object}");
        }
    }
}
