//! The Lease: its name, and how long a fail-over takes.

use std::time::Duration;

use plimsoll_contract::exempt::is_namespace_name;
use schemars::JsonSchema;
use serde::Deserialize;

use super::duration::{self, Time};
use super::is_name;

/// Names the Lease object, and says how long things take: client-go's durations under client-go's names.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseConfig {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Others may take the Lease when it has not changed for this long: the longest fail-over, beside `retryPeriod`. The Lease
    /// itself says it in whole seconds, rounded up.
    #[serde(default = "fifteen_seconds", with = "duration")]
    #[schemars(with = "Time")]
    pub duration: Duration,
    /// Without a renewal for this long this replica stops writing; shorter than `duration`.
    #[serde(default = "ten_seconds", with = "duration")]
    #[schemars(with = "Time")]
    pub renew_deadline: Duration,
    /// Time between two looks at the Lease, renewals by its holder; `renewDeadline` is more than 1.2 times as long.
    #[serde(default = "two_seconds", with = "duration")]
    #[schemars(with = "Time")]
    pub retry_period: Duration,
}

impl Default for LeaseConfig {
    /// No name, and the durations of client-go.
    fn default() -> Self {
        let (duration, renew_deadline, retry_period) = (fifteen_seconds(), ten_seconds(), two_seconds());
        Self { namespace: String::new(), name: String::new(), duration, renew_deadline, retry_period }
    }
}

impl LeaseConfig {
    /// The first thing that is impossible: the key and what to do.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        let Self { duration, renew_deadline, retry_period, .. } = self;
        if !is_namespace_name(&self.namespace) {
            return Some(("lease.namespace", "must be the name of a namespace".into()));
        }
        if !is_name(&self.name) {
            return Some(("lease.name", "must be lower-case letters, digits, `-` and `.`".into()));
        }
        if *retry_period < Duration::from_millis(10) {
            return Some(("lease.retryPeriod", "must be at least 10ms".into()));
        }
        // As client-go checks it: a renewal that fails once can be tried again in time.
        if *renew_deadline <= *retry_period * 6 / 5 {
            return Some(("lease.renewDeadline", format!("must be more than 1.2 times `retryPeriod` ({retry_period:?})")));
        }
        if *duration <= *renew_deadline || *duration > Duration::from_secs(24 * 3600) {
            return Some(("lease.duration", format!("must be more than `renewDeadline` ({renew_deadline:?}) and at most 24h")));
        }
        None
    }
}

fn fifteen_seconds() -> Duration {
    Duration::from_secs(15)
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

fn two_seconds() -> Duration {
    Duration::from_secs(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<&'static str> {
        let config: LeaseConfig = yaml_serde::from_str(&format!("{{namespace: ns, name: plimsoll, {text}}}")).unwrap();
        config.fault().map(|(key, _)| key)
    }

    #[test]
    fn durations_are_those_of_client_go_unless_said_otherwise() {
        let config: LeaseConfig = yaml_serde::from_str("{namespace: ns, name: n}").unwrap();
        let seconds = [config.duration, config.renew_deadline, config.retry_period].map(|time| time.as_secs());
        assert_eq!(seconds, [15, 10, 2]);
        let quick: LeaseConfig = yaml_serde::from_str("{namespace: ns, name: n, retryPeriod: 100ms}").unwrap();
        assert_eq!(quick.retry_period, Duration::from_millis(100));
    }

    #[test]
    fn a_lease_that_could_have_two_holders_or_none_is_refused() {
        assert_eq!(fault(""), None);
        assert_eq!(fault("duration: 750ms, renewDeadline: 500ms, retryPeriod: 100ms"), None);
        assert_eq!(fault("duration: 10s"), Some("lease.duration"));
        assert_eq!(fault("duration: 48h"), Some("lease.duration"));
        assert_eq!(fault("renewDeadline: 2400ms"), Some("lease.renewDeadline"));
        assert_eq!(fault("renewDeadline: 2401ms"), None);
        assert_eq!(fault("retryPeriod: 0s"), Some("lease.retryPeriod"));
        let dotted = LeaseConfig { namespace: "a.b".into(), name: "l".into(), ..LeaseConfig::default() };
        assert_eq!(dotted.fault().map(|(key, _)| key), Some("lease.namespace"));
        let unnamed = LeaseConfig { namespace: "ns".into(), ..LeaseConfig::default() };
        assert_eq!(unnamed.fault().map(|(key, _)| key), Some("lease.name"));
    }
}
