//! `MutatingAdmissionWebhook`: one webhook after the other, each sees what the one before left. Source: `apiserver`
//! `pkg/admission/plugin/webhook/mutating/dispatcher.go`.

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde_json::Value as Json;

use super::call::{Calls, in_time};
use super::configuration::Webhook;
use super::error::CallError;
use super::matching::wanted;
use super::metrics::{Called, Type};
use super::noted::Place;
use super::review::{Patch, scale_of, shown};
use super::spec::ReinvocationPolicy;
use crate::admission::{Attributes, Mutating, Operation};
use crate::patch::{self, PatchError};
use crate::resources::{FieldValidation, Resource, convert, scale};
use crate::status::Status;
use crate::storage::OBJECT_LIMIT;

/// The stage.
#[derive(Debug)]
pub struct MutatingWebhooks(Arc<Calls>);

/// Why a webhook's patch makes no object that can be stored.
#[derive(Debug, thiserror::Error)]
enum ApplyError {
    /// The patch does not fit the object.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The patch changes `kind` or `apiVersion`.
    #[error("it makes an object of another kind")]
    Kind,
    /// A field has a value of another type.
    #[error(transparent)]
    Undecodable(#[from] Status),
    /// The patch adds more than can be stored.
    #[error("the object would be larger than {OBJECT_LIMIT} bytes")]
    TooLarge,
}

impl MutatingWebhooks {
    /// The stage, as configurations and metrics call it.
    pub const NAME: &str = "MutatingAdmissionWebhook";

    /// Calls by `calls`, which the validating stage shares.
    pub fn new(calls: Arc<Calls>) -> Self {
        Self(calls)
    }

    async fn dispatch(&self, request: &mut Attributes) -> Result<(), Status> {
        let hooks = self.0.hooks(request, |hooks| &hooks.mutating)?;
        if hooks.is_empty() {
            return Ok(());
        }
        request.reinvocation.enter(request.object.as_ref());
        for (index, hook) in hooks.iter().enumerate() {
            let Some(resource) = wanted(hook, request, &self.0.store)? else { continue };
            let called = Called { name: &hook.spec.name, kind: Type::Admit, operation: request.operation };
            if self.0.meets_conditions(hook, &resource, request, called)? && request.reinvocation.calls(&hook.uid) {
                let place = Place::Mutating(request.reinvocation.round(), index);
                self.call((hook, called, place), &resource, request).await?;
            }
        }
        request.reinvocation.leave(request.object.as_ref());
        Ok(())
    }

    /// Calls one webhook and makes its change.
    async fn call(
        &self,
        call @ (hook, _, place): (&Webhook, Called<'_>, Place),
        resource: &Resource,
        request: &mut Attributes,
    ) -> Result<(), Status> {
        let start = Instant::now();
        let answer = self.0.ask(hook, resource, request, Type::Admit).await;
        let result = answer.and_then(|patch| patched(hook, resource, request, &patch));
        place.mutated(&request.trail, hook, matches!(result, Ok(Some(_))));
        let changed = match self.0.end(call, result, start.elapsed(), &request.trail)? {
            Some(changed) => changed,
            None => {
                in_time(request)?;
                None
            }
        };
        if let Some(object) = changed {
            request.object = Some(object);
            request.reinvocation.changed();
        }
        if hook.spec.reinvocation_policy == ReinvocationPolicy::IfNeeded {
            request.reinvocation.called_willing(&hook.uid);
        }
        Ok(())
    }
}

impl Mutating for MutatingWebhooks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>> {
        self.dispatch(request).boxed_local()
    }
}

/// The object with a webhook's patch, in the version of the request, with its defaults; `None` if nothing changed.
fn patched(hook: &Webhook, resource: &Resource, request: &Attributes, patch: &Patch) -> Result<Option<Json>, CallError> {
    let Some(patch) = patch.operations().map_err(CallError::Failed)? else { return Ok(None) };
    let name = &hook.spec.name;
    let why = "attempted to modify the object, which is not supported for this operation";
    let impossible = |why: String| CallError::Impossible(Status::internal(why));
    let Some(before) = &request.object else { return Err(impossible(format!("admission webhook {name:?} {why}"))) };
    let new = apply(resource, request, before, patch);
    let mut new = new.map_err(|why| impossible(format!("the patch of admission webhook {name:?} cannot be applied: {why}")))?;
    new = convert(new, resource, &request.resource);
    Ok((new != *before).then_some(new))
}

/// Applies a patch to the object as the webhook saw it, and returns it in the webhook's version, with its defaults. Fails when the patch
/// does not fit, or what it makes is of another kind, cannot be decoded or is too large.
fn apply(resource: &Resource, request: &Attributes, before: &Json, patch: &[u8]) -> Result<Json, ApplyError> {
    let seen = shown(resource, request, before.clone());
    let patched = patch::json(&seen, patch)?;
    if patched.get("kind") != seen.get("kind") || patched.get("apiVersion") != seen.get("apiVersion") {
        return Err(ApplyError::Kind);
    }
    let mut object = match scale_of(resource, request) {
        Some(paths) => {
            let mut object = convert(before.clone(), &request.resource, resource);
            scale::set_replicas(&mut object, paths, patched.pointer("/spec/replicas").and_then(Json::as_i64).unwrap_or_default());
            object
        }
        None => patched,
    };
    // The options of a stream are not of the resource's kind.
    if request.operation != Operation::Connect {
        resource.prepare(&mut object, FieldValidation::Ignore)?;
    }
    let size = serde_json::to_vec(&object).map_or(usize::MAX, |text| text.len());
    if size > OBJECT_LIMIT { Err(ApplyError::TooLarge) } else { Ok(object) }
}
