//! `bundles`: what is fetched, from where, how often, and who must have signed it.

use serde::Deserialize;

use super::KeyError;

/// One bundle (OPA: `v1/plugins/bundle/config.go`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Of `services`; the first by default.
    #[serde(default)]
    pub service: String,
    /// Below the service's URL, `bundles/<name>` by default; or `file://…`.
    #[serde(default)]
    pub resource: String,
    /// Only signed bundles are accepted.
    #[serde(default)]
    pub signing: Option<Signing>,
    /// The last good one is kept on disk and used when the server is away at start.
    #[serde(default)]
    pub persist: bool,
    /// Bytes, unpacked.
    #[serde(default)]
    pub size_limit_bytes: Option<u64>,
    /// Only `periodic` is known.
    #[serde(default)]
    pub trigger: Option<Trigger>,
    /// How often.
    #[serde(default)]
    pub polling: Polling,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// Again and again.
    Periodic,
}

/// Times between two requests, in seconds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polling {
    /// Shortest wait between two successful requests; 60 by default.
    #[serde(default)]
    pub min_delay_seconds: Option<u64>,
    /// Longest wait, also after errors; 120 by default.
    #[serde(default)]
    pub max_delay_seconds: Option<u64>,
    /// The server may hold a request back for so long until there is news.
    #[serde(default)]
    pub long_polling_timeout_seconds: Option<u64>,
}

/// The signature that a bundle must have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signing {
    /// Of `keys`; by default the one that the signature names.
    #[serde(default)]
    pub keyid: String,
    /// What the signature must be for.
    #[serde(default)]
    pub scope: String,
    /// Files that need no signature.
    #[serde(default)]
    pub exclude_files: Vec<String>,
    /// Deltas, which cannot be signed, are taken all the same.
    #[serde(default)]
    pub allow_unsigned_delta_bundles: bool,
}

impl Polling {
    /// The shortest and the longest wait.
    pub fn delays(&self) -> (u64, u64) {
        (self.min_delay_seconds.unwrap_or(60), self.max_delay_seconds.unwrap_or(120))
    }

    pub(super) fn check(&self) -> Result<(), KeyError> {
        pair("polling", self.min_delay_seconds, self.max_delay_seconds)?;
        if self.long_polling_timeout_seconds == Some(0) {
            return Err(KeyError::LongPolling);
        }
        Ok(())
    }
}

impl Signing {
    /// Patterns are Go's `filepath.Match`, of which `*` and `?` are known.
    pub(super) fn check(&self) -> Result<(), KeyError> {
        match self.exclude_files.iter().find(|pattern| pattern.contains(['[', '\\'])) {
            Some(pattern) => Err(KeyError::Pattern(pattern.clone())),
            None => Ok(()),
        }
    }
}

/// Fails where only one delay is given, as in OPA, or where `max` is less than `min`. Both are in seconds.
pub(super) fn pair(what: &'static str, min: Option<u64>, max: Option<u64>) -> Result<(), KeyError> {
    let missing = |missing| Err(KeyError::DelayMissing { what, missing });
    match (min, max) {
        (Some(min), Some(max)) if max < min => Err(KeyError::DelayOrder(what)),
        (Some(_), None) => missing("max_delay_seconds"),
        (None, Some(_)) => missing("min_delay_seconds"),
        _ => Ok(()),
    }
}
