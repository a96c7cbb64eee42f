//! A leaf of the tree: encoded JSON and, for a replicated object, what travels beside it.

use std::sync::Arc;

use serde_json::Value as Json;

use super::tree::Members;

/// Objects nested deeper than this many names below `data` are not taken apart: `kubernetes/<plural>/<namespace>/<name>`.
pub(crate) const LEAF_DEPTH: usize = 4;

/// The members that make an object one of Kubernetes.
const OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Encoded JSON, and for a replicated object what travels beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Compact JSON, members sorted. Its own allocation: it outlives changes of `resource_version`.
    pub json: Arc<[u8]>,
    /// `metadata.uid` of a replicated object.
    pub uid: Box<str>,
    /// `metadata.resourceVersion` of a replicated object.
    pub resource_version: Box<str>,
}

impl Leaf {
    /// A leaf that is no replicated object.
    pub fn new(value: &Json) -> Self {
        Self::of_text(value.to_string().into_bytes())
    }

    /// A leaf that is no replicated object, of compact JSON whose members are sorted.
    pub(super) fn of_text(json: impl Into<Arc<[u8]>>) -> Self {
        Self { json: json.into(), uid: Box::default(), resource_version: Box::default() }
    }

    /// The document.
    pub fn decode(&self) -> Result<Json, serde_json::Error> {
        serde_json::from_slice(&self.json)
    }

    /// Whether the JSON is equal, whatever the resourceVersions; a look at pointers in most cases.
    pub fn same_json(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.json, &other.json) || self.json == other.json
    }

    /// `self` in memory shared with `old` as far as both are equal.
    pub fn shared_with(self, old: Option<&Arc<Self>>) -> Arc<Self> {
        match old {
            Some(old) if *old.as_ref() == self => old.clone(),
            Some(old) if old.json == self.json => Arc::new(Self { json: old.json.clone(), ..self }),
            _ => Arc::new(self),
        }
    }
}

/// Whether members are those of an object of Kubernetes, which is kept whole.
pub(super) fn is_object(members: &Members) -> bool {
    OBJECT.iter().all(|name| members.contains_key(*name))
}
