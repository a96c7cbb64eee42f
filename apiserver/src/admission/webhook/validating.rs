//! `ValidatingAdmissionWebhook`: every webhook that matches is asked at once, after every change. Source: `apiserver`
//! `pkg/admission/plugin/webhook/validating/dispatcher.go`. Of several refusals upstream tells the one that comes first; here
//! it is the first in the order of the webhooks, so that the same request is always answered alike.

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, join_all};

use super::call::{Calls, in_time};
use super::configuration::{Hooks, Webhook};
use super::matching::wanted;
use super::metrics::{Called, Type};
use super::noted::Place;
use crate::admission::{Attributes, Validating};
use crate::resources::Resource;
use crate::status::Status;

/// The stage.
#[derive(Debug)]
pub struct ValidatingWebhooks {
    calls: Arc<Calls>,
    name: &'static str,
    chosen: fn(&Hooks) -> &[Arc<Webhook>],
}

impl ValidatingWebhooks {
    /// The stage, as configurations and metrics call it.
    pub const NAME: &str = "ValidatingAdmissionWebhook";
    /// The stage of the hooks of `v1alpha1`, by its name in Kubernetes 1.7 and 1.8.
    pub const EXTERNAL_NAME: &str = "GenericAdmissionWebhook";

    /// Calls by `calls`, which the other stages share.
    pub fn new(calls: Arc<Calls>) -> Self {
        Self { calls, name: Self::NAME, chosen: |hooks| &hooks.validating }
    }

    /// The stage of the hooks of `v1alpha1`, which could only refuse.
    pub fn external(calls: Arc<Calls>) -> Self {
        Self { calls, name: Self::EXTERNAL_NAME, chosen: |hooks| &hooks.external }
    }

    async fn dispatch(&self, request: &Attributes) -> Result<(), Status> {
        let hooks = self.calls.hooks(request, self.chosen)?;
        let mut relevant = Vec::new();
        for hook in &hooks {
            let Some(resource) = wanted(hook, request, &self.calls.store)? else { continue };
            let called = Called { name: &hook.spec.name, kind: Type::Validating, operation: request.operation };
            if self.calls.meets_conditions(hook, &resource, request, called)? {
                relevant.push((hook, resource, called));
            }
        }
        if relevant.is_empty() {
            return Ok(());
        }
        in_time(request)?;
        let calls = relevant.iter().enumerate();
        let calls = calls
            .map(|(index, (hook, resource, called))| self.call((hook, *called, Place::Validating(index)), resource, request));
        join_all(calls).await.into_iter().collect()
    }

    async fn call(
        &self,
        call @ (hook, _, _): (&Webhook, Called<'_>, Place),
        resource: &Resource,
        request: &Attributes,
    ) -> Result<(), Status> {
        let start = Instant::now();
        let result = self.calls.ask(hook, resource, request, Type::Validating).await;
        self.calls.end(call, result, start.elapsed(), &request.trail).map(drop)
    }
}

impl Validating for ValidatingWebhooks {
    fn name(&self) -> &'static str {
        self.name
    }

    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>> {
        self.dispatch(request).map(|verdict| verdict.map(|()| Vec::new())).boxed_local()
    }
}
