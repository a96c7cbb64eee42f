//! A hook of `v1alpha1`, as it is read into the same form as the others.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{ClientConfig, FailurePolicy, MatchPolicy, ReinvocationPolicy, Spec, V1ALPHA1};
use crate::admission::webhook::rule::Rule;

/// A hook of `v1alpha1`. Source: `k8s.io/api/admissionregistration/v1alpha1` of Kubernetes 1.8.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::admission::webhook) struct ExternalHook {
    name: String,
    client_config: ClientConfig,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default = "ignore")]
    failure_policy: FailurePolicy,
    #[serde(default)]
    namespace_selector: Json,
}

impl From<ExternalHook> for Spec {
    /// What later versions let an author choose was fixed then.
    fn from(hook: ExternalHook) -> Self {
        Self {
            name: hook.name,
            client_config: hook.client_config,
            rules: hook.rules,
            failure_policy: hook.failure_policy,
            match_policy: MatchPolicy::Exact,
            namespace_selector: hook.namespace_selector,
            object_selector: Json::Null,
            side_effects: "Unknown".to_owned(),
            timeout_seconds: 30,
            admission_review_versions: vec![V1ALPHA1.to_owned()],
            reinvocation_policy: ReinvocationPolicy::Never,
            match_conditions: Vec::new(),
        }
    }
}

fn ignore() -> FailurePolicy {
    FailurePolicy::Ignore
}
