//! The hook's configuration file, as in federation v1.7 (`kubeconfig`, `retryBackoff`), with options of our own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::admission::outbound::WayError;

/// Federation v1's default of `retryBackoff`.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// What the file says; YAML or JSON.
///
/// ```yaml
/// kubeconfig: /etc/plimsoll/engine.kubeconfig
/// retryBackoff: 100
/// protocol: raw
/// resources: [replicasets.apps, deployments.apps]
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// The engine's address with the decision's path, and how to be let in.
    #[serde(default)]
    pub kubeconfig: PathBuf,
    /// Milliseconds before the second attempt; 0 stands for 100.
    #[serde(default)]
    pub retry_backoff: i64,
    /// How the engine is asked.
    #[serde(default)]
    pub protocol: Protocol,
    /// The resources that it is asked about, `plural.group` as kubectl writes them.
    #[serde(default = "workloads")]
    pub resources: Vec<String>,
}

/// How the engine is asked, and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The bare object in, the bare document out: OPA's v0 data API, federation v1's protocol.
    #[default]
    Raw,
    /// `{"input": …}` in, `{"result": …}` out: OPA's v1 data API.
    OpaData,
}

/// A configuration that is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file.
    #[error("cannot read the configuration `{file}` of SchedulingPolicy: {source}")]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file whose content cannot be used.
    #[error("the configuration `{file}` of SchedulingPolicy: {source}")]
    File {
        /// Which.
        file: PathBuf,
        /// Why.
        source: Box<ConfigError>,
    },
    /// Its content.
    #[error("it is not valid: {0}")]
    Parse(#[source] yaml_serde::Error),
    /// Upstream's own text.
    #[error("kubeconfig path must not be empty")]
    NoKubeconfig,
    /// Upstream's own text.
    #[error("retryBackoff must not be negative")]
    NegativeBackoff,
    /// A resource that is never placed.
    #[error("`resources` of SchedulingPolicy names `{0}`, which is never placed")]
    Exempt(String),
    /// A name without form.
    #[error("`resources` of SchedulingPolicy: `{0}` is not of the form plural.group, such as deployments.apps")]
    Resource(String),
    /// A name that no resource of the core group has.
    #[error("`resources` of SchedulingPolicy: there is no resource `{name}` without a group; {hint}")]
    NoGroup {
        /// The name.
        name: String,
        /// Which names with a group may be meant, or the form of one.
        hint: String,
    },
    /// The engine's kubeconfig.
    #[error(transparent)]
    Engine(#[from] WayError),
}

impl Config {
    /// The defaults with this kubeconfig.
    pub fn new(kubeconfig: impl Into<PathBuf>) -> Self {
        let (retry_backoff, protocol) = (0, Protocol::default());
        Self { kubeconfig: kubeconfig.into(), retry_backoff, protocol, resources: workloads() }
    }

    /// Reads the file; a relative `kubeconfig` is relative to its folder.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        let failed = |source| ConfigError::Read { file: file.into(), source };
        let text = std::fs::read_to_string(file).map_err(failed)?;
        let parsed = Self::parse(&text, file.parent().unwrap_or(Path::new(".")));
        parsed.map_err(|source| ConfigError::File { file: file.into(), source: Box::new(source) })
    }

    /// Reads the text; a relative `kubeconfig` is relative to `folder`.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        let mut config: Self = yaml_serde::from_str(text).map_err(ConfigError::Parse)?;
        if config.kubeconfig.as_os_str().is_empty() {
            return Err(ConfigError::NoKubeconfig);
        }
        if config.retry_backoff < 0 {
            return Err(ConfigError::NegativeBackoff);
        }
        config.kubeconfig = folder.join(config.kubeconfig);
        Ok(config)
    }

    /// Before the second attempt.
    pub fn first_wait(&self) -> Duration {
        match u64::try_from(self.retry_backoff) {
            Ok(0) | Err(_) => FIRST_WAIT,
            Ok(milliseconds) => Duration::from_millis(milliseconds),
        }
    }
}

/// What runs somewhere.
pub(super) fn workloads() -> Vec<String> {
    let names = [
        "daemonsets.apps",
        "daemonsets.extensions",
        "deployments.apps",
        "deployments.extensions",
        "replicasets.apps",
        "replicasets.extensions",
        "statefulsets.apps",
        "cronjobs.batch",
        "jobs.batch",
    ];
    names.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("/etc/hook"))
    }

    #[test]
    fn the_file_of_federation_v1_is_read_as_yaml_and_json() {
        let config = parse("kubeconfig: engine\nretryBackoff: 200\n").unwrap();
        assert_eq!((config.kubeconfig.to_str(), config.first_wait().as_millis()), (Some("/etc/hook/engine"), 200));
        let config = parse(r#"{"kubeconfig": "/abs", "protocol": "opa-data"}"#).unwrap();
        assert_eq!((config.kubeconfig.to_str(), config.protocol), (Some("/abs"), Protocol::OpaData));
        assert_eq!((config.first_wait(), config.resources), (FIRST_WAIT, workloads()));
    }

    #[test]
    fn t20_what_is_wrong_is_named() {
        let table = [
            ("{}", "kubeconfig path must not be empty"),
            ("kubeconfig: x\nretryBackoff: -1", "retryBackoff must not be negative"),
            ("kubeconfig: x\nretryBackof: 1", "retryBackof"),
            ("kubeconfig: x\nprotocol: v2", "v2"),
            ("{", "not valid"),
        ];
        for (text, part) in table {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let missing = Config::read(Path::new("/none/hook.yaml")).unwrap_err().to_string();
        assert!(missing.contains("/none/hook.yaml"), "{missing}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hook.yaml");
        std::fs::write(&file, "retryBackoff: 5\n").unwrap();
        let expected = format!("the configuration `{}` of SchedulingPolicy: kubeconfig path must not be empty", file.display());
        assert_eq!(Config::read(&file).unwrap_err().to_string(), expected);
    }
}
