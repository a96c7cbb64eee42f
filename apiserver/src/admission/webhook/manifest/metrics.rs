//! What is counted of manifests, with upstream's names and labels. Source: `apiserver` `pkg/admission/plugin/manifest/metrics`. A plugin is
//! one of two; a hash is there only as long as it is in force.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use prometheus::{GaugeVec, IntCounterVec, IntGaugeVec, Opts, Registry};

/// Labels of what is counted of reloads.
const RELOAD: [&str; 3] = ["status", "plugin", "apiserver_id_hash"];

/// Counters of reloads; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    reloads: IntCounterVec,
    last: GaugeVec,
    in_force: IntGaugeVec,
    /// The hash in `in_force` of each plugin.
    shown: Arc<Mutex<BTreeMap<&'static str, String>>>,
}

/// How a reload ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status<'a> {
    /// Content of this hash is in force.
    Success(&'a str),
    /// What was in force still is.
    Failure,
}

impl Metrics {
    /// Shown by `registry`.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let options = |rest: &str, help: &str| Opts::new(format!("apiserver_manifest_admission_config_controller_{rest}"), help);
        let reloads = options("automatic_reloads_total", "Reloads of the manifests of a plugin, by how they ended.");
        let last = options("automatic_reload_last_timestamp_seconds", "When such a reload ended last.");
        let in_force = options("last_config_info", "1, with the hash of the manifests that are in force.");
        let metrics = Self {
            reloads: IntCounterVec::new(reloads, &RELOAD)?,
            last: GaugeVec::new(last, &RELOAD)?,
            in_force: IntGaugeVec::new(in_force, &["plugin", "apiserver_id_hash", "hash"])?,
            shown: Arc::default(),
        };
        registry.register(Box::new(metrics.reloads.clone()))?;
        registry.register(Box::new(metrics.last.clone()))?;
        registry.register(Box::new(metrics.in_force.clone()))?;
        Ok(metrics)
    }

    /// The manifests of a plugin were loaded, or not.
    pub(super) fn reloaded(&self, plugin: &'static str, server: &str, status: Status<'_>) {
        let name = if status == Status::Failure { "failure" } else { "success" };
        self.reloads.with_label_values(&[name, plugin, server]).inc();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last.with_label_values(&[name, plugin, server]).set(now.as_secs_f64());
        if let Status::Success(hash) = status {
            self.show(plugin, server, hash);
        }
    }

    /// Shows this hash in the place of the one before.
    fn show(&self, plugin: &'static str, server: &str, hash: &str) {
        let mut shown = self.shown.lock();
        if let Some(before) = shown.insert(plugin, hash.to_owned()) {
            // It fails only where nothing was shown.
            let _absent = self.in_force.remove_label_values(&[plugin, server, &before]);
        }
        self.in_force.with_label_values(&[plugin, server, hash]).set(1);
    }
}
