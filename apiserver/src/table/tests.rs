//! Whole tables.

use std::sync::Arc;

use super::*;
use crate::resources::{Schema, Scope, Subresources};

fn style(include: IncludeObject, version: MetaVersion, headers: bool) -> Style {
    let now = duration::parse("2026-01-02T00:00:00Z").unwrap();
    Style { now, include, version, headers }
}

fn column(name: &str, kind: &str, cell: Cell) -> Column {
    Column { name: name.into(), kind: kind.into(), format: String::new(), description: "d".into(), priority: 0, cell }
}

fn widgets(custom: bool, columns: Vec<Column>) -> Resource {
    Resource {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        list_kind: "WidgetList".into(),
        plural: "widgets".into(),
        singular: "widget".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Subresources::default(),
        collection: "example.com/widgets".into(),
        stored_as: "example.com/v1".into(),
        schema: Arc::new(Schema::default()),
        columns,
        custom,
        counts_generation: true,
        selectable_fields: Vec::new(),
        verbs: Vec::new(),
    }
}

fn path(path: &str) -> Cell {
    Cell::Path(path.into())
}

fn cells(custom: bool, kind: &str, value: Json) -> Json {
    let resource = widgets(custom, vec![column("X", kind, path(".x"))]);
    let style = style(IncludeObject::None, MetaVersion::V1, true);
    render(&resource, &[json!({"x": value}), json!({})], json!({}), &style)["rows"].clone()
}

#[test]
fn converts_values_by_the_type_of_the_column() {
    for (kind, value, shown) in [
        ("string", json!("a"), json!("a")),
        ("string", json!(7), json!("7")),
        ("string", json!({"b": [1]}), json!(r#"{"b":[1]}"#)),
        ("string", Json::Null, json!("<no value>")),
        ("integer", json!(7), json!(7)),
        ("integer", json!(7.9), json!(7)),
        ("integer", json!("7"), Json::Null),
        ("number", json!(1.5), json!(1.5)),
        ("boolean", json!(true), json!(true)),
        ("boolean", json!("true"), Json::Null),
        ("date", json!("2026-01-01T23:50:00Z"), json!("10m")),
        ("date", json!("soon"), json!("<invalid>")),
        ("date", json!(""), json!("<unknown>")),
    ] {
        let rows = cells(true, kind, value.clone());
        assert_eq!(rows[0]["cells"], json!([shown]), "{kind} of {value}");
        assert_eq!(rows[1]["cells"], json!([null]), "{kind} of nothing");
    }
}

#[test]
fn built_in_kinds_show_zero_values() {
    for (kind, zero) in [("string", json!("")), ("integer", json!(0)), ("boolean", json!(false))] {
        assert_eq!(cells(false, kind, Json::Null)[1]["cells"], json!([zero]), "{kind}");
    }
}

#[test]
fn a_column_that_cannot_be_read_is_empty() {
    let columns = vec![column("A", "string", path("nowhere")), column("B", "string", Cell::Computed("no-such".into()))];
    let table = render(&widgets(true, columns), &[json!({})], json!({}), &style(IncludeObject::None, MetaVersion::V1, true));
    assert_eq!(table["rows"][0]["cells"], json!([null, null]));
}

#[test]
fn a_table_has_definitions_metadata_and_rows() {
    let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {}});
    let resource = widgets(true, vec![column("Name", "string", path(".metadata.name"))]);
    let style = style(IncludeObject::Metadata, MetaVersion::V1beta1, true);
    let expected = json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1beta1", "metadata": {"resourceVersion": "5"},
        "columnDefinitions": [{"name": "Name", "type": "string", "format": "", "description": "d", "priority": 0}],
        "rows": [{"cells": ["a"], "object": {
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1beta1", "metadata": {"name": "a"}}}],
    });
    assert_eq!(render(&resource, std::slice::from_ref(&object), json!({"resourceVersion": "5"}), &style), expected);
}

#[test]
fn rows_carry_what_was_asked_for_and_headers_may_be_left_out() {
    let object = json!({"metadata": {"name": "a"}, "spec": {"x": 1}});
    let resource = widgets(true, vec![column("Name", "string", path(".metadata.name"))]);
    for (include, carried) in [
        (IncludeObject::None, Json::Null),
        (IncludeObject::Metadata, partial_metadata(&object, MetaVersion::V1)),
        (IncludeObject::Object, object.clone()),
    ] {
        let table = render(&resource, std::slice::from_ref(&object), json!({}), &style(include, MetaVersion::V1, false));
        assert_eq!(table["rows"][0]["object"], carried);
        assert_eq!(table["columnDefinitions"], json!([]));
    }
}

#[test]
fn a_scale_has_columns_of_its_own() {
    let scale = json!({"metadata": {"name": "web"}, "spec": {"replicas": 3}, "status": {}});
    let table = render_scale(&scale, json!({}), &style(IncludeObject::None, MetaVersion::V1, true));
    assert_eq!(table["rows"][0]["cells"], json!(["web", 3, 0, "<unknown>"]));
}

#[test]
fn parameters_are_read_as_upstream_reads_them() {
    assert_eq!(IncludeObject::parse(""), Some(IncludeObject::Metadata));
    assert_eq!(IncludeObject::parse("Object"), Some(IncludeObject::Object));
    assert_eq!(IncludeObject::parse("none"), None);
    assert_eq!(MetaVersion::parse("v1beta1"), Some(MetaVersion::V1beta1));
    assert_eq!(MetaVersion::parse("v2"), None);
}
