//! What is counted of webhooks, with upstream's names, labels and buckets. Source: `apiserver`
//! `pkg/admission/metrics/metrics.go`. A label is the name of a webhook, which its configuration bounds; never a user or an object.

use std::time::Duration;

use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

use super::{MutatingWebhooks, ValidatingWebhooks, manifest};
use crate::admission::Operation;

const BUCKETS: [f64; 8] = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0];
const EVALUATION_BUCKETS: [f64; 7] = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
/// Labels of what is counted of conditions.
const CONDITION: [&str; 4] = ["name", "kind", "type", "operation"];
/// Larger codes of refusals are counted as this one, as upstream.
const LARGEST: u16 = 600;

/// Counters of webhooks; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    durations: HistogramVec,
    requests: IntCounterVec,
    rejections: IntCounterVec,
    failed_open: IntCounterVec,
    evaluations: HistogramVec,
    exclusions: IntCounterVec,
    evaluation_errors: IntCounterVec,
    /// Of webhooks in manifests.
    pub manifests: manifest::Metrics,
}

/// Which of the two kinds, as metrics spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "upstream's own names")]
pub enum Type {
    Admit,
    Validating,
}

/// Whose fault a refusal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// The call failed.
    CallingWebhook,
    /// What it asked for could not be done.
    Internal,
    /// It said no.
    None,
}

/// A webhook that was called.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its kind.
    pub kind: Type,
    /// What it was asked about.
    pub operation: Operation,
}

impl<'a> Called<'a> {
    fn condition(&self) -> [&'a str; 4] {
        [self.name, "webhook", self.kind.name(), self.operation.name()]
    }
}

impl Type {
    /// The plugin, as it is configured.
    pub fn plugin(self) -> &'static str {
        match self {
            Self::Admit => MutatingWebhooks::NAME,
            Self::Validating => ValidatingWebhooks::NAME,
        }
    }

    /// What registers webhooks of this kind.
    pub fn configuration_kind(self) -> &'static str {
        match self {
            Self::Admit => "MutatingWebhookConfiguration",
            Self::Validating => "ValidatingWebhookConfiguration",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Validating => "validating",
        }
    }
}

impl Metrics {
    /// Shown by `registry`.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let name = |rest: &str| format!("apiserver_admission_webhook_{rest}");
        let counters =
            |rest: &str, help: &str, labels: &[&str]| IntCounterVec::new(Opts::new(name(rest), help.to_owned()), labels);
        let durations = HistogramOpts::new(name("admission_duration_seconds"), "Time that one webhook took.");
        let condition = |rest: &str| format!("apiserver_admission_match_condition_{rest}");
        let conditions = |rest: &str, help: &str| IntCounterVec::new(Opts::new(condition(rest), help.to_owned()), &CONDITION);
        let evaluations = HistogramOpts::new(condition("evaluation_seconds"), "Time that the conditions of one webhook took.");
        let metrics = Self {
            durations: HistogramVec::new(durations.buckets(BUCKETS.to_vec()), &["name", "type", "operation", "rejected"])?,
            requests: counters("request_total", "Calls of webhooks.", &["name", "type", "operation", "code", "rejected"])?,
            rejections: counters(
                "rejection_count",
                "Requests that webhooks refused.",
                &["name", "type", "operation", "error_type", "rejection_code"],
            )?,
            failed_open: counters("fail_open_count", "Failed calls that were passed over.", &["name", "type"])?,
            evaluations: HistogramVec::new(evaluations.buckets(EVALUATION_BUCKETS.to_vec()), &CONDITION)?,
            exclusions: conditions("exclusions_total", "Calls that conditions excluded.")?,
            evaluation_errors: conditions("evaluation_errors_total", "Conditions without a verdict.")?,
            manifests: manifest::Metrics::register(registry)?,
        };
        registry.register(Box::new(metrics.durations.clone()))?;
        registry.register(Box::new(metrics.evaluations.clone()))?;
        let condition = [&metrics.exclusions, &metrics.evaluation_errors];
        for counters in [&metrics.requests, &metrics.rejections, &metrics.failed_open].into_iter().chain(condition) {
            registry.register(Box::new(counters.clone()))?;
        }
        Ok(metrics)
    }

    /// A call came to its end. `code` is 200, the code of the refusal, or 0 for what was impossible.
    pub fn called(&self, called: Called<'_>, code: u16, rejected: bool, took: Duration) {
        let (kind, operation) = (called.kind.name(), called.operation.name());
        let rejected = if rejected { "true" } else { "false" };
        self.durations.with_label_values(&[called.name, kind, operation, rejected]).observe(took.as_secs_f64());
        let code = code.to_string();
        self.requests.with_label_values(&[called.name, kind, operation, code.as_str(), rejected]).inc();
    }

    /// A call refused the request.
    pub fn rejected(&self, called: Called<'_>, error: ErrorType, code: u16) {
        let error = match error {
            ErrorType::CallingWebhook => "calling_webhook_error",
            ErrorType::Internal => "apiserver_internal_error",
            ErrorType::None => "no_error",
        };
        let code = code.min(LARGEST).to_string();
        let (kind, operation) = (called.kind.name(), called.operation.name());
        self.rejections.with_label_values(&[called.name, kind, operation, error, code.as_str()]).inc();
    }

    /// The conditions of a webhook were evaluated.
    pub fn evaluated(&self, called: Called<'_>, took: Duration) {
        self.evaluations.with_label_values(&called.condition()).observe(took.as_secs_f64());
    }

    /// A condition is false: the webhook is not called.
    pub fn excluded(&self, called: Called<'_>) {
        self.exclusions.with_label_values(&called.condition()).inc();
    }

    /// A condition has no verdict.
    pub fn unevaluated(&self, called: Called<'_>) {
        self.evaluation_errors.with_label_values(&called.condition()).inc();
    }

    /// A failed call was passed over.
    pub fn failed_open(&self, called: Called<'_>) {
        self.failed_open.with_label_values(&[called.name, called.kind.name()]).inc();
    }
}
