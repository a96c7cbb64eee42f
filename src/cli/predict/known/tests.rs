//! Which parts of a request are certain.

use serde_json::json;

use super::*;
use crate::cli::predict::served::bare;

fn schema() -> Schema {
    let document = json!({"components": {"schemas": {
        "Thing": {
            "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Thing"}],
            "properties": {
                "metadata": {"properties": {"finalizers": {"items": {"type": "string"}}}},
                "spec": {"allOf": [{"$ref": "#/components/schemas/Spec"}], "default": {}},
                "data": {"additionalProperties": {"type": "string"}},
            },
        },
        "Spec": {"properties": {
            "replicas": {"type": "integer"}, "on": {"type": "boolean"}, "size": {"$ref": "#/components/schemas/api.resource.Quantity"},
            "list": {"items": {"properties": {"name": {"type": "string"}, "image": {"type": "string"}}}},
            "words": {"items": {"type": "string"}},
        }},
        "api.resource.Quantity": {"type": "string"},
    }}});
    Schema::of(document, &bare("example.com", "v1", "Thing", "things", plimsoll_apiserver::resources::Scope::Namespaced)).unwrap()
}

fn path(text: &str) -> Vec<Step> {
    let step = |name: &str| if name == "[]" { Step::Each } else { Step::Field(name.to_owned()) };
    text.split('.').filter(|name| !name.is_empty()).map(step).collect()
}

/// Returns the beginning of what a part depends on; empty if it is certain.
fn doubt(origin: Origin<'_>, changed_by: &[String], text: &str, by: Use) -> String {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Thing",
        "metadata": {"name": "x", "namespace": "n", "labels": {"app": "a", "none": ""}, "uid": "u", "finalizers": ["f"]},
        "spec": {
            "replicas": 3, "on": false, "size": "1000m", "bogus": true, "words": ["a"],
            "list": [{"name": "a", "image": "i"}, {"name": "b"}],
        },
        "data": {"k": "v"}, "status": {"ready": true},
    });
    match (State { object: Some(&object), origin, changed_by }).tells(&path(text), by) {
        Ok(()) => String::new(),
        Err(Doubt::On(text) | Doubt::Unknown(text)) => text.split([':', ',']).next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn what_is_there_and_means_itself_is_certain() {
    use Use::{Members, Presence, Value};
    let (schema, own) = (schema(), "what the server itself writes");
    let written = Origin::Written { schema: Ok(&schema), plural: "things", is_embedded: false };
    let table = [
        ("kind", Value, ""),
        ("metadata.name", Value, ""),
        ("metadata.labels.app", Value, ""),
        ("metadata.labels.none", Presence, ""),
        ("metadata.labels.other", Presence, "defaulting"),
        ("metadata.labels", Members, ""),
        ("metadata.annotations", Presence, "defaulting"),
        ("metadata.uid", Value, own),
        ("metadata.finalizers", Value, ""),
        ("metadata", Presence, own),
        ("", Value, own),
        ("status.ready", Value, own),
        ("spec.replicas", Value, ""),
        ("spec.on", Value, "defaulting"),
        ("spec.size", Value, "the form in which the server writes `spec.size`"),
        ("spec.size", Presence, ""),
        ("spec.bogus", Value, "pruning"),
        ("spec.absent", Value, "defaulting"),
        ("spec", Presence, ""),
        ("spec", Members, "defaulting"),
        ("spec.list", Members, ""),
        ("spec.list.[].name", Value, ""),
        ("spec.list.[].image", Value, "defaulting"),
        ("spec.list", Value, "defaulting"),
        ("spec.words", Value, ""),
        ("spec.words.a", Presence, ""),
        ("data", Value, ""),
        ("data.[]", Value, ""),
    ];
    for (text, by, expected) in table {
        assert_eq!(doubt(written, &[], text, by), expected, "{text} {by:?}");
    }
}

#[test]
fn others_and_what_is_not_read_make_it_uncertain() {
    let hook = ["c/h.example.com".to_owned()];
    let schema = schema();
    let of = |plural, is_embedded| Origin::Written { schema: Ok(&schema), plural, is_embedded };
    let absent = SchemaError::Absent { kind: "Thing".to_owned(), path: "/openapi/v3/apis/example.com/v1".to_owned() };
    let unread = Origin::Written { schema: Err(&absent), plural: "things", is_embedded: false };
    let table = [
        (of("things", false), &hook[..], "spec.replicas", "c/h.example.com"),
        (of("things", false), &hook, "metadata.namespace", ""),
        (of("pods", false), &[], "spec.replicas", "in-tree plugins (ServiceAccount"),
        (of("pods", true), &[], "spec.replicas", ""),
        (of("things", true), &[], "metadata.annotations.x", "the in-tree plugin SchedulingPolicy"),
        (unread, &[], "spec.replicas", "the schema of Thing is not in /openapi/v3/apis/example.com/v1"),
        (unread, &[], "metadata.labels.app", ""),
        (Origin::Remembered, &[], "spec.replicas", ""),
        (Origin::Remembered, &[], "spec.absent", "the stored object"),
        (Origin::Stored, &[], "spec.absent", ""),
        (Origin::Stored, &[], "metadata.uid", ""),
        (Origin::DryRun, &[], "spec.absent", ""),
        (Origin::DryRun, &[], "metadata.uid", "what the server itself writes"),
        (Origin::Before { plural: "things" }, &[], "status.ready", "what the server itself writes"),
        (Origin::Before { plural: "services" }, &[], "spec.absent", "what the server itself writes"),
    ];
    for (origin, changed_by, text, expected) in table {
        assert_eq!(doubt(origin, changed_by, text, Use::Value), expected, "{text}");
    }
}

#[test]
fn labels_that_a_server_takes_from_the_template_are_not_certain() {
    let of = |object: &Json| State { object: Some(object), origin: Origin::Remembered, changed_by: &[] }.tells_labels().is_ok();
    let template = json!({"template": {"metadata": {"labels": {"a": "b"}}}});
    assert!(!of(&json!({"apiVersion": "batch/v1", "metadata": {}, "spec": template})));
    assert!(of(&json!({"apiVersion": "apps/v1", "metadata": {}, "spec": template})));
    assert!(of(&json!({"apiVersion": "batch/v1", "metadata": {"labels": {"c": "d"}}, "spec": template})));
}
