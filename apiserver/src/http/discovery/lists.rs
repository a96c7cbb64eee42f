//! The plain discovery documents: `APIVersions`, `APIGroupList`, `APIGroup`, `APIResourceList`.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::{Document, Group, Version};
use crate::resources::connect::Connect;
use crate::resources::{Resource, Scope};

/// A resource below objects, as discovery names it.
pub(super) struct Subresource {
    pub(super) name: &'static str,
    /// Group and version of its kind where they are not the resource's own.
    pub(super) elsewhere: Option<(&'static str, &'static str)>,
    pub(super) kind: String,
    pub(super) verbs: &'static [&'static str],
}

/// Every plain document by its path.
pub(super) fn documents(core: &[&Group], named: &[&Group], address: &str) -> BTreeMap<String, Document> {
    let mut documents = BTreeMap::new();
    let mut add = |path: String, body: Json| documents.insert(path, Document::new("application/json", body.to_string()));
    let versions: Vec<&str> = core.iter().flat_map(|group| &group.versions).map(|version| version.name.as_str()).collect();
    add(
        "/api".into(),
        json!({
            "kind": "APIVersions", "versions": versions,
            "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": address }],
        }),
    );
    let groups: Vec<Json> = named.iter().map(|group| Json::Object(api_group(group))).collect();
    add("/apis".into(), json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }));
    for group in named {
        let mut body = api_group(group);
        body.insert("kind".into(), "APIGroup".into());
        body.insert("apiVersion".into(), "v1".into());
        add(format!("/apis/{}", group.name), Json::Object(body));
    }
    for group in core.iter().chain(named) {
        for version in &group.versions {
            add(format!("/{}", group.path(version)), resource_list(group, version));
        }
    }
    documents
}

fn api_group(group: &Group) -> Map<String, Json> {
    let version = |version: &Version| json!({ "groupVersion": group.api_version(version), "version": version.name });
    let versions: Vec<Json> = group.versions.iter().map(version).collect();
    Map::from_iter([
        ("name".to_owned(), Json::from(group.name.as_str())),
        ("preferredVersion".to_owned(), versions.first().cloned().unwrap_or_default()),
        ("versions".to_owned(), Json::Array(versions)),
    ])
}

fn resource_list(group: &Group, version: &Version) -> Json {
    let resources: Vec<Json> = version.resources.iter().flat_map(|resource| with_subresources(resource)).collect();
    json!({
        "kind": "APIResourceList", "apiVersion": "v1",
        "groupVersion": group.api_version(version), "resources": resources,
    })
}

fn with_subresources(resource: &Resource) -> Vec<Json> {
    let namespaced = resource.scope == Scope::Namespaced;
    let mut main = json!({
        "name": resource.plural, "singularName": resource.singular, "namespaced": namespaced, "kind": resource.kind,
        "verbs": resource.verbs, "storageVersionHash": storage_version_hash(resource),
    });
    add_lists(&mut main, resource);
    let below = subresources(resource).into_iter().map(|below| {
        let mut entry = json!({
            "name": format!("{}/{}", resource.plural, below.name), "singularName": "", "namespaced": namespaced,
            "kind": below.kind, "verbs": below.verbs,
        });
        if let (Some((group, version)), Some(fields)) = (below.elsewhere, entry.as_object_mut()) {
            fields.insert("group".into(), group.into());
            fields.insert("version".into(), version.into());
        }
        entry
    });
    std::iter::once(main).chain(below).collect()
}

/// Short names and categories, where there are any.
pub(super) fn add_lists(entry: &mut Json, resource: &Resource) {
    let lists = [("shortNames", &resource.short_names), ("categories", &resource.categories)];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        if let Some(fields) = entry.as_object_mut() {
            fields.insert(name.into(), list.as_slice().into());
        }
    }
}

/// What is served below objects of `resource`, by name.
pub(super) fn subresources(resource: &Resource) -> Vec<Subresource> {
    let own = |name, verbs| Subresource { name, elsewhere: None, kind: resource.kind.clone(), verbs };
    let mut all = Vec::new();
    if resource.subresources.connect {
        let verbs = &["create", "get"];
        all.extend(Connect::ALL.map(|below| Subresource {
            name: below.name(),
            elsewhere: None,
            kind: below.kind().into(),
            verbs,
        }));
    }
    if resource.subresources.finalize {
        all.push(own("finalize", &["update"]));
    }
    if resource.subresources.scale.is_some() {
        let elsewhere = Some(("autoscaling", "v1"));
        all.push(Subresource { name: "scale", elsewhere, kind: "Scale".into(), verbs: &["get", "patch", "update"] });
    }
    if resource.subresources.status {
        all.push(own("status", &["get", "patch", "update"]));
    }
    all
}

/// Says in which version objects are stored, without saying which. Source: apiserver's `discovery.StorageVersionHash`.
fn storage_version_hash(resource: &Resource) -> String {
    let (group, version) = resource.stored_as.split_once('/').unwrap_or(("", &resource.stored_as));
    let digest = Sha256::digest(format!("{group}/{version}/{}", resource.kind));
    BASE64_STANDARD.encode(digest.get(..8).unwrap_or_default())
}
