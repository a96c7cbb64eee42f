//! Discovery: which groups, versions and resources are served, in the three forms that clients ask for.
//!
//! `/api` and `/apis` with their children as ever; and both roots in one document each, the aggregated form (KEP-3352),
//! which a client gets when its `Accept` names it. All of it is made from the table of kinds.

pub mod accept;
mod aggregated;
mod document;
mod groups;
mod lists;
mod per_registry;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::resources::Resource;

pub use document::Document;
pub use groups::{Group, Version, in_order};
pub use per_registry::PerRegistry;

/// Everything that discovery can answer for one state of the table of kinds.
#[derive(Debug)]
pub struct Discovery {
    /// By path, such as `/apis/apps/v1`.
    plain: BTreeMap<String, Document>,
    /// By path and version of `apidiscovery.k8s.io`.
    aggregated: BTreeMap<(&'static str, aggregated::Form), Document>,
}

impl Discovery {
    /// Discovery of `resources`, served at `address` (host and port, as clients are told in `/api`).
    pub fn new<'a>(resources: impl IntoIterator<Item = &'a Arc<Resource>>, address: &str) -> Self {
        let groups = in_order(resources);
        let (core, named): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|group| group.name.is_empty());
        Discovery { plain: lists::documents(&core, &named, address), aggregated: aggregated::documents(&core, &named) }
    }

    /// What is served at `path` (with or without a slash at the end) to a client that sent `accept`.
    pub fn document(&self, path: &str, accept: Option<&str>) -> Option<&Document> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let form = accept.and_then(aggregated::asked_for);
        let root = ["/api", "/apis"].into_iter().find(|root| *root == path);
        match (root, form) {
            (Some(root), Some(form)) => self.aggregated.get(&(root, form)),
            _ => self.plain.get(path),
        }
    }
}

#[cfg(test)]
pub(in crate::http) mod tests;
