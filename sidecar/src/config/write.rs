//! The block `write` of the configuration: times of the way from a row to the API server.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::duration::{self, Time};

/// How long what is waited for when patches and Events are written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WriteConfig {
    /// For the answer to one request.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub timeout: Duration,
    /// After an object's first failed or undone patch; doubles with each more.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub first_wait: Duration,
    /// After many.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub longest_wait: Duration,
    /// Of all writes, after the first answer that shows the API server in trouble (429, 5xx, none); doubles with each more.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub first_slowdown: Duration,
    /// After many.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub longest_slowdown: Duration,
    /// For the mirror to show what was written; after that what it shows is written again.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub grace: Duration,
    /// For writes under way when the sidecar ends.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub drain: Duration,
}

impl Default for WriteConfig {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(300),
            first_slowdown: Duration::from_millis(250),
            longest_slowdown: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            drain: Duration::from_secs(10),
        }
    }
}

impl WriteConfig {
    /// The first key that is impossible, and what to do.
    pub(super) fn fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, message: &str| Some((format!("write.{key}"), message.to_owned()));
        let times = [("timeout", self.timeout), ("firstWait", self.first_wait), ("firstSlowdown", self.first_slowdown)];
        if let Some((key, _)) = times.into_iter().find(|(_, time)| time.is_zero()) {
            return fault(key, "must be more than 0");
        }
        if self.longest_wait < self.first_wait {
            return fault("longestWait", "must be at least `firstWait`");
        }
        if self.longest_slowdown < self.first_slowdown {
            return fault("longestSlowdown", "must be at least `firstSlowdown`");
        }
        None
    }
}
