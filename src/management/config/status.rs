//! `status`: where the state of bundles and plugins is reported (OPA: `v1/plugins/status/plugin.go`).

use serde::Deserialize;

/// The section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Of `services`; the first by default, unless `console` or `prometheus` is set.
    #[serde(default)]
    pub service: String,
    /// `/status/<name>`.
    #[serde(default)]
    pub partition_name: String,
    /// Standard error.
    #[serde(default)]
    pub console: bool,
    /// `/metrics` has it always; accepted for OPA's sake.
    #[serde(default)]
    pub prometheus: bool,
}
