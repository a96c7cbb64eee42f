//! The rows that an Established CustomResourceDefinition adds to the table of kinds: one for each served version.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::resources::resource::{Cell, Column, Resource, Scale, Scope, Subresources};
use crate::resources::schema::parse::{NoReferences, parse};
use crate::resources::schema::{Kind, Schema};

const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The rows of one definition; none before it is Established. `meta` is the schema of `metadata`.
pub fn rows(definition: &Json, meta: &Arc<Schema>) -> Vec<Resource> {
    if !super::names::condition_holds(definition, "Established") {
        return Vec::new();
    }
    let versions = definition.pointer("/spec/versions").and_then(Json::as_array);
    let served = versions.into_iter().flatten().filter(|version| version.get("served") == Some(&Json::Bool(true)));
    served.filter_map(|version| row(definition, version, meta)).collect()
}

/// The version that objects are stored in.
pub fn storage_version(definition: &Json) -> Option<&str> {
    let versions = definition.pointer("/spec/versions")?.as_array()?;
    versions.iter().find(|version| version.get("storage") == Some(&Json::Bool(true)))?.get("name")?.as_str()
}

fn row(definition: &Json, version: &Json, meta: &Arc<Schema>) -> Option<Resource> {
    let spec = definition.get("spec")?;
    let names = definition.pointer("/status/acceptedNames")?;
    let group = text(spec, "group");
    let plural = text(names, "plural");
    let namespaced = text(spec, "scope") == "Namespaced";
    Some(Resource {
        version: text(version, "name"),
        kind: text(names, "kind"),
        list_kind: text(names, "listKind"),
        singular: text(names, "singular"),
        short_names: texts(names, "shortNames"),
        categories: texts(names, "categories"),
        scope: if namespaced { Scope::Namespaced } else { Scope::Cluster },
        subresources: subresources(version),
        collection: format!("{group}/{plural}").into(),
        stored_as: format!("{group}/{}", storage_version(definition)?),
        schema: schema(definition, version, meta),
        columns: columns(version),
        custom: true,
        selectable_fields: selectable_fields(version),
        counts_generation: true,
        verbs: VERBS.map(str::to_owned).to_vec(),
        group,
        plural,
    })
}

fn selectable_fields(version: &Json) -> Vec<String> {
    let fields = version.get("selectableFields").and_then(Json::as_array);
    fields.into_iter().flatten().map(|field| text(field, "jsonPath")).collect()
}

fn text(value: &Json, key: &str) -> String {
    value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn texts(value: &Json, key: &str) -> Vec<String> {
    let members = value.get(key).and_then(Json::as_array);
    members.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn schema(definition: &Json, version: &Json, meta: &Arc<Schema>) -> Arc<Schema> {
    let given = version.pointer("/schema/openAPIV3Schema").unwrap_or(&Json::Null);
    let mut schema = Schema::clone(&parse(given, &mut NoReferences));
    let plain = || Arc::new(Schema { kind: Some(Kind::String), ..Schema::default() });
    let metadata = restricted(meta, schema.properties.get("metadata"));
    schema.properties.insert("apiVersion".to_owned(), plain());
    schema.properties.insert("kind".to_owned(), plain());
    schema.properties.insert("metadata".to_owned(), metadata);
    schema.kind = Some(Kind::Object);
    schema.definition = published_name(definition, version);
    Arc::new(schema)
}

/// A definition may restrict `metadata.name` and `generateName`, nothing else of metadata.
fn restricted(meta: &Arc<Schema>, given: Option<&Arc<Schema>>) -> Arc<Schema> {
    let Some(given) = given.filter(|given| !given.properties.is_empty()) else { return meta.clone() };
    let mut metadata = Schema::clone(meta);
    for name in ["name", "generateName"] {
        if let (Some(field), Some(rules)) = (metadata.properties.get_mut(name), given.properties.get(name)) {
            *field = Arc::new(Schema { rules: rules.rules.clone(), ..Schema::clone(field) });
        }
    }
    Arc::new(metadata)
}

/// Such as `com.example.v1.Widget`, as upstream names the definition it publishes.
fn published_name(definition: &Json, version: &Json) -> Option<String> {
    let group = definition.pointer("/spec/group")?.as_str()?;
    let kind = definition.pointer("/spec/names/kind")?.as_str()?;
    let reversed: Vec<&str> = group.split('.').rev().collect();
    Some(format!("{}.{}.{kind}", reversed.join("."), text(version, "name")))
}

fn subresources(version: &Json) -> Subresources {
    let scale = version.pointer("/subresources/scale").filter(|scale| scale.is_object()).map(|scale| Scale {
        spec_replicas: path(scale, "specReplicasPath").unwrap_or_default(),
        status_replicas: path(scale, "statusReplicasPath").unwrap_or_default(),
        selector: path(scale, "labelSelectorPath"),
    });
    let status = version.pointer("/subresources/status").is_some_and(Json::is_object);
    Subresources { status, scale, ..Subresources::default() }
}

/// `.spec.replicas` without its dot.
fn path(scale: &Json, key: &str) -> Option<String> {
    let path = scale.get(key)?.as_str()?.trim_start_matches('.');
    (!path.is_empty()).then(|| path.to_owned())
}

/// The name, then what the definition asks for; the age where it asks for nothing. Source: `apiextensions-apiserver/pkg/
/// registry/customresource/tableconvertor`.
fn columns(version: &Json) -> Vec<Column> {
    let name = Column {
        name: "Name".to_owned(),
        kind: "string".to_owned(),
        format: "name".to_owned(),
        description: NAME.to_owned(),
        priority: 0,
        cell: Cell::Path(".metadata.name".to_owned()),
    };
    let asked = version.get("additionalPrinterColumns").and_then(Json::as_array).filter(|asked| !asked.is_empty());
    let others: Vec<Column> = match asked {
        Some(asked) => asked.iter().map(column).collect(),
        None => vec![Column {
            name: "Age".to_owned(),
            kind: "date".to_owned(),
            format: String::new(),
            description: AGE.to_owned(),
            priority: 0,
            cell: Cell::Path(".metadata.creationTimestamp".to_owned()),
        }],
    };
    std::iter::once(name).chain(others).collect()
}

fn column(asked: &Json) -> Column {
    let named: BTreeMap<&str, &str> =
        asked.as_object().into_iter().flatten().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect();
    let text = |key: &str| named.get(key).copied().unwrap_or_default().to_owned();
    let description = match text("description") {
        said if said.is_empty() => format!("Custom resource definition column (in JSONPath format): {}", text("jsonPath")),
        said => said,
    };
    Column {
        name: text("name"),
        kind: text("type"),
        format: text("format"),
        description,
        priority: asked.get("priority").and_then(Json::as_i64).and_then(|number| i32::try_from(number).ok()).unwrap_or(0),
        cell: Cell::Path(text("jsonPath")),
    }
}

const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
