//! The admission chain: every write passes all mutating stages, then all validating ones.

pub mod attributes;

use futures::future::LocalBoxFuture;

pub use attributes::{Attributes, Operation};

use crate::status::Status;

/// A stage that may change the object.
pub trait Mutating: Send + Sync {
    /// Such as `SchedulingPolicy`; a closed set, used as a label.
    fn name(&self) -> &'static str;
    /// Changes `request.object`, or refuses it.
    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>>;
}

/// A stage that sees the object as it will be stored.
pub trait Validating: Send + Sync {
    /// Such as `NamespaceLifecycle`; a closed set, used as a label.
    fn name(&self) -> &'static str;
    /// Refuses it, or not.
    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<(), Status>>;
}
