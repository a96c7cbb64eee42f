//! A replicated object on its way into the tree: checked, pruned, encoded.

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use super::leaf::Leaf;
use super::pointer;
use super::prune::{InvalidPointer, Prune};
use super::write::MAX_DEPTH;

/// Why an object, or the name of one, is not taken in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// An array, a text, ….
    #[error("an object is expected")]
    NotAnObject,
    /// Every object of Kubernetes has it.
    #[error("`metadata` is missing")]
    NoMetadata,
    /// Nothing can be kept under no name.
    #[error("`metadata.name` is missing")]
    NoName,
    /// The kind is namespaced.
    #[error("`{0}` has no namespace, but its kind lives in namespaces")]
    NoNamespace(String),
    /// The kind is not.
    #[error("`{name}` has namespace `{namespace}`, but its kind is cluster-scoped")]
    Namespaced {
        /// The object.
        name: String,
        /// Where it claims to be.
        namespace: String,
    },
    /// It could not be read again below `data`.
    #[error("`{0}` is nested deeper than {MAX_DEPTH} levels below `data`")]
    TooDeep(String),
}

/// Turns the objects of one kind into leaves.
#[derive(Debug)]
pub struct Intake {
    prune: Prune,
    api_version: String,
    kind: String,
    namespaced: bool,
}

impl Intake {
    /// For the objects of a row; the error says which pointer of the row is wrong.
    pub fn new(row: &Kind) -> Result<Self, InvalidPointer> {
        Ok(Self {
            prune: Prune::new(&row.prune)?,
            api_version: row.gvr.api_version(),
            kind: row.kind.clone(),
            namespaced: row.namespaced,
        })
    }

    /// The object's name and leaf. `apiVersion` and `kind` are filled in where a list left them out.
    pub fn object(&self, mut object: Json) -> Result<(ObjectName, Leaf), ObjectError> {
        let Some(members) = object.as_object_mut() else { return Err(ObjectError::NotAnObject) };
        members.entry("apiVersion").or_insert_with(|| self.api_version.clone().into());
        if !self.kind.is_empty() {
            members.entry("kind").or_insert_with(|| self.kind.clone().into());
        }
        let Some(metadata) = members.get_mut("metadata").and_then(Json::as_object_mut) else {
            return Err(ObjectError::NoMetadata);
        };
        let uid = take(metadata, "uid");
        let resource_version = take(metadata, "resourceVersion");
        metadata.remove("managedFields");
        let text = |name: &str| metadata.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let name = self.checked(ObjectName { namespace: text("namespace"), name: text("name") })?;
        self.prune.apply(&mut object);
        if pointer::depth(&object) + 4 > MAX_DEPTH {
            return Err(ObjectError::TooDeep(name.name));
        }
        Ok((name, Leaf { uid, resource_version, ..Leaf::new(&object) }))
    }

    /// A name that fits the kind.
    pub fn checked(&self, name: ObjectName) -> Result<ObjectName, ObjectError> {
        match (name.name.is_empty(), self.namespaced, name.namespace.is_empty()) {
            (true, ..) => Err(ObjectError::NoName),
            (_, true, true) => Err(ObjectError::NoNamespace(name.name)),
            (_, false, false) => Err(ObjectError::Namespaced { name: name.name, namespace: name.namespace }),
            _ => Ok(name),
        }
    }
}

fn take(metadata: &mut serde_json::Map<String, Json>, name: &str) -> Box<str> {
    metadata.remove(name).as_ref().and_then(Json::as_str).unwrap_or_default().into()
}
