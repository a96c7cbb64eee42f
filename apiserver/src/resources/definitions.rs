//! The schemas of the built-in types, embedded: made by `apiserver/schemas/reduce` from what kube-apiserver publishes, and
//! `admissionregistration.v1alpha1.json`, `admissionregistration.v1beta1.json`, `federation.v1beta1.json` and `meta.v1.json`, which
//! people wrote: no server serves them any more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use super::schema::parse::{Resolve, parse};
use super::schema::{Kind, Schema};

const PUBLISHED: &str = include_str!("../../schemas/definitions.json");
const DEFAULTS: &str = include_str!("../../schemas/defaults.json");
const EXTERNAL_HOOKS: &str = include_str!("../../schemas/admissionregistration.v1alpha1.json");
const HOOKS: &str = include_str!("../../schemas/admissionregistration.v1beta1.json");
const FEDERATION: &str = include_str!("../../schemas/federation.v1beta1.json");
/// What `metadata` had until 1.13: a type of its own, and a field of `ObjectMeta`.
const METADATA: &str = include_str!("../../schemas/meta.v1.json");

/// The definition that every object's `metadata` has.
pub const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Named schemas, read when first asked for and shared from then on.
#[derive(Debug)]
pub struct Definitions {
    raw: BTreeMap<String, Json>,
    read: BTreeMap<String, Arc<Schema>>,
    reading: BTreeSet<String>,
    /// By definition and field.
    assumed: BTreeMap<String, BTreeMap<String, Json>>,
}

impl Definitions {
    /// All embedded definitions.
    pub fn embedded() -> Result<Self, serde_json::Error> {
        let mut raw: BTreeMap<String, Json> = serde_json::from_str(PUBLISHED)?;
        for written in [EXTERNAL_HOOKS, HOOKS, FEDERATION, METADATA] {
            for (name, definition) in serde_json::from_str::<BTreeMap<String, Json>>(written)? {
                add(raw.entry(name).or_default(), definition);
            }
        }
        let assumed = serde_json::from_str(DEFAULTS)?;
        Ok(Definitions { raw, read: BTreeMap::new(), reading: BTreeSet::new(), assumed })
    }

    /// The schema of one definition.
    pub fn schema(&mut self, name: &str) -> Option<Arc<Schema>> {
        self.raw.contains_key(name).then(|| self.resolve(name))
    }

    /// Reads every definition and gives them by name.
    pub fn all(mut self) -> BTreeMap<String, Arc<Schema>> {
        let names: Vec<String> = self.raw.keys().cloned().collect();
        names.into_iter().map(|name| (name.clone(), self.resolve(&name))).collect()
    }
}

/// A definition that is known already gets more properties.
fn add(known: &mut Json, written: Json) {
    match (known.get_mut("properties").and_then(Json::as_object_mut), written.get("properties").and_then(Json::as_object)) {
        (Some(known), Some(more)) => known.extend(more.clone()),
        _ => *known = written,
    }
}

impl Resolve for Definitions {
    fn resolve(&mut self, name: &str) -> Arc<Schema> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let definition = Some(name.to_owned());
        if !self.reading.insert(name.to_owned()) {
            let kind = Some(Kind::Object);
            return Arc::new(Schema { kind, definition, recursive: true, preserve_unknown: true, ..Schema::default() });
        }
        let raw = self.raw.get(name).cloned().unwrap_or_default();
        let mut schema = Schema { definition, ..Schema::clone(&parse(&raw, self)) };
        for (field, value) in self.assumed.get(name).into_iter().flatten() {
            if let Some(field) = schema.properties.get_mut(field) {
                *field = Arc::new(Schema { assumed: Some(value.clone()), ..Schema::clone(field) });
            }
        }
        self.reading.remove(name);
        let schema = Arc::new(schema);
        self.read.insert(name.to_owned(), schema.clone());
        schema
    }
}
