//! Discovery of a small table of kinds, against what kube-apiserver says of the same kinds.

use serde_json::{Value as Json, json};

use super::*;
use crate::resources::resource::Scale;
use crate::resources::{Schema, Scope, Subresources};

const ALL_VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A row of a table of kinds.
pub(in crate::http) fn row(group: &str, version: &str, kind: &str) -> Resource {
    let singular = kind.to_lowercase();
    let in_group = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Resource {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        list_kind: format!("{kind}List"),
        plural: format!("{singular}s"),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Subresources::default(),
        collection: format!("{group}/{singular}s").into(),
        stored_as: in_group,
        schema: Arc::new(Schema::default()),
        columns: Vec::new(),
        custom: false,
        counts_generation: true,
        selectable_fields: Vec::new(),
        verbs: ALL_VERBS.map(str::to_owned).to_vec(),
        singular,
    }
}

fn scale() -> Scale {
    Scale { spec_replicas: "spec.replicas".into(), status_replicas: "status.replicas".into(), selector: None }
}

fn table() -> Vec<Arc<Resource>> {
    let mut deployment = row("apps", "v1", "Deployment");
    deployment.short_names = vec!["deploy".into()];
    deployment.categories = vec!["all".into()];
    deployment.subresources = Subresources { status: true, scale: Some(scale()), ..Subresources::default() };
    let mut namespace = row("", "v1", "Namespace");
    namespace.scope = Scope::Cluster;
    namespace.subresources = Subresources { status: true, finalize: true, ..Subresources::default() };
    let mut old = row("extensions", "v1beta1", "Deployment");
    old.stored_as = "apps/v1".into();
    let widgets = ["v1beta1", "v1", "v2alpha1"].map(|version| row("a.example.com", version, "Widget"));
    let rows = [namespace, deployment, old, row("", "v1", "ConfigMap")];
    rows.into_iter().chain(widgets).map(Arc::new).collect()
}

fn discovery() -> Discovery {
    Discovery::new(&table(), "127.0.0.1:6443")
}

fn body(path: &str, accept: Option<&str>) -> Json {
    serde_json::from_slice(&discovery().document(path, accept).unwrap().body).unwrap()
}

#[test]
fn roots_name_versions_and_groups_in_order() {
    assert_eq!(
        body("/api", None),
        json!({"kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}]})
    );
    let groups = body("/apis/", None)["groups"].clone();
    let names: Vec<_> = groups.as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["apps", "extensions", "a.example.com"]);
    let versions = ["v1", "v1beta1", "v2alpha1"]
        .map(|version| json!({"groupVersion": format!("a.example.com/{version}"), "version": version}));
    let expected = json!({"kind": "APIGroup", "apiVersion": "v1", "name": "a.example.com",
        "preferredVersion": versions[0], "versions": versions});
    assert_eq!(body("/apis/a.example.com", None), expected);
}

#[test]
fn a_version_lists_its_resources_with_what_is_below_them() {
    let expected = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "apps/v1", "resources": [
        {"name": "deployments", "singularName": "deployment", "namespaced": true, "kind": "Deployment", "verbs": ALL_VERBS,
            "shortNames": ["deploy"], "categories": ["all"], "storageVersionHash": "8aSe+NMegvE="},
        {"name": "deployments/scale", "singularName": "", "namespaced": true, "kind": "Scale", "group": "autoscaling",
            "version": "v1", "verbs": ["get", "patch", "update"]},
        {"name": "deployments/status", "singularName": "", "namespaced": true, "kind": "Deployment",
            "verbs": ["get", "patch", "update"]}]});
    assert_eq!(body("/apis/apps/v1", None), expected);
    let names: Vec<String> = body("/api/v1", None)["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["configmaps", "namespaces", "namespaces/finalize", "namespaces/status"]);
}

#[test]
fn versions_stored_alike_have_one_storage_version_hash() {
    let hash = |path: &str| body(path, None)["resources"][0]["storageVersionHash"].clone();
    assert_eq!(hash("/apis/extensions/v1beta1"), hash("/apis/apps/v1"));
    assert_eq!(body("/api/v1", None)["resources"][1]["storageVersionHash"], "Q3oi5N2YM8M=");
}

#[test]
fn what_is_not_served_has_no_document() {
    for path in ["/apis/apps/v2", "/apis/none", "/api/v2", "/", "/apis/apps/v1/deployments"] {
        assert!(discovery().document(path, None).is_none(), "{path}");
    }
}

const KUBECTL: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
    application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

#[test]
fn the_aggregated_form_is_chosen_by_accept() {
    let beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    for (accept, kind, api_version) in [
        (Some(KUBECTL), "APIGroupDiscoveryList", Some("apidiscovery.k8s.io/v2")),
        (Some(beta), "APIGroupDiscoveryList", Some("apidiscovery.k8s.io/v2beta1")),
        (
            Some("application/json, application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
            "APIGroupList",
            Some("v1"),
        ),
        (Some("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,*/*"), "APIGroupList", Some("v1")),
        (Some("application/json"), "APIGroupList", Some("v1")),
        (None, "APIGroupList", Some("v1")),
    ] {
        let body = body("/apis", accept);
        assert_eq!((body["kind"].as_str(), body["apiVersion"].as_str()), (Some(kind), api_version), "{accept:?}");
    }
    let content_type = discovery().document("/apis", Some(KUBECTL)).unwrap().content_type;
    assert_eq!(content_type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    assert_eq!(body("/apis/apps", Some(KUBECTL))["kind"], "APIGroup", "only the roots are aggregated");
}

#[test]
fn the_aggregated_form_says_what_the_lists_say() {
    let api = body("/api", Some(KUBECTL));
    assert_eq!(api["items"][0]["metadata"], json!({}));
    assert_eq!(api["items"][0]["versions"][0]["version"], "v1");
    let apis = body("/apis", Some(KUBECTL));
    assert_eq!(apis["items"][0]["metadata"], json!({"name": "apps"}));
    let verbs = ["get", "patch", "update"];
    assert_eq!(
        apis["items"][0]["versions"],
        json!([{"version": "v1", "freshness": "Current", "resources": [{
        "resource": "deployments", "singularResource": "deployment", "scope": "Namespaced", "verbs": ALL_VERBS,
        "shortNames": ["deploy"], "categories": ["all"],
        "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
        "subresources": [
            {"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "verbs": verbs},
            {"subresource": "status", "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"}, "verbs": verbs}]}]}])
    );
}
