//! One webhook as an author writes it. Source: `k8s.io/api/admissionregistration/v1`.

mod external;

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;

use super::rule::Rule;

pub(super) use external::ExternalHook;

/// The version that webhooks of `v1alpha1` alone speak; validation keeps others from speaking nothing else.
const V1ALPHA1: &str = "v1alpha1";

/// One webhook as it was written, with its defaults. Source: `k8s.io/api/admissionregistration/v1`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// Such as `pods.example.com`.
    pub name: String,
    /// Where it is called.
    pub client_config: ClientConfig,
    /// What it is for; any of them.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// What a failed call means.
    #[serde(default)]
    pub failure_policy: FailurePolicy,
    /// Whether it is for the same object in other versions too.
    #[serde(default)]
    pub match_policy: MatchPolicy,
    /// A LabelSelector of namespaces.
    #[serde(default)]
    pub namespace_selector: Json,
    /// A LabelSelector of objects.
    #[serde(default)]
    pub object_selector: Json,
    /// `None` and `NoneOnDryRun` may be called in a dry run.
    #[serde(default)]
    pub side_effects: String,
    /// For one call.
    #[serde(default = "ten")]
    pub timeout_seconds: u64,
    /// In the order of its preference.
    #[serde(default)]
    pub admission_review_versions: Vec<String>,
    /// Whether it is willing to be called again.
    #[serde(default)]
    pub reinvocation_policy: ReinvocationPolicy,
    /// In CEL.
    #[serde(default)]
    pub match_conditions: Vec<MatchCondition>,
}

/// A condition as it was written.
#[derive(Debug, Deserialize)]
pub struct MatchCondition {
    /// Its name.
    pub name: String,
    /// In CEL.
    pub expression: String,
}

/// Where a webhook is called. Webhooks with an equal one share a client.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "camelCase")]
pub struct ClientConfig {
    /// An https URL, or the service is given.
    pub url: Option<String>,
    /// Instead of a URL.
    pub service: Option<Service>,
    /// The certificates to trust, PEM in base64; without it those of the system.
    #[serde(default)]
    pub ca_bundle: String,
}

/// A Service of the API server that has the configuration.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
pub struct Service {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Path of the URL.
    #[serde(default)]
    pub path: String,
    /// Port of the Service.
    #[serde(default = "https")]
    pub port: u16,
}

/// What a failed call means for the request.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum FailurePolicy {
    #[default]
    Fail,
    Ignore,
}

/// Whether other versions of the same object count.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum MatchPolicy {
    #[default]
    Equivalent,
    Exact,
}

/// Whether a mutating webhook is called again when others changed the object after it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum ReinvocationPolicy {
    #[default]
    Never,
    IfNeeded,
}

fn ten() -> u64 {
    10
}

fn https() -> u16 {
    443
}

impl Spec {
    /// Whether it is one of `v1alpha1`, which is asked and answers in another way.
    pub fn is_external(&self) -> bool {
        self.admission_review_versions == [V1ALPHA1]
    }

    /// How long one call may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }

    /// Whether a dry run may call it.
    pub fn is_harmless(&self) -> bool {
        matches!(self.side_effects.as_str(), "None" | "NoneOnDryRun")
    }
}
