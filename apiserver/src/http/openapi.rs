//! OpenAPI: what may be done with each resource and what its objects may hold. kubectl explains kinds, validates objects
//! and chooses patch types by it.
//!
//! ```text
//!  table of kinds ─► operations ─┬─► v3: one JSON document for each group and version, and an index with their hashes
//!                  └ definitions ┴─► v2: one document for all, JSON and, for kubectl before 1.24, gnostic's protobuf
//! ```

mod definitions;
mod operations;
mod protobuf;
mod schema;
mod v2;
mod v3;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value as Json, json};

use super::discovery::{Document, Group, accept, in_order};
use crate::resources::{Registry, Resource, Schema};

/// `Content-Type` of the v2 document in protobuf.
pub const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// The same as clients before 1.25 ask for it.
const PROTOBUF_BEFORE: &str = "com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// Every named schema of the built-in types.
type Named = BTreeMap<String, Arc<Schema>>;

/// The documents of one state of the table of kinds. Each is made when it is first asked for.
#[derive(Debug)]
pub struct OpenApi {
    /// By path without the leading slash: `api/v1`, `apis/apps/v1`.
    versions: BTreeMap<String, Arc<GroupVersion>>,
    groups: Vec<Group>,
    registry: Arc<Registry>,
    index: OnceLock<Document>,
    v2: OnceLock<Document>,
    v2_protobuf: OnceLock<Document>,
}

/// One group and version; kept while its resources stay the same.
#[derive(Debug)]
struct GroupVersion {
    resources: Vec<Arc<Resource>>,
    document: OnceLock<Document>,
}

impl OpenApi {
    /// The documents of `registry`. Documents of `previous` whose resources did not change are kept.
    pub fn new(registry: &Arc<Registry>, previous: Option<&Self>) -> Self {
        let groups = in_order(registry.all());
        let versions = groups.iter().flat_map(|group| {
            let path = |version| group.path(version);
            group.versions.iter().map(move |version| (path(version), kept_or_new(&path(version), &version.resources, previous)))
        });
        let versions = versions.collect();
        let (index, v2, v2_protobuf) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        OpenApi { versions, groups, registry: Arc::clone(registry), index, v2, v2_protobuf }
    }

    /// `/openapi/v3`: where the document of each group and version is, and its hash.
    pub fn index(&self) -> &Document {
        self.index.get_or_init(|| {
            let paths: Map<String, Json> = self
                .versions
                .iter()
                .map(|(path, version)| {
                    let url = versioned_url(path, &self.made(version).etag);
                    (path.clone(), json!({ "serverRelativeURL": url }))
                })
                .collect();
            Document::new("application/json", json!({ "paths": paths }).to_string())
        })
    }

    /// `/openapi/v3/<path>`, such as `apis/apps/v1`.
    pub fn group_version(&self, path: &str) -> Option<&Document> {
        self.versions.get(path).map(|version| self.made(version))
    }

    /// `/openapi/v2` to a client that sent `accept`; `None` if it takes neither form.
    pub fn v2(&self, accept: Option<&str>) -> Option<&Document> {
        let header = accept.filter(|header| !header.trim().is_empty()).unwrap_or("*/*");
        accept::clauses(header).into_iter().find_map(|clause| {
            let protobuf = PROTOBUF.strip_prefix("application/").unwrap_or(PROTOBUF);
            if clause.takes("application", "json") {
                Some(self.v2_json())
            } else if clause.takes("application", protobuf) || clause.takes("application", PROTOBUF_BEFORE) {
                Some(self.v2_protobuf())
            } else {
                None
            }
        })
    }

    fn v2_json(&self) -> &Document {
        self.v2.get_or_init(|| Document::new("application/json", self.v2_value().to_string()))
    }

    fn v2_protobuf(&self) -> &Document {
        self.v2_protobuf.get_or_init(|| Document::new(PROTOBUF, protobuf::encode(&self.v2_value())))
    }

    fn v2_value(&self) -> Json {
        let resources: Vec<&Resource> = self
            .groups
            .iter()
            .flat_map(|group| &group.versions)
            .flat_map(|version| version.resources.iter().map(AsRef::as_ref))
            .collect();
        v2::document(&resources, self.registry.definitions())
    }

    fn made<'a>(&self, version: &'a GroupVersion) -> &'a Document {
        version.document.get_or_init(|| {
            let resources: Vec<&Resource> = version.resources.iter().map(AsRef::as_ref).collect();
            Document::new("application/json", v3::document(&resources, self.registry.definitions()).to_string())
        })
    }
}

/// Where a version's document is served, with its hash: it may be cached for good there.
pub fn versioned_url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

fn kept_or_new(path: &str, resources: &[Arc<Resource>], previous: Option<&OpenApi>) -> Arc<GroupVersion> {
    let kept = previous.and_then(|previous| previous.versions.get(path)).filter(|kept| {
        kept.resources.len() == resources.len() && kept.resources.iter().zip(resources).all(|(a, b)| Arc::ptr_eq(a, b))
    });
    kept.cloned().unwrap_or_else(|| Arc::new(GroupVersion { resources: resources.to_vec(), document: OnceLock::new() }))
}

#[cfg(test)]
mod tests;
