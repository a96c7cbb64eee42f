//! What admission is told of a write.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value as Json;

use crate::authn::User;
use crate::resources::Resource;

/// A write on its way to the store.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// What is done.
    pub operation: Operation,
    /// In the version of the request.
    pub resource: Arc<Resource>,
    /// Empty for the object itself; otherwise `status`, `scale`, `finalize`.
    pub subresource: String,
    /// Empty for what has no namespace.
    pub namespace: String,
    /// Empty while `generateName` has not been resolved.
    pub name: String,
    /// The object as it would be stored, in the version of the request; `None` for a delete.
    pub object: Option<Json>,
    /// The object as it is stored, in the version of the request; `None` for a create.
    pub old: Option<Arc<Json>>,
    /// Who asks.
    pub user: User,
    /// Nothing will be stored: no side effects.
    pub dry_run: bool,
    /// The answer must be there by then.
    pub deadline: Instant,
    /// For the user, one `Warning` header each.
    pub warnings: Vec<String>,
}

/// Kubernetes' admission operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum Operation {
    Create,
    Update,
    Delete,
}
