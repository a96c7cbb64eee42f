//! From the files of a folder to webhooks: the documents, decoded strictly, with the defaults and the validation of the API. Source:
//! `apiserver` `pkg/admission/plugin/webhook/manifest/loader`, `kubernetes` `pkg/admission/plugin/webhook/manifest/loader`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

use super::error::{DocumentFault, ManifestError};
use super::files::Files;
use crate::admission::webhook::configuration::{Webhook, of_manifest};
use crate::admission::webhook::metrics::Type;
use crate::resources::decode::{Decoded, documents};
use crate::resources::validate::reserved::STATIC_SUFFIX;
use crate::resources::{FieldValidation, PrepareError, Resource, object};

/// What the envelope of a list may hold.
const OF_LIST: [&str; 4] = ["apiVersion", "kind", "metadata", "items"];

/// What is found while the files are gone through.
struct Loader<'a> {
    row: &'a Resource,
    kind: &'static str,
    /// By the name of the configuration: the file that it is in, and its webhooks as listed.
    found: BTreeMap<String, (PathBuf, Vec<Arc<Webhook>>)>,
}

/// Returns the webhooks of every configuration in `files`, in the order of the configurations' names, then as listed. `row` is the stage's
/// kind. Fails at the first document that cannot be used.
pub(super) fn webhooks(files: &Files, stage: Type, row: &Resource) -> Result<Vec<Arc<Webhook>>, ManifestError> {
    let mut loader = Loader { row, kind: stage.configuration_kind(), found: BTreeMap::new() };
    for (file, content) in &files.files {
        let documents = documents(content).map_err(|source| ManifestError::Unreadable { file: file.clone(), source })?;
        if documents.is_empty() {
            return Err(ManifestError::Empty(file.clone()));
        }
        for (number, document) in documents {
            let failed = |source| ManifestError::Document { file: file.clone(), number, source };
            loader.document(document, file).map_err(failed)?;
        }
    }
    Ok(loader.found.into_values().flat_map(|(_, webhooks)| webhooks).collect())
}

impl Loader<'_> {
    fn document(&mut self, document: Decoded, file: &Path) -> Result<(), DocumentFault> {
        // Of a list's items too, which are decoded one by one.
        if let Some(path) = document.duplicates.first() {
            return Err(PrepareError::Strict(vec![format!("duplicate field {path:?}")]).into());
        }
        self.object(document.object, file)
    }

    /// One configuration, or those of a list.
    fn object(&mut self, object: Json, file: &Path) -> Result<(), DocumentFault> {
        let found = type_of(&object);
        let own = |kind: &str| format!("{} {kind}", self.row.api_version());
        if found == own(self.kind) {
            return self.configuration(object, file);
        }
        if found == own(&self.row.list_kind) {
            return items(object)?.into_iter().try_for_each(|item| self.of_list(item, file));
        }
        if found == "v1 List" {
            return items(object)?.into_iter().try_for_each(|item| self.object(item, file));
        }
        Err(DocumentFault::Kind { found, wanted: self.kind })
    }

    /// Items of a list of one kind may leave their type out, and have no other.
    fn of_list(&mut self, mut item: Json, file: &Path) -> Result<(), DocumentFault> {
        let own = (self.row.api_version(), self.kind);
        if let Some(fields) = item.as_object_mut() {
            fields.entry("apiVersion").or_insert_with(|| own.0.as_str().into());
            fields.entry("kind").or_insert_with(|| own.1.into());
        }
        let found = type_of(&item);
        if found == format!("{} {}", own.0, own.1) {
            return self.configuration(item, file);
        }
        Err(DocumentFault::Kind { found, wanted: self.kind })
    }

    fn configuration(&mut self, mut object: Json, file: &Path) -> Result<(), DocumentFault> {
        self.row.prepare_patched(&mut object, FieldValidation::Strict, &[])?;
        let name = object::text(&object, "name").to_owned();
        let invalid = |faults| DocumentFault::Invalid { kind: self.kind, name: name.clone(), faults };
        self.row.validate(&object, None).map_err(invalid)?;
        self.name(&name)?;
        let webhooks = of_manifest(name.clone(), &object);
        let webhooks = webhooks.map_err(|source| DocumentFault::Json { name: name.clone(), source })?;
        if let Some(hook) = webhooks.iter().find(|hook| hook.spec.client_config.service.is_some()) {
            return Err(DocumentFault::Service { webhook: hook.spec.name.clone(), name });
        }
        self.found.insert(name, (file.into(), webhooks));
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), DocumentFault> {
        if !name.ends_with(STATIC_SUFFIX) {
            return Err(DocumentFault::Name(name.to_owned()));
        }
        let duplicate = |(before, _): &(PathBuf, _)| DocumentFault::Duplicate { name: name.to_owned(), before: before.clone() };
        self.found.get(name).map(duplicate).map_or(Ok(()), Err)
    }
}

/// `apiVersion` and `kind`, with a space between them.
fn type_of(object: &Json) -> String {
    let text = |field: &str| object.get(field).and_then(Json::as_str).unwrap_or_default();
    format!("{} {}", text("apiVersion"), text("kind"))
}

/// The items of a list, which has no field that nothing knows.
fn items(mut list: Json) -> Result<Vec<Json>, DocumentFault> {
    let unknown = list.as_object().and_then(|fields| fields.keys().find(|name| !OF_LIST.contains(&name.as_str())));
    if let Some(name) = unknown {
        return Err(PrepareError::Strict(vec![format!("unknown field {name:?}")]).into());
    }
    match list.get_mut("items").map(Json::take) {
        Some(Json::Array(items)) => Ok(items),
        _ => Err(DocumentFault::NoItems),
    }
}
