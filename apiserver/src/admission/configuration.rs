//! The file of `--admission-control-config-file`: which stage is configured by which file. Source of the fields:
//! `apiserver` `pkg/apis/apiserver/v1alpha1` `AdmissionConfiguration`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

use super::scheduling_policy::{self, Config, ConfigError};

const KIND: &str = "AdmissionConfiguration";
const VERSIONS: [&str; 2] = ["apiserver.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1"];

/// What the file says; YAML or JSON.
///
/// ```yaml
/// apiVersion: apiserver.k8s.io/v1alpha1
/// kind: AdmissionConfiguration
/// plugins:
///   - name: SchedulingPolicy
///     path: scheduling-policy-config.yml
/// ```
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AdmissionConfiguration {
    api_version: String,
    kind: String,
    #[serde(default)]
    plugins: Vec<Plugin>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plugin {
    name: String,
    #[serde(default)]
    path: PathBuf,
    /// Instead of a file.
    configuration: Option<Json>,
}

/// A file that is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// The file.
    #[error("cannot read the admission configuration `{file}`: {source}")]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its content.
    #[error("the admission configuration `{file}` is not valid: {source}")]
    Parse {
        /// Which.
        file: PathBuf,
        /// Why.
        source: yaml_serde::Error,
    },
    /// Another kind of file.
    #[error("the admission configuration `{file}` is `{found}`: give an AdmissionConfiguration of {}", VERSIONS.join(" or "))]
    Kind {
        /// Which.
        file: PathBuf,
        /// Its apiVersion and kind.
        found: String,
    },
    /// A stage that takes no configuration, or is not there.
    #[error("the admission configuration `{file}` configures `{name}`: only SchedulingPolicy takes a configuration, once")]
    Plugin {
        /// Which.
        file: PathBuf,
        /// The stage's name.
        name: String,
    },
    /// The stage's own.
    #[error(transparent)]
    SchedulingPolicy(#[from] ConfigError),
}

/// The configuration of SchedulingPolicy, if the file has one.
pub fn read(file: &Path) -> Result<Option<Config>, ConfigurationError> {
    let text = std::fs::read_to_string(file).map_err(|source| ConfigurationError::Read { file: file.into(), source })?;
    let parsed = yaml_serde::from_str(&text);
    let AdmissionConfiguration { api_version, kind, plugins } =
        parsed.map_err(|source| ConfigurationError::Parse { file: file.into(), source })?;
    if kind != KIND || !VERSIONS.contains(&api_version.as_str()) {
        return Err(ConfigurationError::Kind { file: file.into(), found: format!("{api_version} {kind}") });
    }
    let mut config = None;
    for plugin in plugins {
        if plugin.name != scheduling_policy::NAME || config.is_some() {
            return Err(ConfigurationError::Plugin { file: file.into(), name: plugin.name });
        }
        config = Some(plugin.read(file.parent().unwrap_or(Path::new(".")))?);
    }
    Ok(config)
}

impl Plugin {
    /// As upstream, the file wins over what is written in place; paths are relative to the folder.
    fn read(self, folder: &Path) -> Result<Config, ConfigError> {
        match self.configuration {
            Some(inline) if self.path.as_os_str().is_empty() => Config::parse(&inline.to_string(), folder),
            _ => Config::read(&folder.join(self.path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Option<Config>, ConfigurationError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hook.yml"), "kubeconfig: engine\n").unwrap();
        let file = folder.path().join("config.yml");
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    const HEAD: &str = "apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\n";

    #[test]
    fn the_file_of_the_tutorial_leads_to_the_hooks_own() {
        let config = load(&format!("{HEAD}plugins:\n- name: SchedulingPolicy\n  path: hook.yml\n")).unwrap().unwrap();
        assert!(config.kubeconfig.ends_with("engine") && config.kubeconfig.is_absolute());
        let inline = "plugins:\n- name: SchedulingPolicy\n  configuration: {kubeconfig: /e, retryBackoff: 5}\n";
        assert_eq!(load(&format!("{HEAD}{inline}")).unwrap().unwrap().retry_backoff, 5);
        assert_eq!(load(HEAD).unwrap(), None);
    }

    #[test]
    fn t20_what_would_be_ignored_is_refused() {
        let twice = "plugins:\n- {name: SchedulingPolicy, path: hook.yml}\n- {name: SchedulingPolicy, path: hook.yml}\n";
        let table = [
            (format!("{HEAD}plugins: [{{name: EventRateLimit, path: x}}]\n"), "EventRateLimit"),
            (format!("{HEAD}{twice}"), "once"),
            (format!("{HEAD}pluggins: []\n"), "pluggins"),
            (format!("{HEAD}plugins: [{{name: SchedulingPolicy}}]\n"), "configuration"),
            ("apiVersion: v1\nkind: ConfigMap\n".into(), "v1 ConfigMap"),
        ];
        for (text, part) in table {
            let error = load(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(read(Path::new("/none/config.yml")).unwrap_err().to_string().contains("/none/config.yml"));
    }
}
