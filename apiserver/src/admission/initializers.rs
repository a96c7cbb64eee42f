//! `Initializers`: who must look at a new object before anybody else sees it, and who may have a say in that. Source of rules
//! and texts: `apiserver` `pkg/admission/plugin/initialization` and `pkg/admission/configuration`, 1.7 to 1.13.
//!
//! ```text
//!   store ─► configuration (in force from the commit on)
//!               │
//!   create ─► no initializers sent: those whose rules match are asked, in order
//!          └► sent: only by who may `initialize`; `{}` skips them
//!   update ─► of an uninitialized object: only by who may `initialize`
//! ```
//!
//! Departures from upstream. A rule of several is enough, as the type's comment says; the code wanted all. Configurations are
//! part of the snapshot that a request is judged by, so nothing is polled but where another API server has them (`remote`), and
//! otherwise one that cannot be read is the only reason to refuse with `LoadingConfiguration`. Kinds of `admissionregistration.k8s.io` get no initializers: one for everything whose
//! controller is gone would keep its own configuration from being repaired. Mirror pods get none if a node, or who may
//! `initialize`, makes them: the annotation alone is anybody's to write. In the second pass of the mutating phase, which 1.13
//! had not, nothing is asked again.

mod authorization;
mod configuration;
mod duplicates;
mod metrics;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use serde_json::Value as Json;

use super::remote::Stage;
use super::{Attributes, Mutating, Operation, REGISTRATION, forbidden};
use crate::authz::Authorizer;
use crate::resources::initializers;
use crate::resources::object;
use crate::resources::validate::initializers::COLLECTION;
use crate::status::Status;

pub use authorization::{Target, may_initialize};
pub use configuration::{Configurations, Initializer, LoadError, of_object};
pub use metrics::{FailOpen, Metrics};

/// Put on pods that a node runs by itself; the server only shows them.
const MIRROR: &str = "kubernetes.io/config.mirror";
const NODES: &str = "system:nodes";

/// The stage.
#[derive(Debug)]
pub struct Initializers {
    authorizer: Arc<Authorizer>,
    configurations: Arc<Configurations>,
}

impl Initializers {
    /// The stage, as switches and metrics call it.
    pub const NAME: &str = "Initializers";

    /// Asks `authorizer` who may `initialize`.
    pub fn new(authorizer: Arc<Authorizer>, configurations: Arc<Configurations>) -> Self {
        Self { authorizer, configurations }
    }

    fn judge(&self, request: &mut Attributes) -> Result<(), Status> {
        if !request.subresource.is_empty() || request.reinvocation.round() > 0 {
            return Ok(());
        }
        let checked = match request.operation {
            Operation::Create => self.create(request),
            Operation::Update => self.update(request),
            Operation::Delete | Operation::Connect => Ok(()),
        };
        if *request.resource.collection == *COLLECTION && checked.is_ok() {
            let told = duplicates::warnings(request);
            request.warnings.get_mut().extend(told);
        }
        checked
    }

    fn create(&self, request: &mut Attributes) -> Result<(), Status> {
        let Some(object) = &request.object else { return Ok(()) };
        if initializers::of(object).is_some() {
            self.may_initialize(request, "create with initializers denied")?;
            drop_empty(request);
            return Ok(());
        }
        if request.resource.group == REGISTRATION || self.is_mirror(request, object) {
            return Ok(());
        }
        let names = match &request.configuration.remote {
            Some(Ok(remote)) => wanted(remote.initializers.iter().map(Arc::as_ref), request),
            Some(Err(late)) => return Err(late.refusal(Stage::Initializers, &request.resource)),
            None => {
                let stored = self.configurations.at(&request.configuration.stored);
                let stored = stored.as_ref().as_ref().map_err(|error| error.refusal(&request.resource))?;
                wanted(stored.iter(), request)
            }
        };
        if let Some(object) = &mut request.object {
            initializers::assign(object, names.iter().map(String::as_str));
        }
        Ok(())
    }

    fn update(&self, request: &mut Attributes) -> Result<(), Status> {
        drop_empty(request);
        let (Some(new), Some(old)) = (&request.object, &request.old) else { return Ok(()) };
        if initializers::of(new).is_none() && initializers::of(old).is_none() {
            return Ok(());
        }
        if let Some(fault) = initializers::change(old, new) {
            return Err(Status::invalid(&request.resource, &request.name, &[fault]));
        }
        self.may_initialize(request, "update to uninitialized resource denied")?;
        if !initializers::is_in_turn(old, new) {
            // Nobody else is asked; whoever looks for the reason must find it somewhere.
            let (user, resource) = (&request.user.name, request.resource.qualified());
            tracing::warn!(user, resource, request.namespace, request.name, "initializers were changed out of turn");
        }
        Ok(())
    }

    fn may_initialize(&self, request: &Attributes, denied: &str) -> Result<(), Status> {
        let may = may_initialize(&self.authorizer, &request.user, &Target::of(request));
        may.map_err(|reason| forbidden(request, format_args!("{denied}: {reason}")))
    }

    fn is_mirror(&self, request: &Attributes, object: &Json) -> bool {
        let is_pod = *request.resource.collection == *"core/pods";
        let is_marked = || object::field(object, "annotations").is_some_and(|all| all.get(MIRROR).is_some());
        let is_node = || request.user.groups.iter().any(|group| group == NODES);
        is_pod && is_marked() && (is_node() || may_initialize(&self.authorizer, &request.user, &Target::of(request)).is_ok())
    }
}

impl Mutating for Initializers {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>> {
        ready(self.judge(request)).boxed_local()
    }
}

/// The names of those that are to be asked about a create, in their order.
fn wanted<'a>(configured: impl Iterator<Item = &'a Initializer>, request: &Attributes) -> Vec<String> {
    configured.filter(|one| one.wants(request)).map(|one| one.name.clone()).collect()
}

/// Takes an empty `initializers` off the object: it says that nobody is to be asked, and is not stored.
fn drop_empty(request: &mut Attributes) {
    if let Some(object) = request.object.as_mut().filter(|object| initializers::is_explicitly_empty(object)) {
        initializers::assign(object, []);
    }
}

#[cfg(test)]
mod tests;
