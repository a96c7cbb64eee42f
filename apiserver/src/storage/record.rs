//! What the store holds: objects as the bytes that are sent.

use std::sync::Arc;

use bytes::Bytes;

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
}
