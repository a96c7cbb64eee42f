//! The one form in which policies see an object, whichever way it came: our own writes undone, what the API server or
//! a heartbeat writes left out. CREATE, UPDATE and sweep of one object have one normal form.

pub mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use plimsoll_contract::annotations::{AppliedKey, canonical, digest};
use plimsoll_contract::kind::Kind;
use serde_json::{Map, Value as Json};

pub use undo::Written;

use crate::state::{InvalidPointer, Prune};

/// Deeper JSON is refused: what an API server accepts and we cannot read must not slip through.
pub const MAX_DEPTH: usize = 128;

/// Written by the API server, never by the developer; `initializers` say who has still to look at a new object, and are gone when it is
/// seen.
const SERVER_FIELDS: [&str; 7] =
    ["uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", MANAGED_FIELDS, "initializers"];

/// Often as large as all else in an object.
pub(super) const MANAGED_FIELDS: &str = "managedFields";

/// An object as policies see it, and what was undone to get there.
#[derive(Clone, Debug)]
pub struct NormalForm {
    /// The object.
    pub object: Json,
    /// Its annotations: the developer's own.
    pub intent: BTreeMap<String, String>,
    /// The annotations before undoing.
    pub current: BTreeMap<String, String>,
    /// What we wrote.
    pub written: Written,
    /// Made when it is asked for: few decisions need it.
    digest: OnceLock<String>,
    keeps_status: bool,
}

/// An object that has no normal form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalFormError {
    /// Too deep.
    #[error("the object is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Not an object with metadata.
    #[error("{0} is not an object")]
    NotAnObject(&'static str),
    /// Not what an API server would accept.
    #[error("annotation `{0}` is not a string")]
    Annotation(String),
    /// Neither the object nor the table of kinds says it.
    #[error("the object has no {0}")]
    Missing(&'static str),
    /// The kind's row in the table is wrong.
    #[error(transparent)]
    Prune(#[from] InvalidPointer),
}

impl NormalForm {
    /// Brings an object into its normal form. `allowed` are the annotation keys that we may have written, `known` is what we
    /// are known to have written on it before.
    pub fn of(
        object: &Json,
        kind: Option<&Kind>,
        allowed: &BTreeSet<String>,
        known: &BTreeMap<String, AppliedKey>,
    ) -> Result<Self, NormalFormError> {
        if deeper_than(object, MAX_DEPTH) {
            return Err(NormalFormError::TooDeep);
        }
        let mut root = object.as_object().ok_or(NormalFormError::NotAnObject("the input"))?.clone();
        fill_type(&mut root, kind)?;
        let keeps_status = kind.is_some_and(|kind| kind.keep_status);
        if !keeps_status {
            root.remove("status");
        }
        let metadata = root.get_mut("metadata").and_then(Json::as_object_mut).ok_or(NormalFormError::NotAnObject("metadata"))?;
        let current = annotations_of(metadata)?;
        let (intent, written) = undo::undo(&current, allowed, known);
        clean(metadata, &intent);
        let mut object = Json::Object(root);
        let pruned = kind.map(|kind| kind.prune.as_slice()).unwrap_or_default();
        Prune::new(pruned)?.apply(&mut object);
        Ok(Self { object, intent, current, written, digest: OnceLock::new(), keeps_status })
    }

    /// Returns the digest of what the developer asks for: of the object without its name and its status.
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| digest(&canonical(&self.nameless())))
    }

    /// The object as [`Self::digest`] sees it. The status is no intent, since a heartbeat must not look like a developer's change; nor
    /// is the name, which an object that is being created may not have yet.
    pub fn nameless(&self) -> Json {
        let mut object = self.object.clone();
        if let Some(members) = object.as_object_mut().filter(|_| self.keeps_status) {
            members.remove("status");
        }
        if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
            ["name", "generateName"].into_iter().for_each(|field| drop(metadata.remove(field)));
        }
        object
    }
}

/// Watched and listed objects may come without a type; the table of kinds knows it.
fn fill_type(root: &mut Map<String, Json>, kind: Option<&Kind>) -> Result<(), NormalFormError> {
    let known = [("apiVersion", kind.map(|kind| kind.gvr.api_version())), ("kind", kind.map(|kind| kind.kind.clone()))];
    for (field, known) in known {
        if root.get(field).and_then(Json::as_str).is_none_or(str::is_empty) {
            let value = known.filter(|known| !known.is_empty()).ok_or(NormalFormError::Missing(field))?;
            root.insert(field.into(), value.into());
        }
    }
    Ok(())
}

pub(super) fn annotations_of(metadata: &Map<String, Json>) -> Result<BTreeMap<String, String>, NormalFormError> {
    let annotations = match metadata.get("annotations") {
        None | Some(Json::Null) => return Ok(BTreeMap::new()),
        Some(Json::Object(annotations)) => annotations,
        Some(_) => return Err(NormalFormError::NotAnObject("metadata.annotations")),
    };
    let text = |(key, value): (&String, &Json)| match value {
        Json::String(text) => Ok((key.clone(), text.clone())),
        _ => Err(NormalFormError::Annotation(key.clone())),
    };
    annotations.iter().map(text).collect()
}

/// An API server drops empty maps when it stores an object, so CREATE must not show them.
fn clean(metadata: &mut Map<String, Json>, intent: &BTreeMap<String, String>) {
    for field in SERVER_FIELDS {
        metadata.remove(field);
    }
    let annotations: Map<String, Json> = intent.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
    metadata.insert("annotations".into(), Json::Object(annotations));
    for field in ["annotations", "labels"] {
        if metadata.get(field).is_some_and(is_empty) {
            metadata.remove(field);
        }
    }
}

fn is_empty(value: &Json) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

fn deeper_than(value: &Json, levels: usize) -> bool {
    let deeper = |child: &Json| levels == 0 || deeper_than(child, levels - 1);
    match value {
        Json::Array(items) => levels == 0 || items.iter().any(deeper),
        Json::Object(members) => levels == 0 || members.values().any(deeper),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
