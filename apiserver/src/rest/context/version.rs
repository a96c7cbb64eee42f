//! Between the version of a request and the one that is stored.

use serde::Deserialize;
use serde_json::Value as Json;

use super::Context;
use crate::resources::{FieldValidation, convert};
use crate::status::Status;
use crate::storage::Record;

/// What a stored object says of its version.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeMeta {
    api_version: String,
}

impl Context {
    /// A stored object in the version of the request. Custom resources are pruned and defaulted again: their schema may
    /// have changed, and the version that they are stored in.
    pub fn read(&self, record: &Record) -> Result<Json, Status> {
        let failed = |error| Status::internal(format_args!("stored object {:?} cannot be read: {error}", record.key));
        let object: Json = serde_json::from_slice(&record.value).map_err(failed)?;
        let mut object = self.convert(object, true);
        if self.resource.custom {
            if let Some(fields) = object.as_object_mut() {
                fields.insert("apiVersion".to_owned(), self.resource.api_version().into());
            }
            self.resource.prepare(&mut object, FieldValidation::Ignore)?;
        }
        Ok(object)
    }

    /// From the version of the request to the one that is stored.
    pub fn to_storage(&self, object: Json) -> Json {
        self.convert(object, false)
    }

    /// Whether what is stored is sent as it is.
    pub fn sends_stored_bytes(&self) -> bool {
        !self.resource.custom && self.resource.api_version() == self.resource.stored_as
    }

    /// Whether an object is stored in a version that its kind is not stored in any more. Writing it once more, unchanged, is how such
    /// objects are migrated. Source: `apiserver` `pkg/storage/etcd3/store.go`, which compares what it would write with what is there.
    pub fn is_outdated(&self, record: &Record) -> bool {
        self.resource.custom
            && serde_json::from_slice::<TypeMeta>(&record.value).is_ok_and(|stored| stored.api_version != self.stored_as())
    }

    /// The version that is written: the one that the definition names, or else a served one.
    fn stored_as(&self) -> String {
        let stored = self.registry.stored(&self.resource.collection);
        stored.map_or_else(|| self.resource.api_version(), |stored| stored.api_version())
    }

    fn convert(&self, object: Json, out: bool) -> Json {
        if self.resource.api_version() == self.resource.stored_as {
            return object;
        }
        match self.registry.stored(&self.resource.collection) {
            Some(stored) if out => convert(object, &stored, &self.resource),
            Some(stored) => convert(object, &self.resource, &stored),
            None => object,
        }
    }
}
