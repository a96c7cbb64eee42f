//! Structural schemas: what an object may hold, for pruning, defaulting, validation, merging and publishing. Source of
//! the rules: `apiextensions.k8s.io/v1` structural schemas and the `x-kubernetes-*` extensions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

/// The schema of one value. Built from OpenAPI v3 or from a CustomResourceDefinition; `$ref`s are resolved and shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// `object`, `array`, `string`, `integer`, `number`, `boolean`; absent for anything and for int-or-string.
    pub kind: Option<Kind>,
    /// Fields of an object.
    pub properties: BTreeMap<String, Arc<Schema>>,
    /// Values of a map.
    pub values: Option<Arc<Schema>>,
    /// Members of an array.
    pub items: Option<Arc<Schema>>,
    /// Fields that must be there.
    pub required: Vec<String>,
    /// Whether `null` is a value.
    pub nullable: bool,
    /// What stands in for an absent value.
    pub default: Option<Json>,
    /// What a value must be like.
    pub rules: Rules,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-list-type` and `-list-map-keys`: how server-side apply merges it.
    pub list: ListType,
    /// `x-kubernetes-map-type: atomic`.
    pub atomic_map: bool,
    /// `x-kubernetes-patch-strategy` contains `merge`, by this key (empty: a list of scalars).
    pub patch_merge_key: Option<String>,
    /// `x-kubernetes-patch-strategy` contains `retainKeys`.
    pub retain_keys: bool,
    /// Name of the published definition, such as `io.k8s.api.apps.v1.Deployment`; where a shared `$ref` was.
    pub definition: Option<String>,
    /// Only custom resources keep theirs.
    pub description: Option<String>,
}

/// JSON's types, with integers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "JSON's own names")]
pub enum Kind {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

/// How server-side apply treats a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// One manager owns the whole.
    #[default]
    Atomic,
    /// Scalars, each once.
    Set,
    /// Objects, told apart by these fields.
    Map(Vec<String>),
}

/// OpenAPI's value rules.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "JSON Schema's own names")]
pub struct Rules {
    pub format: Option<String>,
    pub pattern: Option<String>,
    pub enumeration: Option<Vec<Json>>,
    pub minimum: Option<f64>,
    pub exclusive_minimum: bool,
    pub maximum: Option<f64>,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<f64>,
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub unique_items: bool,
    pub min_properties: Option<u64>,
    pub max_properties: Option<u64>,
    pub all_of: Vec<Schema>,
    pub any_of: Vec<Schema>,
    pub one_of: Vec<Schema>,
    pub not: Option<Box<Schema>>,
}
