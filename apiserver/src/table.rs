//! Objects as `meta.k8s.io` Tables, which kubectl prints as they come.
//!
//! Cells say what kube-apiserver's printers say (`pkg/printers/internalversion`, and the table convertor of
//! apiextensions-apiserver for custom resources), so that kubectl's output is the same with either server.

mod cell;
mod computed;
mod duration;
mod json_path;
mod object;

use serde_json::{Map, Value as Json, json};
use time::OffsetDateTime;

use crate::resources::Resource;
use crate::resources::resource::{Cell, Column};

pub use computed::{is_known as computes, names as computed_names};
pub use object::partial_metadata;

/// How a table is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Ages are counted to here.
    pub now: OffsetDateTime,
    /// What each row carries beside its cells.
    pub include: IncludeObject,
    /// Version of `meta.k8s.io` that was asked for.
    pub version: MetaVersion,
    /// Whether column definitions are sent: a watch sends them with its first event only.
    pub headers: bool,
}

/// `includeObject` of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// Cells only.
    None,
    /// The object's metadata; what a request gets that does not say.
    #[default]
    Metadata,
    /// The whole object.
    Object,
}

/// Versions of `meta.k8s.io` that Tables and `PartialObjectMetadata` are served in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetaVersion {
    /// `v1`.
    #[default]
    V1,
    /// `v1beta1`.
    V1beta1,
}

impl MetaVersion {
    /// `apiVersion` of what is sent.
    pub fn api_version(self) -> &'static str {
        match self {
            MetaVersion::V1 => "meta.k8s.io/v1",
            MetaVersion::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }

    /// The version named `name`, if it is served.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "v1" => Some(MetaVersion::V1),
            "v1beta1" => Some(MetaVersion::V1beta1),
            _ => None,
        }
    }
}

impl IncludeObject {
    /// What the query parameter `includeObject` asks for; `None` when the value is not a known one.
    pub fn parse(value: &str) -> Option<Self> {
        match value {
            "" | "Metadata" => Some(IncludeObject::Metadata),
            "None" => Some(IncludeObject::None),
            "Object" => Some(IncludeObject::Object),
            _ => None,
        }
    }
}

/// The table of `objects`, which are of `resource`. `metadata` is the list's, or for one object its resourceVersion.
pub fn render(resource: &Resource, objects: &[Json], metadata: Json, style: &Style) -> Json {
    let sources: Vec<cell::Source> = resource.columns.iter().map(|column| cell::Source::new(column, resource)).collect();
    let rows: Vec<Json> = objects.iter().map(|object| row(&sources, object, style)).collect();
    table(if style.headers { resource.columns.as_slice() } else { &[] }, rows, metadata, style)
}

/// The table of the `Scale` of an object, as `kubectl get --subresource=scale` asks for it.
pub fn render_scale(scale: &Json, metadata: Json, style: &Style) -> Json {
    let columns = scale_columns();
    let cells: Vec<Json> = columns.iter().map(|column| cell::Source::built_in(column).value(scale, style.now)).collect();
    let rows = vec![with_object(Map::from_iter([("cells".to_owned(), Json::Array(cells))]), scale, style)];
    table(if style.headers { &columns } else { &[] }, rows, metadata, style)
}

fn scale_columns() -> Vec<Column> {
    let column = |name: &str, kind: &str, cell: Cell| Column {
        name: name.into(),
        kind: kind.into(),
        format: String::new(),
        description: String::new(),
        priority: 0,
        cell,
    };
    vec![
        column("Name", "string", Cell::Path(".metadata.name".into())),
        column("Desired", "integer", Cell::Path(".spec.replicas".into())),
        column("Available", "integer", Cell::Path(".status.replicas".into())),
        column("Age", "string", Cell::Computed("age".into())),
    ]
}

fn table(columns: &[Column], rows: Vec<Json>, metadata: Json, style: &Style) -> Json {
    let columns: Vec<Json> = columns.iter().map(definition).collect();
    json!({
        "kind": "Table", "apiVersion": style.version.api_version(), "metadata": metadata,
        "columnDefinitions": columns, "rows": rows,
    })
}

fn definition(column: &Column) -> Json {
    json!({
        "name": column.name, "type": column.kind, "format": column.format,
        "description": column.description, "priority": column.priority,
    })
}

fn row(sources: &[cell::Source], object: &Json, style: &Style) -> Json {
    let mut row = Map::new();
    let cells = sources.iter().map(|source| source.value(object, style.now)).collect();
    row.insert("cells".into(), Json::Array(cells));
    if let Some(condition) = computed::completed(object) {
        row.insert("conditions".into(), json!([condition]));
    }
    with_object(row, object, style)
}

fn with_object(mut row: Map<String, Json>, object: &Json, style: &Style) -> Json {
    let carried = match style.include {
        IncludeObject::None => Json::Null,
        IncludeObject::Metadata => partial_metadata(object, style.version),
        IncludeObject::Object => object.clone(),
    };
    row.insert("object".into(), carried);
    Json::Object(row)
}

#[cfg(test)]
mod tests;
