//! Label and field selectors: which objects of a collection a caller wants.

mod fields;
mod labels;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

pub use fields::Fields;
pub use labels::Labels;

use crate::resources::Resource;
use crate::status::Status;
use crate::storage::Record;

/// Which objects.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    labels: Labels,
    fields: Fields,
    uninitialized: bool,
}

/// The part of an object that labels need; the rest is skipped, not built.
#[derive(Deserialize)]
struct Labelled {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
}

impl Selector {
    /// From the texts of `labelSelector` and `fieldSelector`; empty ones select everything that is initialized.
    pub fn parse(labels: &str, fields: &str, resource: &Resource) -> Result<Self, Status> {
        let labels = Labels::read(labels)?;
        let fields = Fields::read(fields, resource)?;
        Ok(Self { labels, fields, uninitialized: false })
    }

    /// With or without objects that are still being initialized.
    pub fn with_uninitialized(self, uninitialized: bool) -> Self {
        Self { uninitialized, ..self }
    }

    /// This one and the name of one object.
    pub fn named(mut self, name: &str) -> Self {
        self.fields.require_name(name);
        self
    }

    /// Whether it has no requirement but initialization.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// The one name that it asks for.
    pub fn exact_name(&self) -> Option<&str> {
        self.fields.exact_name()
    }

    /// Whether a stored object is wanted.
    pub fn matches(&self, record: &Record) -> bool {
        if record.uninitialized && !self.uninitialized || !self.fields.match_key(&record.key) {
            return false;
        }
        if !self.labels.is_empty() {
            let labelled = serde_json::from_slice::<Labelled>(&record.value);
            if !labelled.is_ok_and(|labelled| self.labels.matches(&labelled.metadata.labels.unwrap_or_default())) {
                return false;
            }
        }
        if !self.fields.needs_object() {
            return true;
        }
        serde_json::from_slice::<Json>(&record.value).is_ok_and(|object| self.fields.match_object(&object))
    }
}
