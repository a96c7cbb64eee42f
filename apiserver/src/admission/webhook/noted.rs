//! What the audit log is told of calls. Source of the keys: `apiserver` `pkg/admission/plugin/webhook/mutating/dispatcher.go` and
//! `validating/dispatcher.go`.

use serde::Serialize;

use super::configuration::Webhook;
use crate::audit::Trail;

/// One call's place: of the mutating stage with its round, or of the validating one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Round and index in the list of all webhooks.
    Mutating(usize, usize),
    /// Index in the list of those that are called.
    Validating(usize),
}

/// In the order of upstream's fields.
#[derive(Serialize)]
struct Mutation<'a> {
    configuration: &'a str,
    webhook: &'a str,
    mutated: bool,
}

impl Place {
    /// Notes whether a mutating webhook changed the object, however its call ended.
    pub(super) fn mutated(self, trail: &Trail, hook: &Webhook, mutated: bool) {
        let Self::Mutating(round, index) = self else { return };
        let mutation = Mutation { configuration: &hook.configuration, webhook: &hook.spec.name, mutated };
        // Two texts and a bool are JSON.
        let text = serde_json::to_string(&mutation).unwrap_or_default();
        trail.annotate(format!("mutation.webhook.admission.k8s.io/round_{round}_index_{index}"), text);
    }

    /// Notes that a webhook failed and was passed over.
    pub(super) fn failed_open(self, trail: &Trail, hook: &Webhook) {
        let key = match self {
            Self::Mutating(round, index) => format!("failed-open.mutation.webhook.admission.k8s.io/round_{round}_index_{index}"),
            Self::Validating(index) => format!("failed-open.validating.webhook.admission.k8s.io/round_0_index_{index}"),
        };
        trail.annotate(key, hook.spec.name.clone());
    }
}
