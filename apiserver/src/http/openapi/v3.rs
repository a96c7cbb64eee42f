//! OpenAPI 3.0: the document of one group and version.

use serde_json::{Map, Value as Json, json};

use super::Named;
use super::definitions::collect;
use super::operations::{GIVES, Operation, Path, paths};
use super::schema::Dialect;
use crate::resources::Resource;

/// The document about `resources`.
pub(super) fn document(resources: &[&Resource], named: &Named) -> Json {
    let paths: Vec<Path> = resources.iter().flat_map(|resource| paths(resource)).collect();
    let definitions = collect(resources, &paths, named, Dialect::V3);
    let paths: Map<String, Json> = paths.into_iter().map(|path| path.item(described, variable)).collect();
    json!({
        "openapi": "3.0.0",
        "info": { "title": "Plimsoll", "version": "unversioned" },
        "paths": paths,
        "components": { "schemas": definitions },
    })
}

fn variable(name: &str) -> Json {
    json!({ "in": "path", "name": name, "required": true, "schema": { "type": "string", "uniqueItems": true } })
}

fn described(operation: &Operation) -> Json {
    let [group, version, kind] = &operation.kind;
    let query = operation.query.iter().map(|parameter| {
        json!({
            "in": "query", "name": parameter.name, "description": parameter.description,
            "schema": { "type": parameter.kind, "uniqueItems": true },
        })
    });
    let mut described = json!({
        "tags": [operation.tag],
        "description": operation.description,
        "operationId": operation.id,
        "responses": {
            "200": { "description": "OK", "content": content(&GIVES, &operation.answer) },
            "401": { "description": "Unauthorized" },
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": { "group": group, "version": version, "kind": kind },
    });
    if let Some(fields) = described.as_object_mut() {
        let query: Vec<Json> = query.collect();
        if !query.is_empty() {
            fields.insert("parameters".into(), query.into());
        }
        if let Some((body, required)) = &operation.body {
            let mut body = json!({ "content": content(&operation.takes, body) });
            if let (true, Some(body)) = (*required, body.as_object_mut()) {
                body.insert("required".into(), true.into());
            }
            fields.insert("requestBody".into(), body);
        }
    }
    described
}

fn content(types: &[&str], definition: &str) -> Json {
    let schema = Dialect::V3.reference(definition);
    types.iter().map(|media_type| ((*media_type).to_owned(), json!({ "schema": schema }))).collect::<Map<_, _>>().into()
}
