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
/// staticManifestsDir: /etc/kubernetes/admission/validating
/// ```
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    api_version: String,
    kind: String,
    kube_config_file: Option<PathBuf>,
    static_manifests_dir: Option<PathBuf>,
}

/// What the administrator has set for each stage of webhooks.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// Of mutating webhooks.
    pub mutating: WebhookAdmission,
    /// Of validating ones, and in part of hooks of `v1alpha1`.
    pub validating: WebhookAdmission,
}

/// What a file says of its stage.
#[derive(Clone, Debug, Default)]
pub struct WebhookAdmission {
    /// Who the server is to the webhooks of the stage.
    pub users: Users,
    /// Absolute path of a directory with webhooks that the API does not know of (KEP-5793).
    pub static_manifests_dir: Option<PathBuf>,
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
    /// The directory of manifests.
    #[error("the staticManifestsDir `{folder}` of {plugin} {source}")]
    StaticManifestsDir {
        /// The directory.
        folder: PathBuf,
        /// Of which stage.
        plugin: String,
        /// Why.
        source: DirectoryError,
    },
}

/// Why a directory of manifests is refused, in upstream's words; each goes on from the name of the directory.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The older version of the file has no such field.
    #[error("is known to {} alone", KINDS[0].0)]
    Version,
    /// A relative path.
    #[error("must be an absolute file path")]
    Relative,
    /// Something else by this name.
    #[error("must be a directory")]
    NotADirectory,
    /// It is not there, or may not be looked at.
    #[error("is unable to be read: {0}")]
    Unreadable(#[source] std::io::Error),
}

/// Returns what a file says of a stage of webhooks. Fails when it, or what it names, cannot be read.
pub fn read(plugin: &str, file: &Path) -> Result<WebhookAdmission, PluginError> {
    let failed = |source| PluginError::Read { file: file.into(), plugin: plugin.into(), source };
    let text = std::fs::read_to_string(file).map_err(failed)?;
    parse(plugin, &text, file.parent().unwrap_or(Path::new(".")))
}

/// Returns what a text says of a stage of webhooks; a relative `kubeConfigFile` is relative to `folder`. Fails when it is not valid, or
/// the kubeconfig or the directory of manifests cannot be used.
pub fn parse(plugin: &str, text: &str, folder: &Path) -> Result<WebhookAdmission, PluginError> {
    let parsed = yaml_serde::from_str(text).map_err(|source| PluginError::Parse { plugin: plugin.into(), source });
    let File { api_version, kind, kube_config_file, static_manifests_dir } = parsed?;
    if !KINDS.contains(&(api_version.as_str(), kind.as_str())) {
        return Err(PluginError::Kind { plugin: plugin.into(), found: format!("{api_version} {kind}") });
    }
    let static_manifests_dir = named(static_manifests_dir);
    if let Some(directory) = &static_manifests_dir {
        let refused = |source| PluginError::StaticManifestsDir { folder: directory.clone(), plugin: plugin.into(), source };
        check_directory(directory, &api_version).map_err(refused)?;
    }
    let users = match named(kube_config_file).map(|file| folder.join(file)) {
        Some(file) => Users::read(&file).map_err(|source| PluginError::Kubeconfig { file, plugin: plugin.into(), source })?,
        None => Users::default(),
    };
    Ok(WebhookAdmission { users, static_manifests_dir })
}

/// An empty path names nothing.
fn named(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// Fails when manifests cannot be read from `directory`, or a file of `api_version` cannot name it. Source: `apiserver`
/// `pkg/admission/plugin/manifest/validation.go`.
fn check_directory(directory: &Path, api_version: &str) -> Result<(), DirectoryError> {
    if api_version != KINDS[0].0 {
        return Err(DirectoryError::Version);
    }
    if !directory.is_absolute() {
        return Err(DirectoryError::Relative);
    }
    match std::fs::metadata(directory) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(DirectoryError::NotADirectory),
        Err(error) => Err(DirectoryError::Unreadable(error)),
    }
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
        let users = read("MutatingAdmissionWebhook", &folder.path().join("plugin.yaml")).unwrap().users;
        assert!(users.of("anybody", 443).is_some());
        let nobody = parse("x", &format!("{HEAD}kubeConfigFile: ''\nstaticManifestsDir: ''\n"), folder.path()).unwrap();
        assert!(nobody.users.of("anybody", 443).is_none() && nobody.static_manifests_dir.is_none());
    }

    #[test]
    fn the_directory_of_manifests_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let read = parse("x", &format!("{HEAD}staticManifestsDir: {at}\n"), Path::new("/etc")).unwrap();
        assert_eq!(read.static_manifests_dir.as_deref(), Some(folder.path()));
        std::fs::write(folder.path().join("file"), "").unwrap();
        let old = HEAD.replace("/v1", "/v1alpha1").replace("Configuration", "");
        let table = [
            (format!("{HEAD}staticManifestsDir: manifests\n"), "`manifests` of x must be an absolute file path"),
            (format!("{HEAD}staticManifestsDir: {at}/none\n"), "of x is unable to be read: No such file"),
            (format!("{HEAD}staticManifestsDir: {at}/file\n"), "of x must be a directory"),
            (format!("{old}staticManifestsDir: {at}\n"), "is known to apiserver.config.k8s.io/v1 alone"),
        ];
        for (text, part) in table {
            let error = parse("x", &text, Path::new("/etc")).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
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
