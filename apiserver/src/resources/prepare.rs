//! Brings an object into the form that is stored: unknown fields out, types checked, defaults in. Idempotent.
//!
//! Built-in kinds go through what Go's decoder and defaulting functions do ([`shape`]); custom ones through pruning and
//! defaulting by their structural schema ([`custom`]).

mod custom;
mod defaults;
mod error;
mod formats;
mod shape;

use serde_json::Value as Json;

use crate::resources::resource::Resource;
use crate::status::field::Path;
use crate::status::{Reason, Status};

pub use error::PrepareError;
pub use formats::FormatError;

/// What `fieldValidation` asks for about unknown and duplicate fields. Source: KEP-2885.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// Dropped silently.
    Ignore,
    /// Dropped with a warning each; the default.
    #[default]
    Warn,
    /// Refused.
    Strict,
}

/// For the user, in a `Warning` header.
pub type Warning = String;

/// More faults than this are not told, as upstream.
const MOST_FAULTS: usize = 100;

/// Fields that were dropped because nothing knows them.
#[derive(Debug, Default)]
struct Unknown(Vec<String>);

impl Resource {
    /// Checks types, drops unknown fields, sets defaults.
    pub fn prepare(&self, object: &mut Json, fields: FieldValidation) -> Result<Vec<Warning>, Status> {
        self.prepare_decoded(object, fields, &[])
    }

    /// [`Resource::prepare`] for what [`super::decode::decode`] read, which knows of duplicate fields too.
    pub fn prepare_decoded(
        &self,
        object: &mut Json,
        fields: FieldValidation,
        duplicates: &[String],
    ) -> Result<Vec<Warning>, Status> {
        self.prepare_patched(object, fields, duplicates).map_err(|error| self.unhandled(&error))
    }

    /// [`Resource::prepare_decoded`] for what a patch made: its error does not name the object, because what is at fault is the patch.
    pub fn prepare_patched(
        &self,
        object: &mut Json,
        fields: FieldValidation,
        duplicates: &[String],
    ) -> Result<Vec<Warning>, PrepareError> {
        let mut unknown = Unknown::default();
        if !object.is_object() {
            return Err(PrepareError::NotAnObject);
        }
        if self.custom {
            custom::prepare(&self.schema, object, &mut unknown)?;
        } else {
            defaults::select_from_template(self, object);
            shape::shape(self.schema.root(), object, &Path::ROOT, &mut unknown)?;
        }
        judge(unknown, fields, duplicates)
    }

    /// Gives an object that is stored already the form of this version: what is always there, nothing that never is.
    pub(super) fn complete(&self, object: &mut Json) {
        let mut unknown = Unknown::default();
        // It was checked before it was stored; what could not be decoded stays as it is.
        let _shaped = shape::shape(self.schema.root(), object, &Path::ROOT, &mut unknown);
    }

    /// Source of the text: `apiserver/pkg/endpoints/handlers/rest.go`, `transformDecodeError`.
    fn unhandled(&self, error: &PrepareError) -> Status {
        let (kind, version) = (&self.kind, &self.version);
        bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {error}"))
    }
}

impl Unknown {
    fn record(&mut self, path: &Path<'_>, name: &str) {
        if self.0.len() < MOST_FAULTS {
            self.0.push(path.child(name).dotted());
        }
    }
}

/// Returns a warning for each duplicate and unknown field, where `fields` asks for warnings. Fails with the same texts where it refuses.
fn judge(unknown: Unknown, fields: FieldValidation, duplicates: &[String]) -> Result<Vec<Warning>, PrepareError> {
    let duplicates = duplicates.iter().map(|path| format!("duplicate field \"{path}\""));
    let unknown = unknown.0.into_iter().map(|path| format!("unknown field \"{path}\""));
    let faults: Vec<String> = duplicates.chain(unknown).take(MOST_FAULTS).collect();
    match fields {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(faults),
        FieldValidation::Strict if faults.is_empty() => Ok(Vec::new()),
        FieldValidation::Strict => Err(PrepareError::Strict(faults)),
    }
}

/// Drops what a schema does not know from a part of an object.
pub(super) fn prune_value(schema: &crate::resources::schema::Schema, value: &mut Json) {
    custom::prune(Some(schema), value, &Path::ROOT.child("default"), &mut Unknown::default());
}

pub(super) fn bad_request(message: String) -> Status {
    Status { message, reason: Reason::BadRequest, details: None, code: 400, continue_token: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resources::Registry;

    fn resource(group: &str, plural: &str) -> std::sync::Arc<Resource> {
        let registry = Registry::built_in().unwrap();
        let row = registry.all().find(|row| row.group == group && row.plural == plural);
        row.unwrap().clone()
    }

    #[test]
    fn unknown_and_duplicate_fields_are_told_as_asked() {
        let maps = resource("", "configmaps");
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "x": 1}, "dat": {"a": "b"}});
        let duplicates = ["data.a".to_owned()];
        let run = |fields| {
            let mut object = object.clone();
            let warnings = maps.prepare_decoded(&mut object, fields, &duplicates);
            (warnings, object)
        };
        let warnings = ["duplicate field \"data.a\"", "unknown field \"dat\"", "unknown field \"metadata.x\""];
        let (told, pruned) = run(FieldValidation::Warn);
        assert_eq!(told.unwrap(), warnings);
        assert_eq!(pruned, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
        assert!(run(FieldValidation::Ignore).0.unwrap().is_empty());
        let refused = run(FieldValidation::Strict).0.unwrap_err();
        let text = format!(
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: {}",
            warnings.join(", ")
        );
        assert_eq!((refused.code, refused.message), (400, text));
    }

    #[test]
    fn a_value_of_the_wrong_type_cannot_be_decoded() {
        let deployments = resource("apps", "deployments");
        let mut object = json!({"spec": {"replicas": "x"}});
        let refused = deployments.prepare(&mut object, FieldValidation::Warn).unwrap_err();
        let text = "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32";
        assert_eq!(refused.message, text);
    }
}
