//! Nothing is created in a namespace that does not exist or is going, and three namespaces stay. Source of rules and texts:
//! `apiserver` `pkg/admission/plugin/namespace/lifecycle`.
//!
//! Upstream waits 50 ms for its cache and asks again after a recent delete; here the latest snapshot holds every write that
//! was answered, so one look is enough.

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde_json::Value as Json;

use super::{Attributes, Mutating, Operation, forbidden, text};
use crate::status::{Cause, Status};
use crate::storage::{Key, Store};

/// What the namespaces themselves are called in the store.
const COLLECTION: &str = "core/namespaces";
/// They are made at the start and never go.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// The stage.
#[derive(Debug)]
pub struct NamespaceLifecycle {
    store: Store,
}

impl NamespaceLifecycle {
    /// The stage, as switches and metrics call it.
    pub const NAME: &str = "NamespaceLifecycle";

    /// Looks namespaces up in `store`.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    fn check(&self, request: &Attributes) -> Result<(), Status> {
        let resource = &request.resource;
        let is_namespace = request.is_about_namespace();
        if request.operation == Operation::Delete {
            // A subresource of a namespace is never deleted.
            let stays = is_namespace && IMMORTAL.contains(&request.name.as_str());
            return if stays { Err(forbidden(request, "this namespace may not be deleted")) } else { Ok(()) };
        }
        // Saying which namespaces exist would tell a caller more than the review itself may.
        let is_review = resource.group == "authorization.k8s.io" && resource.plural == "localsubjectaccessreviews";
        if is_namespace || is_review || request.namespace.is_empty() || request.operation == Operation::Connect {
            return Ok(());
        }
        let is_going = self.is_going(&request.namespace)?;
        if is_going && request.operation == Operation::Create { Err(terminating(request)) } else { Ok(()) }
    }

    /// Whether the namespace is being deleted; one that does not exist is an error.
    fn is_going(&self, name: &str) -> Result<bool, Status> {
        let key = Key { collection: COLLECTION.into(), namespace: "".into(), name: name.into() };
        let snapshot = self.store.snapshot();
        // One that is not initialized is not there yet: what makes it safe to use may still be missing.
        let record = snapshot.get(&key).filter(|record| !record.uninitialized).ok_or_else(|| Status::no_namespace(name))?;
        let namespace: Json = serde_json::from_slice(&record.value)
            .map_err(|error| Status::internal(format!("the stored namespace {name} cannot be read: {error}")))?;
        let is_stamped = !text(&namespace, "/metadata/deletionTimestamp").is_empty();
        Ok(is_stamped || text(&namespace, "/status/phase") == "Terminating")
    }
}

impl Mutating for NamespaceLifecycle {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>> {
        std::future::ready(self.check(request)).boxed_local()
    }
}

fn terminating(request: &Attributes) -> Status {
    let namespace = &request.namespace;
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    forbidden(request, why).with_cause(Cause {
        reason: "NamespaceTerminating".into(),
        message: format!("namespace {namespace} is being terminated"),
        field: "metadata.namespace".into(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::admission::testing::{attributes, put, resource, store};

    async fn stage() -> NamespaceLifecycle {
        let store = store();
        let namespace = |name: &str, phase: &str| json!({"metadata": {"name": name}, "status": {"phase": phase}});
        put(&store, COLLECTION, namespace("shop", "Active")).await;
        put(&store, COLLECTION, namespace("old", "Terminating")).await;
        let deleting = json!({"metadata": {"name": "stamped", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        put(&store, COLLECTION, deleting).await;
        NamespaceLifecycle::new(store)
    }

    fn write(operation: Operation, namespace: &str) -> Attributes {
        let mut request = attributes(operation, json!({"metadata": {"name": "web"}}));
        request.namespace = namespace.into();
        request
    }

    #[tokio::test]
    async fn nothing_is_created_in_a_namespace_that_is_missing_or_going() {
        let stage = stage().await;
        let code = |operation, namespace| stage.check(&write(operation, namespace)).map_err(|status| status.code);
        for (operation, namespace, expected) in [
            (Operation::Create, "shop", Ok(())),
            (Operation::Create, "none", Err(404)),
            (Operation::Create, "old", Err(403)),
            (Operation::Create, "stamped", Err(403)),
            (Operation::Update, "old", Ok(())),
            (Operation::Update, "none", Err(404)),
            (Operation::Delete, "old", Ok(())),
            (Operation::Delete, "none", Ok(())),
            (Operation::Connect, "old", Ok(())),
            (Operation::Connect, "none", Ok(())),
            (Operation::Create, "", Ok(())),
        ] {
            assert_eq!(code(operation, namespace), expected, "{operation:?} in `{namespace}`");
        }
    }

    #[tokio::test]
    async fn the_texts_are_kubernetes_own() {
        let stage = stage().await;
        let missing = stage.check(&write(Operation::Create, "none")).unwrap_err();
        assert_eq!(missing.message, r#"namespaces "none" not found"#);
        let going = stage.check(&write(Operation::Create, "old")).unwrap_err();
        let why = "unable to create new content in namespace old because it is being terminated";
        assert_eq!(going.message, format!(r#"replicasets.apps "web" is forbidden: {why}"#));
        let cause = &going.details.unwrap().causes[0];
        assert_eq!((cause.reason.as_str(), cause.field.as_str()), ("NamespaceTerminating", "metadata.namespace"));
    }

    #[tokio::test]
    async fn three_namespaces_stay_and_reviews_learn_nothing() {
        let stage = stage().await;
        let mut request = write(Operation::Delete, "");
        request.resource = Arc::new(resource("", "v1", "Namespace", "namespaces"));
        for (name, stays) in [("default", true), ("kube-system", true), ("kube-public", true), ("shop", false)] {
            request.name = name.into();
            assert_eq!(stage.check(&request).is_err(), stays, "{name}");
        }
        request.name = "default".into();
        let message = stage.check(&request).unwrap_err().message;
        assert_eq!(message, r#"namespaces "default" is forbidden: this namespace may not be deleted"#);
        let mut review = write(Operation::Create, "none");
        let group = "authorization.k8s.io";
        review.resource = Arc::new(resource(group, "v1", "LocalSubjectAccessReview", "localsubjectaccessreviews"));
        assert!(stage.check(&review).is_ok());
    }

    /// Upstream needs a wait and a live read for this; see the module's doc.
    #[tokio::test]
    async fn a_new_namespace_takes_objects_at_once() {
        let store = store();
        let stage = NamespaceLifecycle::new(store.clone());
        for number in 0..10_000 {
            let name = format!("n{number}");
            put(&store, COLLECTION, json!({"metadata": {"name": name}, "status": {"phase": "Active"}})).await;
            stage.check(&write(Operation::Create, &name)).unwrap();
        }
    }
}
