//! One row of the table of kinds: a resource in one served version.

use std::sync::Arc;

use serde_json::Value as Json;

use super::schema::Schema;

/// A resource in one version. A kind with two versions has two rows and one collection.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Empty for core.
    pub group: String,
    /// Such as `v1`.
    pub version: String,
    /// Such as `Deployment`.
    pub kind: String,
    /// Such as `DeploymentList`.
    pub list_kind: String,
    /// Such as `deployments`.
    pub plural: String,
    /// Such as `deployment`.
    pub singular: String,
    /// Such as `deploy`.
    pub short_names: Vec<String>,
    /// Such as `all`.
    pub categories: Vec<String>,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// What is served below an object.
    pub subresources: Subresources,
    /// The collection of the store that all its versions share, see [`crate::storage::Key`].
    pub collection: Arc<str>,
    /// `apiVersion` that objects are stored in.
    pub stored_as: String,
    /// What an object may hold.
    pub schema: Arc<Schema>,
    /// How objects are shown in a table.
    pub columns: Vec<Column>,
    /// From a CustomResourceDefinition: strategic merge patches are refused, an update needs a resourceVersion.
    pub custom: bool,
    /// `metadata.generation` counts changes of the specification.
    pub counts_generation: bool,
    /// From a CustomResourceDefinition: paths that field selectors may name, such as `.spec.size`.
    pub selectable_fields: Vec<String>,
    /// Served verbs: `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`.
    pub verbs: Vec<String>,
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One namespace each.
    Namespaced,
    /// The whole cluster.
    Cluster,
}

/// What is served below an object of the kind.
#[derive(Clone, Debug, Default)]
pub struct Subresources {
    /// `/status`.
    pub status: bool,
    /// `/scale`.
    pub scale: Option<Scale>,
    /// `/finalize`; namespaces alone have it.
    pub finalize: bool,
    /// What [`super::connect::Connect`] names; pods alone have it.
    pub connect: bool,
}

/// Where `/scale` finds its numbers: paths of field names.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Such as `spec.replicas`.
    pub spec_replicas: String,
    /// Such as `status.replicas`.
    pub status_replicas: String,
    /// Such as `spec.selector` (built in) or `status.selector` (a string, custom).
    pub selector: Option<String>,
}

/// A column of kubectl's tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean`, `date`.
    pub kind: String,
    /// OpenAPI format, such as `name`; mostly empty.
    pub format: String,
    /// For people.
    pub description: String,
    /// 0 is always shown, more only in wide output.
    pub priority: i32,
    /// Where the cell comes from.
    pub cell: Cell,
}

/// Where a cell comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A JSONPath as in CustomResourceDefinitions, such as `.spec.replicas`.
    Path(String),
    /// A JSONPath to a number that Go keeps as 0 where it is absent, such as `.status.readyReplicas`.
    Count(String),
    /// One of the built-in computations, by name, such as `deployment-ready`. All names are in `schemas/rows.json`.
    Computed(String),
}

impl Resource {
    /// `group/version`, or the version alone in core: what `apiVersion` says.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// How messages name the resource: `deployments.apps`, `configmaps`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// Whether objects are kept; reviews are answered and forgotten.
    pub fn is_stored(&self) -> bool {
        self.verbs.iter().any(|verb| verb == "get")
    }

    /// Whether `object` says that it is of this kind and version.
    pub fn describes(&self, object: &Json) -> bool {
        object.get("kind").and_then(Json::as_str) == Some(&self.kind)
            && object.get("apiVersion").and_then(Json::as_str) == Some(&self.api_version())
    }
}
