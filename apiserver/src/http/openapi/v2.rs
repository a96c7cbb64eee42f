//! OpenAPI 2.0, once called Swagger: one document for everything.

use serde_json::{Map, Value as Json, json};

use super::Named;
use super::definitions::collect;
use super::operations::{GIVES, Operation, Path, paths};
use super::schema::Dialect;
use crate::resources::Resource;

/// The document about `resources`.
pub(super) fn document(resources: &[&Resource], named: &Named) -> Json {
    let paths: Vec<Path> = resources.iter().flat_map(|resource| paths(resource)).collect();
    let definitions = collect(resources, &paths, named, Dialect::V2);
    let paths: Map<String, Json> = paths.into_iter().map(|path| path.item(described, variable)).collect();
    json!({
        "swagger": "2.0",
        "info": { "title": "Plimsoll", "version": "unversioned" },
        "paths": paths,
        "definitions": definitions,
    })
}

fn variable(name: &str) -> Json {
    json!({ "in": "path", "name": name, "required": true, "type": "string", "uniqueItems": true })
}

fn described(operation: &Operation) -> Json {
    let [group, version, kind] = &operation.kind;
    let body = operation.body.iter().map(
        |(body, required)| json!({ "in": "body", "name": "body", "required": required, "schema": Dialect::V2.reference(body) }),
    );
    let query = operation.query.iter().map(|parameter| {
        json!({
            "in": "query", "name": parameter.name, "description": parameter.description, "type": parameter.kind,
            "uniqueItems": true,
        })
    });
    json!({
        "tags": [operation.tag],
        "description": operation.description,
        "operationId": operation.id,
        "consumes": operation.takes,
        "produces": GIVES,
        "schemes": ["https"],
        "parameters": body.chain(query).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "OK", "schema": Dialect::V2.reference(&operation.answer) },
            "401": { "description": "Unauthorized" },
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": { "group": group, "version": version, "kind": kind },
    })
}
