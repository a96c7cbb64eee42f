//! The documents, read as clients read them.

use serde_json::{Value as Json, json};

use super::*;
use crate::http::discovery::tests::row;
use crate::resources::schema::parse::{NoReferences, parse};
use crate::resources::{Schema, Subresources};

fn built_in() -> OpenApi {
    OpenApi::new(&Arc::new(Registry::built_in().unwrap()), None)
}

/// The built-in table and a custom kind with the given schema.
fn with_widgets(schema: &Json) -> OpenApi {
    let schema = Schema { definition: Some("com.example.v1.Widget".into()), ..Schema::clone(&parse(schema, &mut NoReferences)) };
    let widgets = Resource {
        custom: true,
        schema: Arc::new(schema),
        subresources: Subresources { status: true, ..Subresources::default() },
        ..row("example.com", "v1", "Widget")
    };
    OpenApi::new(&Arc::new(Registry::built_in().unwrap().with_custom([widgets])), None)
}

fn json_of(document: &Document) -> Json {
    serde_json::from_slice(&document.body).unwrap()
}

fn v3(documents: &OpenApi, path: &str) -> Json {
    json_of(documents.group_version(path).unwrap())
}

fn v2(documents: &OpenApi) -> Json {
    json_of(documents.v2(None).unwrap())
}

/// Every `$ref` in a document.
fn references(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Json::as_str).map(str::to_owned));
            fields.values().for_each(|inner| references(inner, found));
        }
        Json::Array(items) => items.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}

#[track_caller]
fn check_references(document: &Json, prefix: &str) {
    let mut found = Vec::new();
    references(document, &mut found);
    assert!(found.len() > 10);
    for reference in found {
        let Some(name) = reference.strip_prefix(prefix) else { panic!("{reference} does not begin with {prefix}") };
        let place = prefix.trim_start_matches('#').trim_end_matches('/');
        assert!(document.pointer(place).unwrap().get(name).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let documents = with_widgets(&json!({"type": "object", "properties": {"spec": {"type": "object"}}}));
    for path in documents.versions.keys() {
        check_references(&v3(&documents, path), "#/components/schemas/");
    }
    check_references(&v2(&documents), "#/definitions/");
}

#[test]
fn the_index_has_the_hash_of_each_document() {
    let documents = built_in();
    let index = json_of(documents.index());
    let paths = index["paths"].as_object().unwrap();
    assert!(paths.contains_key("api/v1") && paths.contains_key("apis/apps/v1") && paths.contains_key("apis/federation/v1beta1"));
    for (path, entry) in paths {
        let url = format!("/openapi/v3/{path}?hash={}", documents.group_version(path).unwrap().etag);
        assert_eq!(entry["serverRelativeURL"], url);
    }
    assert!(documents.group_version("apis/none/v1").is_none());
}

/// What kubectl looks for before it leaves validation to the server, and before it sends a strategic merge patch.
#[test]
fn patch_names_its_kind_parameters_and_types() {
    let document = v3(&built_in(), "apis/apps/v1");
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"], json!({"group": "apps", "version": "v1", "kind": "Deployment"}));
    assert_eq!(patch["x-kubernetes-action"], "patch");
    assert_eq!(patch["operationId"], "patchAppsV1NamespacedDeployment");
    let names: Vec<_> = patch["parameters"].as_array().unwrap().iter().map(|parameter| &parameter["name"]).collect();
    assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
    let types: Vec<_> = patch["requestBody"]["content"].as_object().unwrap().keys().collect();
    assert_eq!(
        types,
        [
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json"
        ]
    );
}

#[test]
fn operations_are_named_as_upstream_names_them() {
    let documents = built_in();
    let id = |version: &str, path: &str, method: &str| v3(&documents, version)["paths"][path][method]["operationId"].clone();
    for (version, path, method, expected) in [
        ("apis/apps/v1", "/apis/apps/v1/deployments", "get", "listAppsV1DeploymentForAllNamespaces"),
        (
            "apis/apps/v1",
            "/apis/apps/v1/namespaces/{namespace}/deployments",
            "delete",
            "deleteAppsV1CollectionNamespacedDeployment",
        ),
        (
            "apis/apps/v1",
            "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
            "get",
            "readAppsV1NamespacedDeploymentScale",
        ),
        ("api/v1", "/api/v1/namespaces", "post", "createCoreV1Namespace"),
        ("api/v1", "/api/v1/namespaces/{name}/finalize", "put", "replaceCoreV1NamespaceFinalize"),
        (
            "apis/rbac.authorization.k8s.io/v1",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}",
            "get",
            "readRbacAuthorizationV1ClusterRole",
        ),
    ] {
        assert_eq!(id(version, path, method), expected, "{method} {path}");
    }
}

#[test]
fn schemas_carry_what_merging_needs() {
    let document = v3(&built_in(), "apis/apps/v1");
    let schemas = &document["components"]["schemas"];
    assert_eq!(
        schemas["io.k8s.api.apps.v1.Deployment"]["x-kubernetes-group-version-kind"],
        json!([{"group": "apps", "version": "v1", "kind": "Deployment"}])
    );
    let strategy = &schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["strategy"];
    assert_eq!(
        *strategy,
        json!({"default": {}, "x-kubernetes-patch-strategy": "retainKeys",
        "allOf": [{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}]})
    );
    let ports = &schemas["io.k8s.api.core.v1.Container"]["properties"]["ports"];
    assert_eq!(ports["x-kubernetes-patch-merge-key"], "containerPort");
    assert_eq!(ports["x-kubernetes-list-map-keys"], json!(["containerPort", "protocol"]));
    assert_eq!(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"]["x-kubernetes-map-type"], "atomic");
    assert_eq!(
        schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
        json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
    );
    assert_eq!(
        schemas["io.k8s.api.apps.v1.DeploymentList"]["properties"]["items"]["items"],
        json!({"$ref": "#/components/schemas/io.k8s.api.apps.v1.Deployment"})
    );
}

#[test]
fn version_2_says_the_same_in_its_own_words() {
    let document = v2(&built_in());
    let definitions = &document["definitions"];
    assert_eq!(
        definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
        json!({"format": "int-or-string", "type": "string"})
    );
    assert_eq!(definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"], json!({"type": "string"}));
    assert_eq!(definitions["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"], json!({"type": "object"}));
    assert_eq!(
        definitions["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["strategy"],
        json!({"$ref": "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy", "x-kubernetes-patch-strategy": "retainKeys"})
    );
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Deployment");
    assert!(patch["parameters"].as_array().unwrap().iter().any(|parameter| parameter["name"] == "dryRun"));
}

fn widget_schema() -> Json {
    json!({"type": "object", "description": "A widget.", "required": ["spec"], "properties": {"metadata": {"type": "object"}, "spec": {
        "type": "object", "description": "What is wanted.", "required": ["size", "note"], "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "note": {"type": "string", "nullable": true},
            "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string"}}},
            "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}}})
}

#[test]
fn custom_kinds_keep_descriptions_and_get_the_common_fields() {
    let document = v3(&with_widgets(&widget_schema()), "apis/example.com/v1");
    let widget = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(widget["description"], "A widget.");
    assert_eq!(widget["x-kubernetes-group-version-kind"], json!([{"group": "example.com", "version": "v1", "kind": "Widget"}]));
    assert_eq!(
        widget["properties"]["metadata"]["allOf"],
        json!([{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])
    );
    assert_eq!(widget["properties"]["kind"]["type"], "string");
    let spec = &widget["properties"]["spec"]["properties"];
    assert_eq!(spec["size"], json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 3}));
    assert_eq!(spec["note"], json!({"type": "string", "nullable": true}));
    assert_eq!(spec["port"], json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}));
    let patch = &document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"];
    assert!(patch["requestBody"]["content"].get("application/strategic-merge-patch+json").is_none());
}

#[test]
fn version_2_leaves_out_what_it_cannot_say_of_custom_kinds() {
    let document = v2(&with_widgets(&widget_schema()));
    let spec = &document["definitions"]["com.example.v1.Widget"]["properties"]["spec"];
    assert_eq!(spec["required"], json!(["size"]));
    assert_eq!(spec["properties"]["note"], json!({}));
    assert_eq!(spec["properties"]["port"], json!({"x-kubernetes-int-or-string": true}));
    assert_eq!(spec["properties"]["any"], json!({"x-kubernetes-preserve-unknown-fields": true}));
    let loose = v2(&with_widgets(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})));
    assert!(loose["definitions"]["com.example.v1.Widget"].get("properties").is_none());
}

#[test]
fn the_form_of_version_2_is_chosen_by_accept() {
    let documents = built_in();
    let kind = |accept: Option<&str>| documents.v2(accept).map(|document| document.content_type);
    for (accept, expected) in [
        (None, Some("application/json")),
        (Some("application/json"), Some("application/json")),
        (Some("*/*"), Some("application/json")),
        (Some("application/com.github.proto-openapi.spec.v2@v1.0+protobuf"), Some(PROTOBUF)),
        (Some("application/com.github.proto-openapi.spec.v2.v1.0+protobuf"), Some(PROTOBUF)),
        (Some("application/com.github.proto-openapi.spec.v2.v1.0+protobuf,application/json;q=0.5"), Some(PROTOBUF)),
        (Some("text/html"), None),
    ] {
        assert_eq!(kind(accept), expected, "{accept:?}");
    }
}

#[test]
fn a_new_custom_kind_leaves_other_documents_as_they_are() {
    let registry = Arc::new(Registry::built_in().unwrap());
    let before = OpenApi::new(&registry, None);
    let apps = before.group_version("apis/apps/v1").unwrap().body.clone();
    let more = Arc::new(registry.with_custom([Resource { custom: true, ..row("example.com", "v1", "Widget") }]));
    let after = OpenApi::new(&more, Some(&before));
    assert_eq!(after.group_version("apis/apps/v1").unwrap().body.as_ptr(), apps.as_ptr(), "made once");
    assert!(after.group_version("apis/example.com/v1").is_some() && before.group_version("apis/example.com/v1").is_none());
}

#[test]
fn two_versions_of_one_schema_are_two_kinds() {
    let document = v3(&built_in(), "apis/extensions/v1beta1");
    let kinds = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(|schema| schema.get("x-kubernetes-group-version-kind")?.as_array())
        .flatten()
        .filter(|kind| kind["group"] == "extensions" && kind["kind"] == "ReplicaSet");
    assert_eq!(kinds.count(), 1);
}
