//! The one form in which policies see an object, whichever way it came: our own writes undone, what the API server or
//! a heartbeat writes left out. CREATE, UPDATE and sweep of one object have one normal form.

mod nameless;
pub mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use plimsoll_contract::annotations::{AppliedKey, digest};
use plimsoll_contract::kind::Kind;
use serde_json::{Map, Value as Json};

pub use nameless::Nameless;
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
        let members = object.as_object().ok_or(NormalFormError::NotAnObject("the input"))?;
        let typed = types(members, kind)?;
        let keeps_status = kind.is_some_and(|kind| kind.keep_status);
        let metadata = members.get("metadata").and_then(Json::as_object).ok_or(NormalFormError::NotAnObject("metadata"))?;
        let current = annotations_of(metadata)?;
        let (intent, written) = undo::undo(&current, allowed, known);
        let is_kept = |name: &String| name != "metadata" && (keeps_status || name != "status");
        let mut root = copy(members, is_kept);
        root.extend(typed);
        root.insert("metadata".into(), clean(metadata, &intent).into());
        let mut object = Json::Object(root);
        let pruned = kind.map(|kind| kind.prune.as_slice()).unwrap_or_default();
        Prune::new(pruned)?.apply(&mut object);
        Ok(Self { object, intent, current, written, digest: OnceLock::new() })
    }

    /// Returns the digest of what the developer asks for: of the object without its name and its status.
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| digest(&self.nameless().text()))
    }

    /// Returns this form with [`Self::digest`] as it is known of the whole object, where only a part of it was read.
    pub fn of_intent(self, digest: &str) -> Self {
        Self { digest: OnceLock::from(digest.to_owned()), ..self }
    }

    /// The object as [`Self::digest`] sees it.
    pub fn nameless(&self) -> Nameless<'_> {
        Nameless(self)
    }
}

/// Watched and listed objects may come without a type; the table of kinds knows it. Returns the members that are missing.
fn types(members: &Map<String, Json>, kind: Option<&Kind>) -> Result<Vec<(String, Json)>, NormalFormError> {
    let known = [("apiVersion", kind.map(|kind| kind.gvr.api_version())), ("kind", kind.map(|kind| kind.kind.clone()))];
    let missing = known.into_iter().filter(|(field, _)| members.get(*field).and_then(Json::as_str).is_none_or(str::is_empty));
    let filled = |(field, known): (&'static str, Option<String>)| {
        let value = known.filter(|known| !known.is_empty()).ok_or(NormalFormError::Missing(field))?;
        Ok((field.to_owned(), value.into()))
    };
    missing.map(filled).collect()
}

/// Returns a copy of the members whose names `is_kept` accepts. The others are not cloned first: they may be most of an object.
fn copy(members: &Map<String, Json>, is_kept: impl Fn(&String) -> bool) -> Map<String, Json> {
    members.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
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

/// Returns the metadata without what the server writes, and with the developer's annotations. An API server drops empty maps when it stores an object, so CREATE must not show them.
fn clean(metadata: &Map<String, Json>, intent: &BTreeMap<String, String>) -> Map<String, Json> {
    let is_server = |name: &String| name == "annotations" || SERVER_FIELDS.contains(&name.as_str());
    let is_empty_labels = metadata.get("labels").is_some_and(is_empty);
    let mut cleaned = copy(metadata, |name| !(is_server(name) || is_empty_labels && name == "labels"));
    let annotations: Map<String, Json> = intent.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
    if !annotations.is_empty() {
        cleaned.insert("annotations".into(), Json::Object(annotations));
    }
    cleaned
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
