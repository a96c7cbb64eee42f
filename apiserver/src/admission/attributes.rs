//! What admission is told of a write.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value as Json;

use super::Reinvocation;
use super::remote::{NotFresh, Registrations};
use super::webhook::Hooks;
use crate::audit::Trail;
use crate::authn::User;
use crate::resources::{Registry, Resource};
use crate::storage::Snapshot;

/// A write on its way to the store, or a stream that somebody wants to open.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// What is done.
    pub operation: Operation,
    /// The table of kinds as it was when the request began.
    pub registry: Arc<Registry>,
    /// In the version of the request.
    pub resource: Arc<Resource>,
    /// Empty for the object itself; otherwise `status`, `scale`, `finalize`, or the name of a [`crate::resources::connect::Connect`].
    pub subresource: String,
    /// Empty for what has no namespace.
    pub namespace: String,
    /// Empty while `generateName` has not been resolved.
    pub name: String,
    /// The object as it would be stored, in the version of the request; `None` for a delete; of a stream its options.
    pub object: Option<Json>,
    /// The object as it is stored, in the version of the request; `None` for a create.
    pub old: Option<Arc<Json>>,
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions`, as the caller gave them; null where there are none.
    pub options: Json,
    /// Who asks.
    pub user: User,
    /// Nothing will be stored: no side effects.
    pub dry_run: bool,
    /// The answer must be there by then.
    pub deadline: Instant,
    /// For the user, one `Warning` header each.
    pub warnings: RefCell<Vec<String>>,
    /// For the audit log.
    pub trail: Trail,
    /// The configurations that were in force when admission began.
    pub configuration: InForce,
    /// The second pass of the mutating phase.
    pub reinvocation: Reinvocation,
    /// The update makes an object visible that nobody else has seen: what judges new objects judges it too.
    pub reveals: bool,
}

/// The configurations that judge a request, taken once, so that every stage finds the same ones.
#[derive(Clone, Debug, Default)]
pub struct InForce {
    /// The store, with the configurations of webhooks and initializers in it.
    pub stored: Snapshot,
    /// The webhooks of manifests.
    pub manifests: Arc<Hooks>,
    /// The configurations of another API server, which count in the place of those in `stored`; an error where they are not known.
    pub remote: Option<Result<Arc<Registrations>, Arc<NotFresh>>>,
}

impl Attributes {
    /// Whether a Namespace itself is written, or a part of it.
    pub fn is_about_namespace(&self) -> bool {
        self.resource.group.is_empty() && self.resource.plural == "namespaces"
    }

    /// Returns the namespace as webhooks are told it: that of a Namespace is the Namespace itself.
    pub fn told_namespace(&self) -> &str {
        if self.is_about_namespace() { &self.name } else { &self.namespace }
    }
}

/// Kubernetes' admission operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum Operation {
    Create,
    Update,
    Delete,
    Connect,
}

impl Operation {
    /// As reviews and metrics spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }

    /// Returns the kind of the options that a request of this operation takes; a stream has them as its object.
    pub fn options_kind(self) -> Option<&'static str> {
        match self {
            Self::Create => Some("CreateOptions"),
            Self::Update => Some("UpdateOptions"),
            Self::Delete => Some("DeleteOptions"),
            Self::Connect => None,
        }
    }
}
