//! The sidecar's configuration file: which engine, which kinds, whose policies, how fast it may write.

use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_contract::exempt::{MOST_NAMESPACES, is_namespace_name};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::is_source_name;
use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

mod brake;
mod duration;
mod kinds;
mod lease;
mod mirror;
mod names;
pub mod schema;
mod words;
mod write;

pub use brake::{BrakeConfig, First, Urgent};
use duration::Time;
pub use lease::LeaseConfig;
pub use mirror::MirrorConfig;
pub use words::Misread;
pub use write::WriteConfig;

/// The file named by `--config`.
///
/// ```yaml
/// source: kubernetes
/// engine: { url: "http://127.0.0.1:8181", tokenFile: /var/run/plimsoll/write-token }
/// policyNamespace: kube-federation-scheduling-policy
/// lease: { namespace: kube-federation-scheduling-policy, name: plimsoll, duration: 15s, renewDeadline: 10s, retryPeriod: 2s }
/// kinds:
///   - gvr: cluster.karmada.io/v1alpha1/clusters
///     fleet: true
///   - gvr: apps/v1/replicasets
///     place: true
///     mode: auto
/// brake: { share: 30%, floor: 10, window: 10m, first: stop, urgent: never }
/// write: { timeout: 10s, firstWait: 1s, longestWait: 5m, firstSlowdown: 250ms, longestSlowdown: 30s, grace: 30s, drain: 10s }
/// ```
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// The name under which the engine knows this mirror: at most 63 lower-case letters, digits, `-` and `.`; `serve
    /// --require-source` waits for it.
    #[serde(default = "kubernetes")]
    pub source: String,
    /// Where the engine is.
    #[serde(default)]
    pub engine: EngineConfig,
    /// The table of kinds.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// ConfigMaps of this namespace are the policy set, and one has the brake's record; without it no policies are sent.
    #[serde(default)]
    pub policy_namespace: Option<String>,
    /// Only ConfigMaps whose labels match are looked at, for policies and for data.
    #[serde(default)]
    pub policy_selector: Option<String>,
    /// Namespaces that are never placed, by name, beside the policy namespace and `kube-*`: what a cluster needs to come up. The
    /// generated webhooks and admission policies leave them out, and so does the engine, for the kinds of this mirror.
    #[serde(default, deserialize_with = "names::deserialize")]
    pub exempt_namespaces: Vec<String>,
    /// The Lease that makes one replica write; without it this sidecar takes itself for the only one.
    #[serde(default)]
    pub lease: Option<LeaseConfig>,
    /// How fast patches may be written.
    #[serde(default)]
    pub budget: BudgetConfig,
    /// How much may move before somebody has looked.
    #[serde(default)]
    pub brake: BrakeConfig,
    /// How long what is waited for when patches and Events are written.
    #[serde(default)]
    pub write: WriteConfig,
    /// Time between two full passes over the placements: the truth behind the notifications.
    #[serde(default = "a_minute", with = "duration")]
    #[schemars(with = "Time")]
    pub resync: Duration,
    /// Time between two full lists of a kind, give or take a tenth: the truth behind its watch.
    #[serde(default = "half_an_hour", with = "duration")]
    #[schemars(with = "Time")]
    pub relist: Duration,
    /// How long reading from the API server may take, and how often it is asked.
    #[serde(default)]
    pub mirror: MirrorConfig,
}

/// Where the engine is and how to be let in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineConfig {
    /// `http://` or `https://`, host and port; behind them the path below which a reverse proxy has the engine.
    #[serde(default = "next_door")]
    pub url: String,
    /// A file with the bearer token that may write, on its first line with text; read again when it changes.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// PEM certificates that the engine's certificate is checked against.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
}

/// A token bucket for patches, and how many may be under way at once.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BudgetConfig {
    /// Patches per second in the long run.
    pub writes_per_second: f64,
    /// Patches at once after a quiet time.
    pub burst: u32,
    /// Patches under way at once.
    pub in_flight: usize,
}

impl Default for BudgetConfig {
    /// A fleet-wide mistake in a policy moves 200 workloads a second at most, and people can stop it.
    fn default() -> Self {
        Self { writes_per_second: 200.0, burst: 400, in_flight: 16 }
    }
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self { url: next_door(), token_file: None, ca_file: None }
    }
}

fn kubernetes() -> String {
    "kubernetes".into()
}

/// The engine's own default address.
fn next_door() -> String {
    "http://127.0.0.1:8181".into()
}

fn a_minute() -> Duration {
    Duration::from_secs(60)
}

fn half_an_hour() -> Duration {
    Duration::from_secs(30 * 60)
}

/// Why a configuration is refused. None is worth a retry.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration `{file}`")]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not YAML of the expected shape.
    #[error("configuration `{file}` cannot be used")]
    Parse {
        /// The file.
        file: PathBuf,
        /// Names the key and the line.
        source: Misread,
    },
    /// The file is well-formed, but says something impossible.
    #[error("configuration `{file}`: `{key}`: {message}")]
    Invalid {
        /// The file.
        file: PathBuf,
        /// Path of the key.
        key: String,
        /// What is wrong and what to do.
        message: String,
    },
}

impl Config {
    /// Reads and checks a file.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(file).map_err(|source| ConfigError::Read { file: file.into(), source })?;
        Self::parse(file, &text)
    }

    /// Checks the text of `file`.
    pub fn parse(file: &Path, text: &str) -> Result<Self, ConfigError> {
        let misread = |error| ConfigError::Parse { file: file.into(), source: Misread(error) };
        let config: Self = yaml_serde::from_str(text).map_err(misread)?;
        match config.fault() {
            Some((key, message)) => Err(ConfigError::Invalid { file: file.into(), key, message }),
            None => Ok(config),
        }
    }

    /// The first thing that is impossible: the key and what to do.
    fn fault(&self) -> Option<(String, String)> {
        let lease = || self.lease.as_ref()?.fault().map(|(key, message)| (key.to_owned(), message));
        let write = || self.names_fault().or_else(lease).or_else(|| self.budget_fault());
        write().or_else(|| self.mirror.fault()).or_else(|| kinds::fault(&self.kinds))
    }

    fn names_fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, message: &str| Some((key.to_owned(), message.to_owned()));
        if !is_source_name(&self.source) {
            return fault("source", "must be at most 63 lower-case letters, digits, `-` and `.`");
        }
        if !is_address(&self.engine.url) {
            return fault("engine.url", "must be http:// or https://, host and port, such as http://127.0.0.1:8181");
        }
        if self.exempt_namespaces.len() > MOST_NAMESPACES {
            return fault("exemptNamespaces", &format!("at most {MOST_NAMESPACES} namespaces can be exempted"));
        }
        if let Some(name) = self.exempt_namespaces.iter().find(|name| !is_namespace_name(name)) {
            let message = format!("`{name}` is not the name of a namespace; {}", names::NOT_A_SELECTOR);
            return Some(("exemptNamespaces".into(), message));
        }
        match (&self.policy_namespace, &self.policy_selector) {
            (Some(namespace), _) if !is_namespace_name(namespace) => fault("policyNamespace", "must be the name of a namespace"),
            (None, Some(_)) => fault("policySelector", "has no effect without `policyNamespace`"),
            _ => None,
        }
    }

    fn budget_fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, message: &str| Some((key.to_owned(), message.to_owned()));
        let BudgetConfig { writes_per_second, burst, in_flight } = &self.budget;
        if !(writes_per_second.is_finite() && *writes_per_second > 0.0) {
            return fault("budget.writesPerSecond", "must be more than 0; `mode: suggest` of a kind stops its patches");
        }
        if *burst == 0 {
            return fault("budget.burst", "must be at least 1");
        }
        if !(1..=256).contains(in_flight) {
            return fault("budget.inFlight", "must be 1 to 256");
        }
        let short = Duration::from_secs(1);
        if self.resync < short {
            return fault("resync", "must be at least 1s");
        }
        if self.relist < short {
            fault("relist", "must be at least 1s")
        } else {
            self.write.fault().or_else(|| self.brake.fault())
        }
    }
}

/// Whether paths can be put behind it.
fn is_address(text: &str) -> bool {
    let is_plain = |url: Url| url.has_host() && url.query().is_none() && url.fragment().is_none();
    (text.starts_with("http://") || text.starts_with("https://")) && Url::parse(text).is_ok_and(is_plain)
}

/// Whether a text can be the name of an object.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "source: fed\nengine: {url: 'http://127.0.0.1:1'}\n";

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("sync.yaml"), text).map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            format!("{error}: {cause}")
        })
    }

    #[test]
    fn a_short_configuration_gets_the_documented_defaults() {
        let config = parse("kinds: [{gvr: v1/pods}]").unwrap();
        assert_eq!((config.source.as_str(), config.engine.url.as_str()), ("kubernetes", "http://127.0.0.1:8181"));
        assert_eq!(config.budget, BudgetConfig::default());
        assert_eq!((config.resync, config.relist), (a_minute(), half_an_hour()));
        assert!(config.lease.is_none() && config.policy_namespace.is_none());
        assert_eq!(config.mirror, MirrorConfig::default());
    }

    #[test]
    fn every_time_of_the_mirror_can_be_a_twentieth() {
        let mirror = "mirror: {probe: 0.5s, moment: 50ms, silence: 7.5s, watchTimeout: 15s, reopen: 25ms, timeout: 0.25s, listTimeout: 3s, \
                      discoveryTimeout: 1.5s, rediscover: 0.75s, takeOver: 1.5s, retry: 12.5ms, retryMost: 0.25s, steady: 3s, \
                      credentials: 0.25s, pageSize: 25}";
        let config = parse(&format!("kinds: [{{gvr: v1/pods}}]\n{mirror}")).unwrap();
        assert_eq!((config.mirror.silence, config.mirror.page_size), (Duration::from_millis(7500), 25));
        assert_eq!(config.mirror.retry, Duration::from_micros(12_500));
    }

    #[test]
    fn times_of_writing_are_keys_with_todays_values_as_defaults() {
        let written = "write: {timeout: 10s, firstWait: 1s, longestWait: 5m, firstSlowdown: 250ms, longestSlowdown: 30s, grace: 30s, drain: 10s}";
        assert_eq!(parse(&format!("kinds: [{{gvr: v1/pods}}]\n{written}")).unwrap().write, WriteConfig::default());
        let hurried = parse("kinds: [{gvr: v1/pods}]\nwrite: {timeout: 500ms, grace: 0s}").unwrap().write;
        assert_eq!((hurried.timeout, hurried.grace), (Duration::from_millis(500), Duration::ZERO));
        assert_eq!(hurried.drain, WriteConfig::default().drain);
    }

    #[test]
    fn t18_two_kinds_with_one_plural_are_refused_by_both_names_and_the_option_that_moves_one() {
        let rows = "kinds: [{gvr: a.example/v1/clusters}, {gvr: b.example/v1/clusters}]";
        let error = parse(&format!("{HEAD}{rows}")).unwrap_err();
        for part in ["sync.yaml", "kinds[1].gvr", "a.example/v1/clusters", "b.example/v1/clusters", "`path`"] {
            assert!(error.contains(part), "{part} in {error}");
        }
        let moved = "kinds: [{gvr: a.example/v1/clusters}, {gvr: b.example/v1/clusters, path: others}]";
        assert!(parse(&format!("{HEAD}{moved}")).is_ok());
    }

    #[test]
    fn t20_what_cannot_work_is_refused_with_file_and_key() {
        let pods = "kinds: [{gvr: v1/pods}]\n";
        let cases = [
            (HEAD.to_owned(), "`kinds`: nothing is watched"),
            (format!("{HEAD}kinds: []"), "`kinds`: nothing is watched"),
            (format!("{HEAD}{pods}polices: x"), "polices"),
            (format!("{HEAD}kinds: [{{gvr: v1/pods, plase: true}}]"), "kinds[0]: unknown field `plase`"),
            (format!("{HEAD}kinds: [{{gvr: pods}}]"), "not of the form"),
            (
                format!("{HEAD}kinds: [{{gvr: batch/v1/Job}}]"),
                "kinds[0]: `batch/v1/Job` does not end with the name of a resource",
            ),
            (format!("{HEAD}kinds: [{{gvr: batch/v1/jobs, place: true, target: not a key}}]"), "`kinds[0].target`: `not a key`"),
            (format!("{HEAD}kinds: [{{gvr: batch/v1/jobs, place: true, target: ''}}]"), "`kinds[0].target`: `` is no key"),
            (format!("{HEAD}kinds: [pods]"), "expected an object"),
            (format!("{HEAD}{pods}brake: {{floor: some}}"), "expected a whole number"),
            (format!("{HEAD}{pods}brake: {{floor: -1}}"), "expected a whole number"),
            (format!("{HEAD}{pods}budget: {{writesPerSecond: many}}"), "expected a number"),
            (format!("{HEAD}kinds: [{{gvr: v1/pods, mode: auto}}]"), "`kinds[0].mode`"),
            (format!("{HEAD}kinds: [{{gvr: v1/pods, replicate: false}}]"), "`kinds[0].replicate`"),
            (format!("{HEAD}kinds: [{{gvr: v1/a, fleet: true}}, {{gvr: v1/b, fleet: true}}]"), "`kinds[1].fleet`"),
            (format!("{HEAD}{pods}budget: {{burst: 0}}"), "`budget.burst`"),
            (format!("{HEAD}{pods}budget: {{writesPerSecond: 0}}"), "`budget.writesPerSecond`"),
            (format!("{HEAD}{pods}resync: 5 minutes"), "resync"),
            (format!("{HEAD}{pods}mirror: {{confirm: 2s}}"), "`mirror.confirm`"),
            (format!("{HEAD}{pods}mirror: {{watchTimeout: 2.5s}}"), "`mirror.watchTimeout`"),
            (format!("{HEAD}{pods}mirror: {{retryMost: 1ms}}"), "`mirror.retryMost`"),
            (format!("{HEAD}{pods}mirror: {{pageSize: 0}}"), "`mirror.pageSize`"),
            (format!("{HEAD}{pods}mirror: {{probe: 0s}}"), "`mirror.probe`"),
            (format!("{HEAD}{pods}write: {{timeout: 0s}}"), "`write.timeout`"),
            (format!("{HEAD}{pods}write: {{firstWait: 2s, longestWait: 1s}}"), "`write.longestWait`"),
            (format!("{HEAD}{pods}brake: {{share: half}}"), "brake.share"),
            (format!("{HEAD}{pods}brake: {{window: 0s}}"), "`brake.window`"),
            (format!("{HEAD}{pods}policySelector: a=b"), "`policySelector`"),
            (format!("{HEAD}{pods}exemptNamespaces: {{matchLabels: {{a: b}}}}"), "whoever labels a Namespace"),
            (format!("{HEAD}{pods}exemptNamespaces: team=infra"), "whoever labels a Namespace"),
            (format!("{HEAD}{pods}exemptNamespaces: [team=infra]"), "whoever labels a Namespace"),
            (format!("{HEAD}{pods}exemptNamespaces: ['*']"), "`exemptNamespaces`"),
            (format!("{HEAD}{pods}exemptNamespaces: [{}]", "a, ".repeat(1_001)), "at most 1000 namespaces"),
            (format!("{HEAD}{pods}lease: {{namespace: ns, name: l, duration: 5s}}"), "`lease.duration`"),
            (format!("{HEAD}{pods}lease: {{namespace: ns, name: l, renew: 5s}}"), "unknown field `renew`"),
            (format!("{HEAD}{pods}policyNamespace: a.b"), "`policyNamespace`"),
            (format!("source: {}\n{pods}", "x".repeat(64)), "`source`: must be at most 63"),
            (format!("source: Fed X\nengine: {{url: 'http://x'}}\n{pods}"), "`source`"),
            (format!("source: fed\nengine: {{url: x}}\n{pods}"), "`engine.url`"),
            (format!("engine: {{url: 'ftp://x'}}\n{pods}"), "`engine.url`"),
            (format!("engine: {{url: 'http://'}}\n{pods}"), "`engine.url`"),
            (format!("engine: {{url: 'http://x:99999'}}\n{pods}"), "`engine.url`"),
            (format!("engine: {{url: 'http://x:1?a=b'}}\n{pods}"), "`engine.url`"),
            (format!("engine: {{url: 'http://x:1/#a'}}\n{pods}"), "`engine.url`"),
        ];
        for (text, expected) in cases {
            let error = parse(&text).unwrap_err();
            assert!(error.contains("sync.yaml") && error.contains(expected), "{expected} in {error}");
        }
    }
}
