//! The schema of a kind, from the API server's OpenAPI v3: its fields, and which of them the server writes in its own form.

use std::sync::LazyLock;

use plimsoll_apiserver::resources::Resource;
use plimsoll_sidecar::cluster::Fault;
use serde_json::{Value as Json, json};

use super::api::Server;

/// How many references are followed, each to the next; more are a cycle.
const LONGEST: usize = 16;
/// Types that the server reads in several forms and writes in one.
const REWRITTEN: [&str; 6] = ["Quantity", "IntOrString", "Time", "MicroTime", "Duration", "RawExtension"];
/// Formats that the server reads in several forms and writes in one.
const FORMATS: [&str; 6] = ["date-time", "byte", "int-or-string", "quantity", "duration", "date"];

/// Schema of labels and annotations, which all kinds have.
pub(super) static TEXTS: LazyLock<Json> = LazyLock::new(|| json!({"type": "object", "additionalProperties": {"type": "string"}}));

/// Why the schema of a kind is not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    /// The API server refused the document, or did not answer.
    #[error("the schema cannot be read: {0}")]
    Refused(#[source] Fault),
    /// The document has no schema of the kind.
    #[error("the schema of {kind} is not in {path}")]
    Absent {
        /// The kind.
        kind: String,
        /// Path of the document on the API server.
        path: String,
    },
}

/// The document of one group and version, and the schema of one kind in it.
pub(super) struct Schema {
    document: Json,
    root: Json,
}

impl Schema {
    /// Returns the schema of a kind, as the API server publishes it. Fails when the document of its group and version cannot be read, or
    /// says nothing of the kind.
    pub(super) async fn ask(server: &Server, resource: &Resource) -> Result<Self, SchemaError> {
        let root = if resource.group.is_empty() { "api" } else { "apis" };
        let path = format!("/openapi/v3/{root}/{}", resource.api_version());
        let document = server.get(&path).await.map_err(SchemaError::Refused)?;
        Self::of(document, resource).ok_or_else(|| SchemaError::Absent { kind: resource.kind.clone(), path })
    }

    /// Returns a schema without fields, for parts of an object that are the same in every kind.
    pub(super) fn empty() -> Self {
        Self { document: Json::Null, root: Json::Null }
    }

    /// Returns the schema of a kind in an OpenAPI document; `None` if the document has none.
    pub(super) fn of(document: Json, resource: &Resource) -> Option<Self> {
        let wanted = json!({"group": resource.group, "version": resource.version, "kind": resource.kind});
        let schemas = document.pointer("/components/schemas")?.as_object()?;
        let is_wanted = |schema: &&Json| {
            let kinds = schema.get("x-kubernetes-group-version-kind").and_then(Json::as_array);
            kinds.is_some_and(|kinds| kinds.contains(&wanted))
        };
        let root = schemas.values().find(is_wanted)?.clone();
        Some(Self { document, root })
    }

    /// Returns the schema of the whole object.
    pub(super) fn root(&self) -> &Json {
        &self.root
    }

    /// Returns the schema that a reference leads to; also a reference inside `allOf`, which schemas with a default have.
    fn resolved<'a>(&'a self, mut node: &'a Json) -> &'a Json {
        for _ in 0..LONGEST {
            let Some(name) = reference(node) else { return node };
            let found = self.document.pointer("/components/schemas").and_then(|schemas| schemas.get(name));
            match found {
                Some(next) => node = next,
                None => return node,
            }
        }
        node
    }

    /// Returns the schema of a member of an object or map; `None` if the schema does not allow the name.
    pub(super) fn member<'a>(&'a self, node: &'a Json, name: &str) -> Option<&'a Json> {
        let node = self.resolved(node);
        let declared = node.get("properties").and_then(|properties| properties.get(name));
        declared.or_else(|| node.get("additionalProperties").filter(|members| members.is_object())).or_else(|| {
            let is_open = node.get("x-kubernetes-preserve-unknown-fields") == Some(&Json::Bool(true));
            is_open.then_some(&Json::Null)
        })
    }

    /// Returns the schema of the members of a list.
    pub(super) fn item<'a>(&'a self, node: &'a Json) -> &'a Json {
        self.resolved(node).get("items").unwrap_or(&Json::Null)
    }

    /// Returns the names of the fields that an object's schema lists; none for a map.
    pub(super) fn declared<'a>(&'a self, node: &'a Json) -> impl Iterator<Item = &'a str> {
        let properties = self.resolved(node).get("properties").and_then(Json::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    /// Returns whether the server may write a value in another form than it reads: quantities, times, and numbers that may be texts.
    pub(super) fn is_rewritten(&self, node: &Json) -> bool {
        let of_type =
            |node: &Json| reference(node).and_then(|name| name.rsplit('.').next()).is_some_and(|last| REWRITTEN.contains(&last));
        let resolved = self.resolved(node);
        let format = resolved.get("format").and_then(Json::as_str).unwrap_or_default();
        let is_either = resolved.get("x-kubernetes-int-or-string").is_some() || resolved.get("oneOf").is_some();
        of_type(node) || is_either || FORMATS.contains(&format)
    }
}

/// Returns the name of the schema that a node refers to.
fn reference(node: &Json) -> Option<&str> {
    let direct = node.get("$ref").or_else(|| node.pointer("/allOf/0/$ref"))?;
    direct.as_str()?.strip_prefix("#/components/schemas/")
}
