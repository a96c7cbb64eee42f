//! `--config-file`: OPA's configuration, as far as it means something here.
//!
//! Every key is known by name: one that OPA has and this program does not is an error at start, with its path, never a
//! setting that silently does nothing. The format is that of OPA 1.22 (`v1/config`, `v1/plugins/*/config.go`).

pub mod bundles;
pub mod decision_logs;
pub mod env;
pub mod error;
pub mod keys;
pub mod read;
pub mod server;
pub mod services;
pub mod shown;
pub mod status;

pub use error::{ConfigError, KeyError};
pub use read::{load, parse};

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value as Json;

/// The whole file, checked, with OPA's defaults in place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpaConfig {
    /// Where bundles come from and logs go to, by name.
    #[serde(default)]
    pub services: BTreeMap<String, services::Service>,
    /// In every log event and status report.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Bundles by name.
    #[serde(default)]
    pub bundles: BTreeMap<String, bundles::Source>,
    /// What is logged of each decision, and where.
    #[serde(default)]
    pub decision_logs: Option<decision_logs::DecisionLogs>,
    /// Where the status is sent.
    #[serde(default)]
    pub status: Option<status::Status>,
    /// Public keys that bundles are signed for, by id.
    #[serde(default)]
    pub keys: BTreeMap<String, keys::Key>,
    /// What `POST /` asks for.
    #[serde(default)]
    pub default_decision: Option<String>,
    /// What `--authorization=basic` asks for.
    #[serde(default)]
    pub default_authorization_decision: Option<String>,
    /// Where good bundles are kept; `.opa` in the working directory by default.
    #[serde(default)]
    pub persistence_directory: Option<PathBuf>,
    /// Sizes and compression.
    #[serde(default)]
    pub server: server::Server,
    /// Of OPA's plugins, the one that writes to a file.
    #[serde(default)]
    pub plugins: Plugins,
    /// `GET /v1/config`: what was read, without secrets.
    #[serde(skip)]
    pub active: Json,
}

/// OPA's plugins that exist here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plugins {
    /// Writes events to a file, one a line.
    #[serde(default)]
    pub file_logger: Option<FileLogger>,
}

/// OPA's `file_logger`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLogger {
    /// The file.
    pub path: PathBuf,
    /// It is put aside when it has this many MiB.
    #[serde(default = "hundred")]
    pub max_size_mb: u64,
    /// Of the files put aside, so many are kept.
    #[serde(default = "three")]
    pub max_backups: usize,
}

impl FileLogger {
    /// Bytes of the longest file; 0 MiB stand for the default, as in OPA.
    pub fn longest(&self) -> u64 {
        let mebibytes = if self.max_size_mb == 0 { hundred() } else { self.max_size_mb };
        mebibytes.saturating_mul(1 << 20)
    }
}

fn hundred() -> u64 {
    100
}

fn three() -> usize {
    3
}

impl OpaConfig {
    /// Where good bundles are kept.
    pub fn persistence(&self) -> PathBuf {
        self.persistence_directory.clone().unwrap_or_else(|| PathBuf::from(".opa"))
    }
}
