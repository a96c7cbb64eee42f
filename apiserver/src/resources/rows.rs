//! The built-in rows of the table of kinds: what people decided (`schemas/rows.json`) joined with what kube-apiserver says
//! (`schemas/kinds.json`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::definitions::Definitions;
use super::resource::{Cell, Column, Resource, Scale, Scope, Subresources};
use super::schema::Schema;

const ROWS: &str = include_str!("../../schemas/rows.json");
const KINDS: &str = include_str!("../../schemas/kinds.json");

/// The embedded table contradicts itself: a fault of the build, found by its tests.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A file does not parse.
    #[error("the embedded table of kinds does not parse")]
    Parse(#[from] serde_json::Error),
    /// `kinds.json` or `definitions.json` lacks something that `rows.json` asks for.
    #[error("the embedded table of kinds has no {what} for `{row}`; run apiserver/schemas/reduce")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// The row.
        row: String,
    },
}

/// The built-in table.
#[derive(Debug)]
pub(super) struct Table {
    /// Groups in the order of discovery.
    pub(super) groups: Vec<String>,
    /// Every row.
    pub(super) resources: Vec<Resource>,
    /// Every named schema, for publishing.
    pub(super) definitions: BTreeMap<String, Arc<Schema>>,
}

#[derive(Deserialize)]
struct Decided {
    cells: BTreeMap<String, String>,
    groups: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    resource: String,
    #[serde(default)]
    group: String,
    version: String,
    #[serde(default)]
    generation: bool,
    collection: Option<String>,
    stored_as: Option<String>,
    #[serde(default)]
    cells: BTreeMap<String, String>,
    like: Option<String>,
    own: Option<Said>,
}

/// What kube-apiserver says of a row, or, in `own`, what it cannot say.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    kind: String,
    singular: String,
    namespaced: bool,
    short_names: Vec<String>,
    categories: Vec<String>,
    verbs: Vec<String>,
    subresources: Vec<String>,
    definition: String,
    #[serde(default)]
    columns: Vec<Heading>,
}

#[derive(Clone, Deserialize)]
struct Heading {
    name: String,
    r#type: String,
    #[serde(default)]
    format: String,
    description: String,
    #[serde(default)]
    priority: i32,
}

/// Reads the embedded files.
pub(super) fn built_in() -> Result<Table, TableError> {
    let decided: Decided = serde_json::from_str(ROWS)?;
    let said: BTreeMap<String, Said> = serde_json::from_str(KINDS)?;
    let mut definitions = Definitions::embedded()?;
    let mut resources: Vec<Resource> = Vec::with_capacity(decided.rows.len());
    for row in &decided.rows {
        let resource = match &row.like {
            Some(like) => {
                let original = resources.iter().find(|known| key(&known.plural, &known.version, &known.group) == *like);
                derived(row, original.ok_or_else(|| missing("row to be like", row))?)
            }
            None => {
                let known = said.get(&key(&row.resource, &row.version, &row.group));
                let said = row.own.as_ref().or(known).ok_or_else(|| missing("discovery", row))?;
                let schema = definitions.schema(&said.definition).ok_or_else(|| missing("definition", row))?;
                resource(row, said, schema, &decided.cells)?
            }
        };
        resources.push(resource);
    }
    let mut definitions = definitions.all();
    publish_derived(&resources, &mut definitions);
    Ok(Table { groups: decided.groups, resources, definitions })
}

fn missing(what: &'static str, row: &Row) -> TableError {
    TableError::Missing { what, row: key(&row.resource, &row.version, &row.group) }
}

fn key(plural: &str, version: &str, group: &str) -> String {
    if group.is_empty() { format!("{plural}.{version}") } else { format!("{plural}.{version}.{group}") }
}

fn resource(row: &Row, said: &Said, schema: Arc<Schema>, common: &BTreeMap<String, String>) -> Result<Resource, TableError> {
    let group = if row.group.is_empty() { "core" } else { &row.group };
    let api_version = if row.group.is_empty() { row.version.clone() } else { format!("{}/{}", row.group, row.version) };
    let columns = said.columns.iter().map(|heading| {
        let cell = row.cells.get(&heading.name).or_else(|| common.get(&heading.name));
        cell.map(|cell| column(heading, cell)).ok_or_else(|| missing("cell of a column", row))
    });
    Ok(Resource {
        group: row.group.clone(),
        version: row.version.clone(),
        kind: said.kind.clone(),
        list_kind: format!("{}List", said.kind),
        plural: row.resource.clone(),
        singular: said.singular.clone(),
        short_names: said.short_names.clone(),
        categories: said.categories.clone(),
        scope: if said.namespaced { Scope::Namespaced } else { Scope::Cluster },
        subresources: subresources(&said.subresources),
        collection: row.collection.clone().unwrap_or_else(|| format!("{group}/{}", row.resource)).into(),
        stored_as: row.stored_as.clone().unwrap_or(api_version),
        schema,
        columns: columns.collect::<Result<_, _>>()?,
        custom: false,
        selectable_fields: Vec::new(),
        counts_generation: row.generation,
        verbs: said.verbs.clone(),
    })
}

fn subresources(names: &[String]) -> Subresources {
    let has = |name: &str| names.iter().any(|known| known == name);
    let scale = || Scale {
        spec_replicas: "spec.replicas".to_owned(),
        status_replicas: "status.replicas".to_owned(),
        selector: Some("spec.selector".to_owned()),
    };
    Subresources { status: has("status"), scale: has("scale").then(scale), finalize: has("finalize"), connect: has("attach") }
}

fn column(heading: &Heading, cell: &str) -> Column {
    let cell = match cell.strip_prefix('#') {
        Some(path) => Cell::Count(path.to_owned()),
        None if cell.starts_with('.') => Cell::Path(cell.to_owned()),
        None => Cell::Computed(cell.to_owned()),
    };
    Column {
        name: heading.name.clone(),
        kind: heading.r#type.clone(),
        format: heading.format.clone(),
        description: heading.description.clone(),
        priority: heading.priority,
        cell,
    }
}

/// The same kind in another group: one collection, one schema but for `selector`, which may be absent there (it is taken
/// from the template's labels). Source: `extensions/v1beta1` as it was until 1.15.
fn derived(row: &Row, original: &Resource) -> Resource {
    let mut schema = Schema::clone(&original.schema);
    schema.definition = Some(format!("io.k8s.api.{}.{}.{}", row.group, row.version, original.kind));
    if let Some(spec) = schema.properties.get_mut("spec") {
        let mut relaxed = Schema::clone(spec);
        relaxed.required.retain(|field| field != "selector");
        relaxed.definition = Some(format!("io.k8s.api.{}.{}.{}Spec", row.group, row.version, original.kind));
        *spec = Arc::new(relaxed);
    }
    Resource {
        group: row.group.clone(),
        version: row.version.clone(),
        // kubectl warns of a short name that two groups offer at every use, and `get all` would list everything twice.
        short_names: Vec::new(),
        categories: Vec::new(),
        schema: Arc::new(schema),
        ..original.clone()
    }
}

/// What [`derived`] made is published under its own name.
fn publish_derived(resources: &[Resource], definitions: &mut BTreeMap<String, Arc<Schema>>) {
    for resource in resources {
        let spec = resource.schema.properties.get("spec");
        for schema in std::iter::once(&resource.schema).chain(spec) {
            if let Some(name) = &schema.definition {
                definitions.entry(name.clone()).or_insert_with(|| schema.clone());
            }
        }
    }
}
