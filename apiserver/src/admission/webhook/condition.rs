//! Match conditions: whether a webhook whose rules match is called after all. Source: `apiserver`
//! `pkg/admission/plugin/webhook/matchconditions`.

use std::time::Instant;

use super::authorization;
use super::call::Calls;
use super::configuration::Webhook;
use super::metrics::Called;
use super::review;
use super::spec::FailurePolicy;
use crate::admission::{Attributes, called};
use crate::expression::{Authorization, CompileError, Expression};
use crate::resources::Resource;
use crate::status::Status;

/// What the conditions of one webhook may cost together, as upstream.
pub const COST_LIMIT: u64 = 2_500_000;

/// One condition. One that does not compile was stored by another version; it has no verdict.
#[derive(Debug)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// What it says.
    pub expression: Result<Expression, CompileError>,
}

impl Calls {
    /// Whether every condition of a webhook holds. One that is false decides, whatever the others say; after that the failure
    /// policy decides about those without a verdict: the request is refused, or the webhook is not called.
    pub(super) fn meets_conditions(
        &self,
        hook: &Webhook,
        resource: &Resource,
        request: &Attributes,
        subject: Called<'_>,
    ) -> Result<bool, Status> {
        if hook.conditions.is_empty() {
            return Ok(true);
        }
        let start = Instant::now();
        let verdict = verdict(hook, resource, request, &authorization::of(&self.authorizer, request));
        self.metrics.evaluated(subject, start.elapsed());
        match verdict {
            Ok(true) => Ok(true),
            Ok(false) => {
                self.metrics.excluded(subject);
                Ok(false)
            }
            Err(errors) => {
                errors.iter().for_each(|_| self.metrics.unevaluated(subject));
                let text = if let [one] = errors.as_slice() { one.clone() } else { format!("[{}]", errors.join(", ")) };
                tracing::warn!(webhook = subject.name, configuration = %hook.configuration, error = %text, "match conditions have no verdict");
                let refused = || Status::forbidden(&request.resource, called(request), text);
                if hook.spec.failure_policy == FailurePolicy::Ignore { Ok(false) } else { Err(refused()) }
            }
        }
    }
}

/// What all conditions say together, or why they say nothing.
fn verdict(
    hook: &Webhook,
    resource: &Resource,
    request: &Attributes,
    authorization: &Authorization,
) -> Result<bool, Vec<String>> {
    let variables = review::variables(resource, request);
    let (mut budget, mut errors) = (COST_LIMIT, Vec::new());
    for condition in &hook.conditions {
        let found = match &condition.expression {
            Ok(expression) => {
                let verdict = expression.evaluate(&variables, Some(authorization), &mut budget);
                verdict.map_err(|error| error.to_string())
            }
            Err(error) => Err(format!("condition {:?}: {error}", condition.name)),
        };
        match found {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(true) } else { Err(errors) }
}
