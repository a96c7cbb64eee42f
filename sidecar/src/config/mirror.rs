//! The `mirror:` block of the configuration: how long reading from the API server may take, and how often it is asked.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::duration::{self, Time};

/// How the mirror reads. Every default suits a fleet; tests use a fraction of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MirrorConfig {
    /// Time between two proofs that a collection is current. The engine hears of every kind about this often.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub probe: Duration,
    /// Length of the short second watch that shows whether the first one missed anything; whole seconds. An API server sends
    /// the bookmark that ends it two seconds before.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub confirm: Duration,
    /// What the second watch has seen must arrive on the first one within this time.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub moment: Duration,
    /// A watch without event or bookmark for this long is taken for dead. Bookmarks come about once a minute.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub silence: Duration,
    /// The API server ends a watch after this time, in good order; whole seconds.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub watch_timeout: Duration,
    /// Least time between the openings of a watch: a server that closes each at once is not asked in a tight loop.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub reopen: Duration,
    /// Objects per page of a list.
    pub page_size: u32,
    /// A list of one object, and the opening of a watch, take longer than this only when the API server is in trouble: asked
    /// again on another connection.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub timeout: Duration,
    /// The same for a page of a list.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub list_timeout: Duration,
    /// The same for questions of what is served.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub discovery_timeout: Duration,
    /// A kind that appears late, such as a CRD, is found after this time at the latest.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub rediscover: Duration,
    /// A source that nobody keeps fresh for this long is taken over.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub take_over: Duration,
    /// First wait after a failure; each further one is twice as long.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub retry: Duration,
    /// Longest wait after a failure, unless the API server asked for more (`Retry-After`).
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub retry_most: Duration,
    /// What has worked for this long starts again with the first wait.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub steady: Duration,
    /// Time between two looks at the credentials' files, and between two tries of new credentials.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub credentials: Duration,
}

impl Default for MirrorConfig {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            probe: seconds(10),
            confirm: seconds(3),
            moment: seconds(1),
            silence: seconds(150),
            watch_timeout: seconds(290),
            reopen: Duration::from_millis(500),
            page_size: 500,
            timeout: seconds(5),
            list_timeout: seconds(60),
            discovery_timeout: seconds(30),
            rediscover: seconds(15),
            take_over: seconds(30),
            retry: Duration::from_millis(250),
            retry_most: seconds(5),
            steady: seconds(60),
            credentials: seconds(5),
        }
    }
}

impl MirrorConfig {
    /// The first key that is impossible, and what to do.
    pub(super) fn fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, message: &str| Some((format!("mirror.{key}"), message.to_owned()));
        if let Some((key, _)) = self.times().into_iter().find(|(_, time)| *time < Duration::from_millis(1)) {
            return fault(key, "must be at least 1ms");
        }
        let is_whole = |time: Duration| time.subsec_nanos() == 0 && time.as_secs() <= u64::from(u32::MAX);
        if !is_whole(self.confirm) || self.confirm < Duration::from_secs(3) {
            return fault("confirm", "must be whole seconds, at least 3s: API servers send a bookmark 2 s before a watch ends");
        }
        if !is_whole(self.watch_timeout) || self.watch_timeout >= Duration::from_secs(295) {
            return fault("watchTimeout", "must be whole seconds, as `timeoutSeconds` of a watch is, and less than 295s");
        }
        if self.retry_most < self.retry {
            return fault("retryMost", "must not be less than `mirror.retry`");
        }
        if self.confirm >= Duration::from_secs(295) {
            return fault("confirm", "must be less than 295s");
        }
        if self.page_size == 0 { fault("pageSize", "must be at least 1") } else { None }
    }

    fn times(&self) -> [(&'static str, Duration); 15] {
        [
            ("probe", self.probe),
            ("confirm", self.confirm),
            ("moment", self.moment),
            ("silence", self.silence),
            ("watchTimeout", self.watch_timeout),
            ("reopen", self.reopen),
            ("timeout", self.timeout),
            ("listTimeout", self.list_timeout),
            ("discoveryTimeout", self.discovery_timeout),
            ("rediscover", self.rediscover),
            ("takeOver", self.take_over),
            ("retry", self.retry),
            ("retryMost", self.retry_most),
            ("steady", self.steady),
            ("credentials", self.credentials),
        ]
    }
}
