//! `decision_logs`: what is logged of each decision, and where (OPA: `v1/plugins/logs/plugin.go`).

use serde::Deserialize;

use super::KeyError;
use super::bundles::pair;

/// The section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionLogs {
    /// Of `services`: where batches are sent.
    #[serde(default)]
    pub service: String,
    /// Of `plugins`: `file_logger`.
    #[serde(default)]
    pub plugin: Option<String>,
    /// Standard error.
    #[serde(default)]
    pub console: bool,
    /// Below the service's URL; `/logs` by default.
    #[serde(default)]
    pub resource: Option<String>,
    /// `/logs/<name>`.
    #[serde(default)]
    pub partition_name: String,
    /// What decides which parts are masked; `/system/log/mask` by default.
    #[serde(default)]
    pub mask_decision: Option<String>,
    /// What decides which events are dropped; `/system/log/drop` by default.
    #[serde(default)]
    pub drop_decision: Option<String>,
    /// Size and pace of the batches.
    #[serde(default)]
    pub reporting: Reporting,
    /// Parts of the request that are logged too.
    #[serde(default)]
    pub request_context: RequestContext,
}

/// Size and pace of the batches.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reporting {
    /// What the buffer is bounded by; `size` by default.
    #[serde(default)]
    pub buffer_type: BufferType,
    /// Bytes of a buffer of type `size`.
    #[serde(default)]
    pub buffer_size_limit_bytes: Option<u64>,
    /// Events of a buffer of type `event`; 10,000 by default.
    #[serde(default)]
    pub buffer_size_limit_events: Option<usize>,
    /// Bytes of a batch, compressed; 32,768 by default.
    #[serde(default)]
    pub upload_size_limit_bytes: Option<u64>,
    /// Shortest wait between two uploads; 300 by default.
    #[serde(default)]
    pub min_delay_seconds: Option<u64>,
    /// Longest wait, also after errors; 600 by default.
    #[serde(default)]
    pub max_delay_seconds: Option<u64>,
    /// More are dropped, and counted.
    #[serde(default)]
    pub max_decisions_per_second: Option<f64>,
    /// `periodic` or `immediate`.
    #[serde(default)]
    pub trigger: Trigger,
}

/// The unit in which the buffer is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BufferType {
    /// Bytes.
    #[default]
    Size,
    /// Number of events.
    Event,
}

/// When batches are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// After each delay.
    #[default]
    Periodic,
    /// Also as soon as a batch is full.
    Immediate,
}

/// Parts of the request that are logged too.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestContext {
    /// Of HTTP.
    #[serde(default)]
    pub http: Option<HttpContext>,
}

/// Of HTTP.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpContext {
    /// Headers by name.
    #[serde(default)]
    pub headers: Vec<String>,
}

impl Reporting {
    /// The shortest and the longest wait.
    pub fn delays(&self) -> (u64, u64) {
        (self.min_delay_seconds.unwrap_or(300), self.max_delay_seconds.unwrap_or(600))
    }

    fn check(&self) -> Result<(), KeyError> {
        pair("reporting", self.min_delay_seconds, self.max_delay_seconds)?;
        let Self { buffer_type, buffer_size_limit_bytes: bytes, buffer_size_limit_events: events, .. } = self;
        match buffer_type {
            BufferType::Event if bytes.is_some() => {
                return Err(KeyError::BufferLimit { limit: "buffer_size_limit_bytes", buffer: "event" });
            }
            BufferType::Size if events.is_some() => {
                return Err(KeyError::BufferLimit { limit: "buffer_size_limit_events", buffer: "size" });
            }
            _ => {}
        }
        if bytes.is_some() && self.max_decisions_per_second.is_some() {
            return Err(KeyError::TwoLimits);
        }
        if *bytes == Some(0) || *events == Some(0) {
            return Err(KeyError::EmptyBuffer);
        }
        match self.max_decisions_per_second {
            Some(rate) if !(rate.is_finite() && rate > 0.0) => Err(KeyError::Rate),
            _ => Ok(()),
        }
    }
}

impl DecisionLogs {
    /// The path below the service's URL.
    pub fn upload_path(&self) -> String {
        match (&self.resource, self.partition_name.as_str()) {
            (Some(resource), "") => resource.clone(),
            (None, "") => "/logs".into(),
            (_, partition) => format!("/logs/{partition}"),
        }
    }

    pub(super) fn check(&self) -> Result<(), KeyError> {
        if let Some(other) = self.plugin.as_deref().filter(|plugin| *plugin != "file_logger") {
            return Err(KeyError::UnknownPlugin(other.into()));
        }
        self.reporting.check().map_err(|why| KeyError::Reporting(why.into()))
    }
}
