//! The admission chain: every write passes all mutating stages, then all validating ones.
//!
//! ```text
//!  write ─► NamespaceLifecycle ─► Initializers ─► SchedulingPolicy ─► MutatingAdmissionWebhook ─┐ twice, if a webhook
//!                                                                                ┌──────────────┘ changed the object
//!                                                                                ▼
//!                                                                 default, prune, validate
//!                                                                               ▼
//!  store ◄── ValidatingAdmissionWebhook ◄── PolicyConfigMap ◄── FailOpenCreation ◄── RBACEscalation ◄┘
//! ```

pub mod attributes;
pub mod chain;
pub mod configuration;
pub mod enablement;
pub mod engine;
pub mod escalation;
pub mod events;
pub mod fail_open_creation;
pub mod initializers;
pub mod kubeconfig;
pub mod metrics;
pub mod namespace_lifecycle;
pub mod outbound;
pub mod policy_config_map;
pub mod reinvocation;
pub mod remote;
pub mod scheduling_policy;
pub mod webhook;

#[cfg(test)]
mod testing;

use std::fmt::Display;

use futures::future::LocalBoxFuture;
use serde_json::Value as Json;

pub use attributes::{Attributes, InForce, Operation};
pub use chain::Chain;
pub use fail_open_creation::FailOpenCreation;
pub use initializers::Initializers;
pub use namespace_lifecycle::NamespaceLifecycle;
pub use policy_config_map::PolicyConfigMap;
pub use reinvocation::Reinvocation;
pub use scheduling_policy::SchedulingPolicy;

use plimsoll_contract::exempt::POLICY_NAMESPACE;

use crate::status::Status;

/// The group of what registers webhooks and initializers.
pub const REGISTRATION: &str = "admissionregistration.k8s.io";

/// A stage that may change the object.
pub trait Mutating: Send + Sync {
    /// Such as `SchedulingPolicy`; a closed set, used as a label.
    fn name(&self) -> &'static str;
    /// Changes `request.object`, or refuses it.
    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>>;
}

/// A stage that sees the object as it will be stored.
pub trait Validating: Send + Sync {
    /// Such as `PolicyConfigMap`; a closed set, used as a label.
    fn name(&self) -> &'static str;
    /// Refuses it, or not; then with warnings for the user.
    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>>;
}

/// A stage's refusal, in the words of `apiserver` `pkg/admission/errors.go`: an object whose name is not drawn yet is called
/// by its `generateName`.
pub fn forbidden(request: &Attributes, why: impl Display) -> Status {
    Status::forbidden(&request.resource, called(request), why)
}

fn called(request: &Attributes) -> &str {
    let field = |pointer| request.object.as_ref()?.pointer(pointer)?.as_str().filter(|text| !text.is_empty());
    match request.name.as_str() {
        "" => field("/metadata/name").or_else(|| field("/metadata/generateName")).unwrap_or("Unknown"),
        name => name,
    }
}

/// A text of the object at hand; empty if there is none.
fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}
