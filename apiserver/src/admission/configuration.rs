//! The file of `--admission-control-config-file`: which stage is configured by which file. Source of the fields:
//! `apiserver` `pkg/apis/apiserver/v1alpha1` `AdmissionConfiguration`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

use super::scheduling_policy::{self, Config, ConfigError};
use super::webhook::plugin::{self, PluginError, Stages};
use super::webhook::{MutatingWebhooks, ValidatingWebhooks};

const KIND: &str = "AdmissionConfiguration";
/// The stages that take a configuration.
const NAMES: [&str; 3] = [scheduling_policy::NAME, MutatingWebhooks::NAME, ValidatingWebhooks::NAME];
const VERSIONS: [&str; 2] = ["apiserver.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1"];

/// What the file says; YAML or JSON.
///
/// ```yaml
/// apiVersion: apiserver.k8s.io/v1alpha1
/// kind: AdmissionConfiguration
/// plugins:
///   - name: SchedulingPolicy
///     path: scheduling-policy-config.yml
///   - name: ValidatingAdmissionWebhook
///     configuration:
///       apiVersion: apiserver.config.k8s.io/v1
///       kind: WebhookAdmissionConfiguration
///       kubeConfigFile: hooks.kubeconfig
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

/// The configuration of each stage that takes one, as an AdmissionConfiguration has it.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    /// Of SchedulingPolicy; nothing: it does not run.
    pub scheduling_policy: Option<Config>,
    /// Of the two stages of webhooks.
    pub webhooks: Stages,
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
    #[error("the admission configuration `{file}` configures `{name}`: {} take a configuration, each once", NAMES.join(", "))]
    Plugin {
        /// Which.
        file: PathBuf,
        /// The stage's name.
        name: String,
    },
    /// An entry of `plugins` with neither a file nor a configuration.
    #[error("the admission configuration `{file}` has neither `path` nor `configuration` for `{name}`: give one of them")]
    Nothing {
        /// Which.
        file: PathBuf,
        /// The stage's name.
        name: String,
    },
    /// A configuration of SchedulingPolicy, written in the admission configuration itself, that cannot be used.
    #[error("the admission configuration `{file}`: `configuration` of SchedulingPolicy: {source}")]
    Inline {
        /// Which.
        file: PathBuf,
        /// Why.
        source: ConfigError,
    },
    /// The stage's own.
    #[error(transparent)]
    SchedulingPolicy(#[from] ConfigError),
    /// A stage of webhooks.
    #[error(transparent)]
    Webhooks(#[from] PluginError),
}

/// Returns what the file says of each stage. Fails when it cannot be read, or configures what takes no configuration.
pub fn read(file: &Path) -> Result<Plugins, ConfigurationError> {
    let text = std::fs::read_to_string(file).map_err(|source| ConfigurationError::Read { file: file.into(), source })?;
    let parsed = yaml_serde::from_str(&text);
    let AdmissionConfiguration { api_version, kind, plugins } =
        parsed.map_err(|source| ConfigurationError::Parse { file: file.into(), source })?;
    if kind != KIND || !VERSIONS.contains(&api_version.as_str()) {
        return Err(ConfigurationError::Kind { file: file.into(), found: format!("{api_version} {kind}") });
    }
    let (mut read, mut seen) = (Plugins::default(), Vec::new());
    for plugin in plugins {
        if !NAMES.contains(&plugin.name.as_str()) || seen.contains(&plugin.name) {
            return Err(ConfigurationError::Plugin { file: file.into(), name: plugin.name });
        }
        seen.push(plugin.name.clone());
        read.take(plugin, file)?;
    }
    Ok(read)
}

impl Plugins {
    /// Takes what `whole`, the admission configuration, says of a stage.
    fn take(&mut self, plugin: Plugin, whole: &Path) -> Result<(), ConfigurationError> {
        let Plugin { name, path, configuration } = plugin;
        let folder = whole.parent().unwrap_or(Path::new("."));
        let is_named = !path.as_os_str().is_empty();
        if !is_named && configuration.is_none() {
            return Err(ConfigurationError::Nothing { file: whole.into(), name });
        }
        // As upstream, the file wins over what is written in place; paths are relative to the folder.
        let inline = configuration.filter(|_| !is_named).map(|inline| inline.to_string());
        let file = folder.join(path);
        if name == scheduling_policy::NAME {
            self.scheduling_policy = Some(match inline {
                None => Config::read(&file)?,
                Some(text) => {
                    Config::parse(&text, folder).map_err(|source| ConfigurationError::Inline { file: whole.into(), source })?
                }
            });
            return Ok(());
        }
        let stage = inline.map_or_else(|| plugin::read(&name, &file), |text| plugin::parse(&name, &text, folder))?;
        match name == MutatingWebhooks::NAME {
            true => self.webhooks.mutating = stage,
            false => self.webhooks.validating = stage,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Plugins, ConfigurationError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hook.yml"), "kubeconfig: engine\n").unwrap();
        std::fs::write(folder.path().join("hooks"), "users: [{name: '*', user: {token: t}}]\n").unwrap();
        let file = folder.path().join("config.yml");
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    const HEAD: &str = "apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\n";

    #[test]
    fn the_file_of_the_tutorial_leads_to_the_hooks_own() {
        let config =
            load(&format!("{HEAD}plugins:\n- name: SchedulingPolicy\n  path: hook.yml\n")).unwrap().scheduling_policy.unwrap();
        assert!(config.kubeconfig.ends_with("engine") && config.kubeconfig.is_absolute());
        let inline = "plugins:\n- name: SchedulingPolicy\n  configuration: {kubeconfig: /e, retryBackoff: 5}\n";
        assert_eq!(load(&format!("{HEAD}{inline}")).unwrap().scheduling_policy.unwrap().retry_backoff, 5);
        assert!(load(HEAD).unwrap().scheduling_policy.is_none());
    }

    #[test]
    fn each_stage_of_webhooks_has_its_own_credentials() {
        let plugin = |name: &str| {
            let kind = "apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration";
            format!("- {{name: {name}, configuration: {{{kind}, kubeConfigFile: hooks}}}}\n")
        };
        for (name, expected) in [("MutatingAdmissionWebhook", (true, false)), ("ValidatingAdmissionWebhook", (false, true))] {
            let Stages { mutating, validating } = load(&format!("{HEAD}plugins:\n{}", plugin(name))).unwrap().webhooks;
            let found = [mutating, validating].map(|stage| stage.users.of("h", 443).is_some());
            assert_eq!((found[0], found[1]), expected, "{name}");
            assert!(load(&format!("{HEAD}plugins:\n{}{}", plugin(name), plugin(name))).is_err(), "twice");
        }
    }

    #[test]
    fn t20_what_would_be_ignored_is_refused() {
        let twice = "plugins:\n- {name: SchedulingPolicy, path: hook.yml}\n- {name: SchedulingPolicy, path: hook.yml}\n";
        let table = [
            (format!("{HEAD}plugins: [{{name: EventRateLimit, path: x}}]\n"), "EventRateLimit"),
            (format!("{HEAD}{twice}"), "once"),
            (format!("{HEAD}pluggins: []\n"), "pluggins"),
            (format!("{HEAD}plugins: [{{name: SchedulingPolicy}}]\n"), "config.yml` has neither `path` nor `configuration`"),
            (format!("{HEAD}plugins: [{{name: MutatingAdmissionWebhook}}]\n"), "neither `path` nor `configuration` for `Mut"),
            (
                format!("{HEAD}plugins: [{{name: SchedulingPolicy, configuration: {{retryBackoff: 5}}}}]\n"),
                "config.yml`: `configuration` of SchedulingPolicy: kubeconfig path must not be empty",
            ),
            ("apiVersion: v1\nkind: ConfigMap\n".into(), "v1 ConfigMap"),
        ];
        for (text, part) in table {
            let error = load(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(read(Path::new("/none/config.yml")).unwrap_err().to_string().contains("/none/config.yml"));
    }
}
