//! How the server's administrator configures the two stages of webhooks. Source: `apiserver`
//! `pkg/admission/plugin/webhook/config/apis/webhookadmission`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::admission::kubeconfig::{KubeconfigError, Users};

/// `apiVersion` and `kind` of the file; the first one is today's.
const KINDS: [(&str, &str); 2] =
    [("apiserver.config.k8s.io/v1", "WebhookAdmissionConfiguration"), ("apiserver.config.k8s.io/v1alpha1", "WebhookAdmission")];

/// What the file says; YAML or JSON.
///
/// ```yaml
/// apiVersion: apiserver.config.k8s.io/v1
/// kind: WebhookAdmissionConfiguration
/// kubeConfigFile: hooks.kubeconfig
/// ```
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    api_version: String,
    kind: String,
    kube_config_file: Option<PathBuf>,
}

/// Who the server is to the webhooks of each stage.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// To mutating webhooks.
    pub mutating: Users,
    /// To validating ones, and to hooks of `v1alpha1`.
    pub validating: Users,
}

/// A configuration of a stage of webhooks that is refused.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The file.
    #[error("cannot read the configuration `{file}` of {plugin}: {source}")]
    Read {
        /// Which.
        file: PathBuf,
        /// Of which stage.
        plugin: String,
        /// Why.
        source: std::io::Error,
    },
    /// Its content.
    #[error("the configuration of {plugin} is not valid: {source}")]
    Parse {
        /// Of which stage.
        plugin: String,
        /// Why.
        source: yaml_serde::Error,
    },
    /// Another kind of file.
    #[error("the configuration of {plugin} is `{found}`: give a {} of {}", KINDS[0].1, KINDS[0].0)]
    Kind {
        /// Of which stage.
        plugin: String,
        /// Its apiVersion and kind.
        found: String,
    },
    /// The kubeconfig with the credentials.
    #[error("cannot use the kubeconfig `{file}` of {plugin}: {source}")]
    Kubeconfig {
        /// The file.
        file: PathBuf,
        /// Of which stage.
        plugin: String,
        /// Why.
        source: KubeconfigError,
    },
}

/// Returns whom a file names for the webhooks of a stage. Fails when it, or the kubeconfig that it names, cannot be read.
pub fn read(plugin: &str, file: &Path) -> Result<Users, PluginError> {
    let failed = |source| PluginError::Read { file: file.into(), plugin: plugin.into(), source };
    let text = std::fs::read_to_string(file).map_err(failed)?;
    parse(plugin, &text, file.parent().unwrap_or(Path::new(".")))
}

/// Returns whom a text names for the webhooks of a stage; a relative `kubeConfigFile` is relative to `folder`. Fails when it is not valid, or
/// the kubeconfig cannot be used.
pub fn parse(plugin: &str, text: &str, folder: &Path) -> Result<Users, PluginError> {
    let parsed = yaml_serde::from_str(text).map_err(|source| PluginError::Parse { plugin: plugin.into(), source });
    let File { api_version, kind, kube_config_file } = parsed?;
    if !KINDS.contains(&(api_version.as_str(), kind.as_str())) {
        return Err(PluginError::Kind { plugin: plugin.into(), found: format!("{api_version} {kind}") });
    }
    let Some(file) = kube_config_file.filter(|file| !file.as_os_str().is_empty()) else { return Ok(Users::default()) };
    let file = folder.join(file);
    Users::read(&file).map_err(|source| PluginError::Kubeconfig { file, plugin: plugin.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n";

    #[test]
    fn the_kubeconfig_is_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hooks"), "users: [{name: '*', user: {token: t}}]\n").unwrap();
        std::fs::write(folder.path().join("plugin.yaml"), format!("{HEAD}kubeConfigFile: hooks\n")).unwrap();
        let users = read("MutatingAdmissionWebhook", &folder.path().join("plugin.yaml")).unwrap();
        assert!(users.of("anybody", 443).is_some());
        let nobody = parse("x", &format!("{HEAD}kubeConfigFile: ''\n"), folder.path()).unwrap();
        assert!(nobody.of("anybody", 443).is_none());
    }

    #[test]
    fn t20_what_is_wrong_is_named() {
        let table = [
            (format!("{HEAD}kubeConfigFile: none\n"), "`/etc/none`"),
            (format!("{HEAD}kubeConfig: x\n"), "kubeConfig"),
            ("apiVersion: v1\nkind: Config\n".to_owned(), "`v1 Config`"),
            ("{".to_owned(), "not valid"),
        ];
        for (text, part) in table {
            let error = parse("MutatingAdmissionWebhook", &text, Path::new("/etc")).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("MutatingAdmissionWebhook"), "{part}: {error}");
        }
        let missing = read("x", Path::new("/none/plugin.yaml")).unwrap_err().to_string();
        assert!(missing.contains("/none/plugin.yaml"), "{missing}");
    }
}
