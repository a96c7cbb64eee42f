//! The status of bundles, logs and plugins in OPA's shape: readable at `/v1/status`, and pushed to a service when it changes
//! (OPA: `v1/plugins/status`).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::management::bundles::status::{BundleStatus, BundleStatuses};
use crate::management::config::status::Status as Config;
use crate::management::decision_log::{DecisionLog, UploadStatus};
use crate::management::plugins::{Plugin, UP};
use crate::management::services::{Backoff, Client};
use crate::printable;

/// An event is a hint; this often the report is compared anyway.
const AGAIN: Duration = Duration::from_secs(10);
/// After a push that failed.
const LONGEST: Duration = Duration::from_secs(60);

/// The sources of the status report.
#[derive(Clone, Debug, Default)]
pub struct Reporter {
    /// In every report.
    pub labels: BTreeMap<String, String>,
    /// Configured bundles.
    pub statuses: BundleStatuses,
    /// Whether bundles are configured at all.
    pub bundles: bool,
    /// The decision log, if there is one.
    pub log: DecisionLog,
    /// Its last upload.
    pub upload: UploadStatus,
    /// Whether the status is configured.
    pub status: bool,
}

/// OPA's `UpdateRequestV1`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    labels: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    bundles: BTreeMap<String, BundleStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_logs: Option<Json>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metrics: Map<String, Json>,
    plugins: Map<String, Json>,
}

impl Reporter {
    /// The state of each plugin, for `/health`.
    pub fn plugins(&self) -> Vec<Plugin> {
        let mut plugins = Vec::new();
        let mut up = |name: &str, on: bool| {
            if on {
                plugins.push(Plugin { name: name.into(), state: UP, waiting: Vec::new() });
            }
        };
        up("decision_logs", self.log.counts().is_some());
        up("status", self.status);
        if self.bundles {
            let waiting: Vec<String> =
                self.statuses.all().into_values().filter(|status| !status.activated).map(|status| status.name).collect();
            let state = if waiting.is_empty() { UP } else { "NOT_READY" };
            plugins.push(Plugin { name: "bundle".into(), state, waiting });
        }
        plugins
    }

    /// The report now.
    pub fn report(&self) -> Json {
        let plugins = self.plugins().into_iter().map(|plugin| (plugin.name, json!({ "state": plugin.state })));
        let report = Report {
            labels: &self.labels,
            bundles: self.statuses.all(),
            decision_logs: self.log.counts().map(|_| self.decision_logs()),
            metrics: self.metrics(),
            plugins: plugins.collect(),
        };
        // Plain maps and texts: nothing in it can fail.
        serde_json::to_value(report).unwrap_or_default()
    }

    fn decision_logs(&self) -> Json {
        match self.upload.error() {
            None => json!({}),
            Some((None, message)) => json!({ "code": "decision_log_error", "message": message }),
            Some((Some(code), message)) => json!({ "code": "decision_log_error", "message": message, "http_code": code }),
        }
    }

    /// OPA's counters of the decision log.
    fn metrics(&self) -> Map<String, Json> {
        let Some(counts) = self.log.counts() else { return Map::new() };
        let (arrived, failed) = counts.uploads();
        let counters = json!({
            "counter_decision_logs_dropped_rate_limit_exceeded": counts.dropped_for("rate"),
            "counter_decision_logs_dropped_buffer_size_limit_exceeded": counts.dropped_for("buffer") + counts.dropped_for("queue"),
            "counter_decision_logs_encoding_failure": counts.dropped_for("failed") + counts.dropped_for("too_large"),
            "counter_decision_logs_chunks_uploaded": arrived,
            "counter_decision_logs_chunks_upload_failed": failed,
        });
        Map::from_iter([("plimsoll".to_owned(), counters)])
    }

    /// Pushes each report that is news, until told to stop.
    pub async fn push(self, config: Config, client: Option<Arc<Client>>, mut stop: watch::Receiver<bool>) {
        let path = if config.partition_name.is_empty() { "/status".into() } else { format!("/status/{}", config.partition_name) };
        let (mut last, mut backoff) = (Json::Null, Backoff::new(Duration::from_millis(500), LONGEST));
        let news = self.statuses.changes();
        loop {
            let report = self.report();
            let mut delay = AGAIN;
            if report != last {
                if config.console {
                    console(&report);
                }
                let sent = match &client {
                    Some(client) => client.post(&path, report.to_string().into(), false).await,
                    None => Ok(()),
                };
                match sent {
                    Ok(()) => last = report,
                    Err(error) => {
                        tracing::error!(%error, "the status could not be sent, it is tried again");
                        delay = backoff.after_failure();
                    }
                }
            }
            let failing = delay != AGAIN;
            tokio::select! {
                () = sleep(delay) => {}
                () = news.notified(), if !failing => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }
}

/// OPA's line on the console.
fn console(report: &Json) {
    let mut line = report.clone();
    if let Some(fields) = line.as_object_mut() {
        fields.insert("level".into(), "info".into());
        fields.insert("msg".into(), "Status Log".into());
        fields.insert("type".into(), "openpolicyagent.org/status".into());
    }
    // With standard error gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{}", printable::json(&line.to_string()));
}
