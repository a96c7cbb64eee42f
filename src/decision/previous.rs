//! The stored object before a change, read no further than is needed: most decisions look at its annotations alone.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::AppliedKey;
use plimsoll_contract::kind::Kind;
use serde::Deserialize;
use serde_json::Value as Json;

use super::normal_form::{NormalForm, undo};

/// A stored object as text, of which the parts that say what we wrote on it are read.
#[derive(Clone, Debug)]
pub struct Previous<'a> {
    text: &'a [u8],
    metadata: Metadata,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    uid: Option<String>,
    resource_version: Option<String>,
    deletion_timestamp: Option<Json>,
    annotations: Option<BTreeMap<String, Json>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Object {
    metadata: Option<Metadata>,
}

impl<'a> Previous<'a> {
    /// Reads JSON text. Fails if it is no JSON, or its metadata is not an object's; what else it holds may be of any depth.
    pub fn read(text: &'a [u8]) -> Result<Self, serde_json::Error> {
        let object: Object = serde_json::from_slice(text)?;
        Ok(Self { text, metadata: object.metadata.unwrap_or_default() })
    }

    /// Its `metadata.uid`, or nothing.
    pub fn uid(&self) -> &str {
        self.metadata.uid.as_deref().unwrap_or_default()
    }

    /// Its `metadata.resourceVersion`, or nothing.
    pub fn resource_version(&self) -> &str {
        self.metadata.resource_version.as_deref().unwrap_or_default()
    }

    /// Whether the API server is deleting it.
    pub fn is_deleting(&self) -> bool {
        self.metadata.deletion_timestamp.as_ref().is_some_and(|time| !time.is_null())
    }

    /// Its annotations that are strings, as an API server has them.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        let annotations = self.metadata.annotations.iter().flatten();
        annotations.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
    }

    /// Returns the entries of its record that can be believed; `known` holds entries that are known from elsewhere.
    pub fn ours(&self, allowed: &BTreeSet<String>, known: &BTreeMap<String, AppliedKey>) -> BTreeMap<String, AppliedKey> {
        undo::undo(&self.annotations(), allowed, known).1.ours
    }

    /// Its annotations as the developer wrote them; see [`Self::ours`].
    pub fn intent(&self, allowed: &BTreeSet<String>, known: &BTreeMap<String, AppliedKey>) -> BTreeMap<String, String> {
        undo::undo(&self.annotations(), allowed, known).0
    }

    /// Its normal form; nothing if it has none.
    pub fn form(
        &self,
        kind: Option<&Kind>,
        allowed: &BTreeSet<String>,
        known: &BTreeMap<String, AppliedKey>,
    ) -> Option<NormalForm> {
        let object: Json = serde_json::from_slice(self.text).ok()?;
        NormalForm::of(&object, kind, allowed, known).ok()
    }
}
