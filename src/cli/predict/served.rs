//! Reads which resources the API server serves, and which versions are the same objects.
//!
//! All versions of one kind have one `storageVersionHash` in discovery; a server tells nothing else about that.

use std::sync::Arc;

use anyhow::{Context, bail};
use futures::future::join_all;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResource, APIResourceList};
use plimsoll_apiserver::resources::{Registry, Resource, Schema, Scope, Subresources};
use serde_json::Value as Json;

use super::api::Server;

/// Prefix of the collection of resources whose other versions are known by their hash.
const HASH: &str = "hash ";

/// The resources that the API server serves.
pub(super) struct Served {
    /// One row for each resource and version; versions of the same objects have the same collection.
    pub(super) registry: Arc<Registry>,
    /// Whether the API server is the embedded one of `plimsoll dev`.
    pub(super) is_embedded: bool,
    /// Groups and versions that could not be read, each with the reason.
    pub(super) unread: Vec<String>,
}

impl Served {
    /// Reads all groups and versions. Fails when the server's version or its list of groups cannot be read; a group that cannot be read
    /// is kept in `unread`.
    pub(super) async fn ask(server: &Server) -> anyhow::Result<Self> {
        let version = server.get("/version").await.context("could not ask the API server for its version")?;
        let groups = server.get("/apis").await.context("could not ask the API server for its groups")?;
        let groups: APIGroupList = serde_json::from_value(groups).context("could not read the API server's groups")?;
        let of_groups = groups.groups.into_iter().flat_map(|group| group.versions).map(|version| version.group_version);
        let paths: Vec<String> = [String::from("/api/v1")].into_iter().chain(of_groups.map(|gv| format!("/apis/{gv}"))).collect();
        let lists = join_all(paths.iter().map(|path| server.get(path))).await;
        let (mut rows, mut unread) = (Vec::new(), Vec::new());
        for (path, list) in paths.iter().zip(lists) {
            let read = list.map_err(anyhow::Error::from).and_then(|list| Ok(serde_json::from_value::<APIResourceList>(list)?));
            match read {
                Ok(list) => rows.extend(list.resources.iter().filter_map(|found| row(&list.group_version, found))),
                Err(error) => unread.push(format!("{path}: {error:#}")),
            }
        }
        let is_embedded = version.get("gitVersion").and_then(Json::as_str).is_some_and(|git| git.contains("+plimsoll"));
        Ok(Self { registry: Arc::new(Registry::default().with_custom(rows)), is_embedded, unread })
    }

    /// Returns the resource of an object. Fails when its kind is not served.
    pub(super) fn kind_of(&self, object: &Json) -> anyhow::Result<Arc<Resource>> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        let (api_version, kind) = (text("/apiVersion"), text("/kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        match self.registry.by_kind(group, version, kind) {
            Some(resource) => Ok(resource),
            None => bail!("the API server serves no `{kind}` of `{api_version}`; see `kubectl api-resources`"),
        }
    }

    /// Returns a resource in the first of `versions` that is served.
    pub(super) fn first(&self, group: &str, versions: &[&str], plural: &str) -> Option<Arc<Resource>> {
        versions.iter().find_map(|version| self.registry.find(group, version, plural))
    }
}

/// Returns the row of a resource; `None` for a subresource.
fn row(group_version: &str, found: &APIResource) -> Option<Resource> {
    if found.name.contains('/') {
        return None;
    }
    let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
    // Without a hash nothing is said of other versions: then each stands alone.
    let hash = found.storage_version_hash.as_deref().filter(|hash| !hash.is_empty());
    let scope = if found.namespaced { Scope::Namespaced } else { Scope::Cluster };
    let alone = bare(group, version, &found.kind, &found.name, scope);
    let collection = hash.map_or(alone.collection, |hash| format!("{HASH}{hash}").into());
    Some(Resource { collection, verbs: found.verbs.clone(), ..alone })
}

/// Returns a resource of which only the names are known; it has a collection of its own.
pub(in crate::cli) fn bare(group: &str, version: &str, kind: &str, plural: &str, scope: Scope) -> Resource {
    Resource {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        list_kind: format!("{kind}List"),
        plural: plural.to_owned(),
        singular: kind.to_lowercase(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope,
        subresources: Subresources::default(),
        collection: format!("{group}/{version}/{plural}").into(),
        stored_as: String::new(),
        schema: Arc::new(Schema::default()),
        columns: Vec::new(),
        custom: false,
        counts_generation: false,
        selectable_fields: Vec::new(),
        verbs: Vec::new(),
    }
}

/// Returns whether discovery tells which other versions are the same objects.
pub(super) fn has_hash(resource: &Resource) -> bool {
    resource.collection.starts_with(HASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, kind: &str, hash: &str) -> APIResource {
        let hash = Some(hash.to_owned()).filter(|hash| !hash.is_empty());
        APIResource { name: name.into(), kind: kind.into(), storage_version_hash: hash, ..APIResource::default() }
    }

    #[test]
    fn versions_with_one_hash_are_the_same_objects() {
        let rows = [
            ("apps/v1", found("deployments", "Deployment", "h")),
            ("extensions/v1beta1", found("deployments", "Deployment", "h")),
            ("apps/v1", found("deployments/scale", "Scale", "")),
            ("metrics.k8s.io/v1", found("pods", "PodMetrics", "")),
            ("metrics.k8s.io/v1beta1", found("pods", "PodMetrics", "")),
        ];
        let registry = Registry::default().with_custom(rows.iter().filter_map(|(version, found)| row(version, found)));
        let same = |group: &str, version: &str, plural: &str| {
            registry.in_collection(&registry.find(group, version, plural).unwrap().collection).len()
        };
        assert_eq!(same("apps", "v1", "deployments"), 2);
        assert_eq!(same("metrics.k8s.io", "v1", "pods"), 1);
        assert!(!has_hash(&registry.find("metrics.k8s.io", "v1", "pods").unwrap()));
        assert_eq!(registry.all().count(), 4, "a subresource is none");
    }
}
