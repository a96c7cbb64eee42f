//! One call: what both kinds of webhooks do alike, and what its end means.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::client::Caller;
use super::configuration::{Configurations, Hooks, Webhook};
use super::error::{CallError, denied, no_dry_run};
use super::matching::is_exempt;
use super::metrics::{Called, ErrorType, Metrics, Type};
use super::noted::Place;
use super::plugin::Stages;
use super::review::{Patch, Review};
use super::services::Services;
use super::spec::FailurePolicy;
use crate::admission::Attributes;
use crate::admission::remote::Stage;
use crate::audit::Trail;
use crate::authz::Authorizer;
use crate::resources::Resource;
use crate::status::Status;
use crate::storage::Store;

/// What the two stages share: configurations, connections, counters.
#[derive(Debug)]
pub struct Calls {
    pub(super) store: Store,
    /// Who answers the questions of match conditions.
    pub(super) authorizer: Arc<Authorizer>,
    configurations: Configurations,
    mutating: Caller,
    validating: Caller,
    pub(super) metrics: Metrics,
}

impl Calls {
    /// Namespaces are those of `store`, and so are configurations unless a request brings those of another API server; `stages` says who
    /// the server is to webhooks.
    pub fn new(store: Store, services: Services, authorizer: Arc<Authorizer>, stages: Stages, metrics: Metrics) -> Self {
        let caller = |users| Caller::new(services.clone(), users);
        let (mutating, validating) = (caller(stages.mutating.users), caller(stages.validating.users));
        Self { store, authorizer, configurations: Configurations::default(), mutating, validating, metrics }
    }

    /// The webhooks of a stage that are in force for a request: those of manifests, then those of the API, which never see what registers
    /// webhooks. Fails when one of the API cannot be read, or what another API server has was not read lately: none is passed over silently.
    pub(super) fn hooks(&self, request: &Attributes, chosen: fn(&Hooks) -> &[Arc<Webhook>]) -> Result<Vec<Arc<Webhook>>, Status> {
        let mut hooks = chosen(&request.configuration.manifests).to_vec();
        if is_exempt(request) {
            return Ok(hooks);
        }
        match &request.configuration.remote {
            Some(Ok(remote)) => hooks.extend_from_slice(chosen(&remote.hooks)),
            Some(Err(late)) => return Err(late.refusal(Stage::Webhooks, &request.resource)),
            None => {
                let stored = self.configurations.at(&request.configuration.stored);
                hooks.extend_from_slice(chosen(stored.as_ref().as_ref().map_err(Status::internal)?));
            }
        }
        Ok(hooks)
    }

    /// Asks a webhook; gives its patch, which is empty if there is none. Its warnings and notes for the audit log count whatever it says.
    pub(super) async fn ask(
        &self,
        hook: &Webhook,
        resource: &Resource,
        request: &Attributes,
        kind: Type,
    ) -> Result<Patch, CallError> {
        let spec = &hook.spec;
        if request.dry_run && !spec.is_harmless() {
            return Err(CallError::Impossible(no_dry_run(&spec.name)));
        }
        let review = match hook.spec.is_external() {
            true => Review::external(resource, request),
            false => Review::new(&spec.admission_review_versions, resource, request, kind == Type::Admit),
        };
        let review = review.map_err(CallError::Failed)?;
        let limit = spec.timeout().min(left(request));
        let caller = if kind == Type::Admit { &self.mutating } else { &self.validating };
        let body = caller.post(&spec.client_config, review.body.clone(), limit).await.map_err(CallError::Failed)?;
        let answer = review.read(&body).map_err(CallError::Failed)?;
        request.warnings.borrow_mut().extend(answer.warnings);
        request.trail.quote(&spec.name, answer.audit_annotations);
        if answer.allowed { Ok(answer.patch) } else { Err(CallError::Denied(denied(&spec.name, answer.status.as_ref()))) }
    }

    /// Counts the end of a call; `None` for a failed one that is passed over.
    pub(super) fn end<T>(
        &self,
        (hook, called, place): (&Webhook, Called<'_>, Place),
        result: Result<T, CallError>,
        took: Duration,
        trail: &Trail,
    ) -> Result<Option<T>, Status> {
        let error = match result {
            Ok(value) => {
                self.metrics.called(called, 200, false, took);
                return Ok(Some(value));
            }
            Err(error) => error,
        };
        let (error_type, code, status) = match error {
            CallError::Failed(fault) if hook.spec.failure_policy == FailurePolicy::Ignore => {
                self.metrics.called(called, fault.code(), false, took);
                self.metrics.failed_open(called);
                place.failed_open(trail, hook);
                tracing::warn!(webhook = called.name, configuration = %hook.configuration, %fault, "a webhook failed and is passed over");
                return Ok(None);
            }
            CallError::Failed(fault) => {
                (ErrorType::CallingWebhook, fault.code(), fault.status(called.name, hook.spec.is_external()))
            }
            CallError::Denied(status) => (ErrorType::None, status.code, status),
            CallError::Impossible(status) => (ErrorType::Internal, 0, status),
        };
        self.metrics.rejected(called, error_type, code);
        self.metrics.called(called, code, true, took);
        Err(status)
    }
}

/// How long the request may still take.
pub(super) fn left(request: &Attributes) -> Duration {
    request.deadline.saturating_duration_since(Instant::now())
}

/// Fails when the request has no time left, as upstream says it where a webhook was passed over for that reason.
pub(super) fn in_time(request: &Attributes) -> Result<(), Status> {
    let late = || Status::timeout("request did not complete within requested timeout");
    if left(request).is_zero() { Err(late()) } else { Ok(()) }
}
