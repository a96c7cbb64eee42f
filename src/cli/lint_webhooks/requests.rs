//! Requests that a hook should not be called for.

use std::sync::Arc;

use plimsoll_apiserver::admission::{Attributes, Operation};
use plimsoll_apiserver::authn::User;
use plimsoll_apiserver::resources::{Registry, Scope};
use serde_json::{Value as Json, json};

use crate::cli::predict::request::{Asked, attributes};
use crate::cli::predict::served::bare;

/// Group, version, kind and plural of a resource.
pub(super) type Names = (&'static str, &'static str, &'static str, &'static str);

pub(super) const PODS: Names = ("", "v1", "Pod", "pods");
pub(super) const ENDPOINTS: Names = ("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices");
/// Resources that are written all the time, or that authentication and authorization depend on.
pub(super) const BUSY: [(Names, Scope); 6] = [
    (("coordination.k8s.io", "v1", "Lease", "leases"), Scope::Namespaced),
    (("", "v1", "Event", "events"), Scope::Namespaced),
    (("events.k8s.io", "v1", "Event", "events"), Scope::Namespaced),
    (("authentication.k8s.io", "v1", "TokenReview", "tokenreviews"), Scope::Cluster),
    (("authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews"), Scope::Cluster),
    (("authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews"), Scope::Cluster),
];

/// Returns a request that creates an object with these labels; its user has no name.
pub(super) fn creation(names: Names, scope: Scope, namespace: &str, labels: &Json) -> Attributes {
    let (group, version, kind, plural) = names;
    let metadata = match scope {
        Scope::Namespaced => json!({"name": "x", "labels": labels, "namespace": namespace}),
        Scope::Cluster => json!({"name": "x", "labels": labels}),
    };
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    attributes(Asked {
        operation: Operation::Create,
        registry: Arc::new(Registry::default()),
        resource: Arc::new(bare(group, version, kind, plural, scope)),
        object: json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}),
        old: None,
        user: User::default(),
    })
}

/// Returns a request that updates the object of [`creation`] without a change.
pub(super) fn update(names: Names, scope: Scope, namespace: &str, labels: &Json) -> Attributes {
    let created = creation(names, scope, namespace, labels);
    Attributes { operation: Operation::Update, old: created.object.clone().map(Arc::new), ..created }
}
