//! A replicated object on its way into the tree: checked, pruned, encoded.

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use super::leaf::Leaf;
use super::pointer;
use super::prune::Prune;
use super::write::MAX_DEPTH;

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
    pub fn new(row: &Kind) -> Result<Self, String> {
        Ok(Self {
            prune: Prune::new(&row.prune)?,
            api_version: row.gvr.api_version(),
            kind: row.kind.clone(),
            namespaced: row.namespaced,
        })
    }

    /// The object's name and leaf. `apiVersion` and `kind` are filled in where a list left them out.
    pub fn object(&self, mut object: Json) -> Result<(ObjectName, Leaf), String> {
        let Some(members) = object.as_object_mut() else { return Err("an object is expected".into()) };
        members.entry("apiVersion").or_insert_with(|| self.api_version.clone().into());
        if !self.kind.is_empty() {
            members.entry("kind").or_insert_with(|| self.kind.clone().into());
        }
        let Some(metadata) = members.get_mut("metadata").and_then(Json::as_object_mut) else {
            return Err("`metadata` is missing".into());
        };
        let uid = take(metadata, "uid");
        let resource_version = take(metadata, "resourceVersion");
        metadata.remove("managedFields");
        let text = |name: &str| metadata.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let name = self.checked(ObjectName { namespace: text("namespace"), name: text("name") })?;
        self.prune.apply(&mut object);
        if pointer::depth(&object) + 4 > MAX_DEPTH {
            return Err(format!("`{}` is nested deeper than {MAX_DEPTH} levels below `data`", name.name));
        }
        Ok((name, Leaf { uid, resource_version, ..Leaf::new(&object) }))
    }

    /// A name that fits the kind.
    pub fn checked(&self, name: ObjectName) -> Result<ObjectName, String> {
        match (name.name.is_empty(), self.namespaced, name.namespace.is_empty()) {
            (true, ..) => Err("`metadata.name` is missing".into()),
            (_, true, true) => Err(format!("`{}` has no namespace, but its kind lives in namespaces", name.name)),
            (_, false, false) => {
                Err(format!("`{}` has namespace `{}`, but its kind is cluster-scoped", name.name, name.namespace))
            }
            _ => Ok(name),
        }
    }
}

fn take(metadata: &mut serde_json::Map<String, Json>, name: &str) -> Box<str> {
    metadata.remove(name).as_ref().and_then(Json::as_str).unwrap_or_default().into()
}
