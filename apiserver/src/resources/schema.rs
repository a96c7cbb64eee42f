//! Structural schemas: what an object may hold, for pruning, defaulting, validation, merging and publishing. Source of
//! the rules: `apiextensions.k8s.io/v1` structural schemas and the `x-kubernetes-*` extensions.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

pub mod parse;

/// Memory that one compiled pattern may take.
const LARGEST_PATTERN: usize = 1 << 20;

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
    /// What Go's defaulting functions put for an absent or empty value of a built-in type; not published. `null`: a list,
    /// map or time that Go writes even when nothing is there.
    pub assumed: Option<Json>,
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
    /// Stands for the schema around it that has the same `definition`: a type that holds itself. See
    /// [`Inside::enter`].
    pub recursive: bool,
    /// A plain value in Go (`omitempty`, no pointer): its zero is not kept.
    pub plain: bool,
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
    pub compiled: Compiled,
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

/// A pattern, compiled when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct Compiled(OnceLock<Option<Regex>>);

impl Compiled {
    /// The expression; `None` if it is not one, which no definition gets away with.
    pub fn get(&self, pattern: &str) -> Option<&Regex> {
        self.0.get_or_init(|| Self::compile(pattern).ok()).as_ref()
    }

    /// Compiles a pattern within bounds.
    pub fn compile(pattern: &str) -> Result<Regex, regex::Error> {
        RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build()
    }
}

/// It says nothing that the pattern does not say.
impl PartialEq for Compiled {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// The schemas that a walk is inside of; a type that holds itself refers to one of them.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a> {
    schema: &'a Schema,
    around: Option<&'a Inside<'a>>,
}

impl Schema {
    /// Where a walk begins.
    pub fn root(&self) -> Inside<'_> {
        Inside { schema: self, around: None }
    }

    /// The schema of a field; of any key, where keys are free.
    pub fn field(&self, name: &str) -> Option<&Arc<Schema>> {
        self.properties.get(name).or(self.values.as_ref())
    }

    /// Whether a Go struct or a CustomResourceDefinition lists the fields.
    pub fn lists_fields(&self) -> bool {
        self.values.is_none() && !self.preserve_unknown
    }
}

impl<'a> Inside<'a> {
    /// The schema that the walk is at.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// One step further; a recursive schema becomes the one around it that it stands for.
    pub fn enter(&'a self, schema: &'a Schema) -> Inside<'a> {
        if schema.recursive
            && let Some(same) = self.ancestor(schema.definition.as_deref())
        {
            return *same;
        }
        Inside { schema, around: Some(self) }
    }

    /// Where Go has a type of its own for "a schema, or something else", such as `JSONSchemaPropsOrBool`, an object is the
    /// schema around it.
    pub fn wrapped(&self, value: &Json) -> Option<Inside<'a>> {
        let name = self.schema.definition.as_deref()?;
        let name = name.strip_suffix("OrBool").or(name.strip_suffix("OrArray")).filter(|_| value.is_object())?;
        self.around?.ancestor(Some(name)).copied()
    }

    /// The definition of the struct that the value is a field of.
    pub fn owner(&self) -> Option<&'a str> {
        let mut at = self.around;
        while let Some(inside) = at {
            if let Some(name) = &inside.schema.definition {
                return Some(name);
            }
            at = inside.around;
        }
        None
    }

    fn ancestor(&'a self, definition: Option<&str>) -> Option<&'a Inside<'a>> {
        let mut at = Some(self);
        while let Some(inside) = at {
            if inside.schema.definition.as_deref() == definition && !inside.schema.recursive {
                return Some(inside);
            }
            at = inside.around;
        }
        None
    }
}
