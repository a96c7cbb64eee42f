//! A kubeconfig file: one server and one user, or users by the servers that they are for. Source of the fields: client-go
//! `clientcmd/api/v1`.
//!
//! What would change who is asked or who asks, and is not supported (`exec`, `auth-provider`, `proxy-url`, `as`), is refused
//! by name, as is any unknown key.

mod identity;
mod user;
mod users;

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value as Json;

pub use identity::UnusableIdentity;
pub use user::{Credentials, TokenError};
pub use users::{AuthInfo, Users};

use user::User;

/// The current context: where to and as whom.
#[derive(Debug)]
pub struct Access {
    /// With its path.
    pub server: Url,
    /// PEM of the certificates to trust; without them the system's.
    pub authority: Option<Vec<u8>>,
    /// PEM of the client's key and certificates.
    pub identity: Option<Vec<u8>>,
    /// Any certificate will do.
    pub insecure: bool,
    /// Sent with each request.
    pub credentials: Credentials,
}

/// Why a kubeconfig cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KubeconfigError {
    /// A file.
    #[error("cannot read `{file}`: {source}")]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not a kubeconfig.
    #[error("it is not a kubeconfig: {0}")]
    Parse(#[source] yaml_serde::Error),
    /// Another kind of file.
    #[error("it is `{0}`: give a v1 Config, or leave both keys out")]
    Kind(String),
    /// A name that nothing has.
    #[error("there is no {what} `{name}` in it")]
    Missing {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// `*-data` that is not base64.
    #[error("`{field}` is not base64: {source}")]
    Base64 {
        /// Which.
        field: &'static str,
        /// Why.
        source: base64::DecodeError,
    },
    /// Not a usable address.
    #[error("`server` must be an http or https address, not `{0}`")]
    Server(String),
    /// Half of a pair.
    #[error("a client certificate needs both `client-certificate` and `client-key`")]
    HalfIdentity,
    /// A certificate and a key of which no identity can be made.
    #[error(transparent)]
    Identity(Box<UnusableIdentity>),
    /// Something that would silently do something else.
    #[error("`{0}` is not supported: use a token, a token file or a client certificate")]
    Unsupported(&'static str),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    #[serde(rename = "apiVersion", default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(rename = "preferences")]
    _preferences: Option<Json>,
    #[serde(rename = "extensions")]
    _extensions: Option<Json>,
    #[serde(default)]
    clusters: Vec<NamedCluster>,
    #[serde(default)]
    users: Vec<NamedUser>,
    #[serde(default)]
    contexts: Vec<NamedContext>,
    #[serde(default)]
    current_context: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedCluster {
    name: String,
    cluster: Cluster,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedUser {
    name: String,
    #[serde(default)]
    user: User,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedContext {
    name: String,
    context: Context,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Cluster {
    server: String,
    certificate_authority: Option<PathBuf>,
    certificate_authority_data: Option<String>,
    #[serde(default)]
    insecure_skip_tls_verify: bool,
    tls_server_name: Option<String>,
    proxy_url: Option<String>,
    #[serde(rename = "disable-compression")]
    _disable_compression: Option<bool>,
    #[serde(rename = "extensions")]
    _extensions: Option<Json>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Context {
    cluster: String,
    #[serde(default)]
    user: String,
    #[serde(rename = "namespace")]
    _namespace: Option<String>,
    #[serde(rename = "extensions")]
    _extensions: Option<Json>,
}

// --- impl Access ---

impl Access {
    /// Reads the file and those that it names, relative to its own folder.
    pub fn read(path: &Path) -> Result<Self, KubeconfigError> {
        let file = File::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let context = file.context()?;
        let missing = |what, name: &str| KubeconfigError::Missing { what, name: name.into() };
        let cluster = file.clusters.iter().find(|named| named.name == context.cluster);
        let cluster = &cluster.ok_or_else(|| missing("cluster", &context.cluster))?.cluster;
        let nobody = User::default();
        let user = match file.users.iter().find(|named| named.name == context.user) {
            Some(named) => &named.user,
            None if context.user.is_empty() => &nobody,
            None => return Err(missing("user", &context.user)),
        };
        cluster.check()?;
        Ok(Self {
            server: address(&cluster.server)?,
            authority: data(
                "certificate-authority-data",
                cluster.certificate_authority_data.as_deref(),
                cluster.certificate_authority.as_deref(),
                folder,
            )?,
            identity: user.identity(folder)?,
            insecure: cluster.insecure_skip_tls_verify,
            credentials: user.credentials(folder)?,
        })
    }
}

impl File {
    fn read(path: &Path) -> Result<Self, KubeconfigError> {
        let file: Self = yaml_serde::from_slice(&read(path)?).map_err(KubeconfigError::Parse)?;
        // As client-go has it, a file that does not say what it is is one.
        let is_one = matches!(file.api_version.as_str(), "" | "v1") && matches!(file.kind.as_str(), "" | "Config");
        if is_one {
            Ok(file)
        } else {
            Err(KubeconfigError::Kind(format!("{} {}", file.api_version, file.kind).trim().to_owned()))
        }
    }

    /// The current one; the only one, if none is current.
    fn context(&self) -> Result<&Context, KubeconfigError> {
        match (self.current_context.as_str(), self.contexts.as_slice()) {
            ("", [only]) => Ok(&only.context),
            (name, contexts) => contexts
                .iter()
                .find(|named| named.name == name)
                .map(|named| &named.context)
                .ok_or_else(|| KubeconfigError::Missing { what: "context", name: name.into() }),
        }
    }
}

impl Cluster {
    fn check(&self) -> Result<(), KubeconfigError> {
        match (&self.tls_server_name, &self.proxy_url) {
            (Some(_), _) => Err(KubeconfigError::Unsupported("tls-server-name")),
            (_, Some(_)) => Err(KubeconfigError::Unsupported("proxy-url")),
            _ => Ok(()),
        }
    }
}

fn address(text: &str) -> Result<Url, KubeconfigError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let is_plain = |url: &Url| url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    url.filter(is_plain).ok_or_else(|| KubeconfigError::Server(text.into()))
}

/// The inline form wins over the file.
fn data(
    field: &'static str,
    inline: Option<&str>,
    file: Option<&Path>,
    folder: &Path,
) -> Result<Option<Vec<u8>>, KubeconfigError> {
    match (inline, file) {
        (Some(text), _) => {
            let plain: String = text.split_whitespace().collect();
            STANDARD.decode(plain).map(Some).map_err(|source| KubeconfigError::Base64 { field, source })
        }
        (None, Some(file)) => read(&folder.join(file)).map(Some),
        (None, None) => Ok(None),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, KubeconfigError> {
    std::fs::read(file).map_err(|source| KubeconfigError::Read { file: file.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Access, KubeconfigError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), "CA").unwrap();
        let file = folder.path().join("kubeconfig");
        std::fs::write(&file, text).unwrap();
        Access::read(&file)
    }

    fn with(cluster: &str, user: &str) -> Result<Access, KubeconfigError> {
        load(&format!(
            "clusters: [{{name: opa-api, cluster: {{{cluster}}}}}]\nusers: [{{name: me, user: {{{user}}}}}]\n\
             contexts: [{{name: default, context: {{cluster: opa-api, user: me}}}}]\ncurrent-context: default\n"
        ))
    }

    /// The file of the kubernetes.io tutorial "Set up placement policies in Federation".
    #[test]
    fn the_kubeconfig_of_the_tutorial_is_read() {
        let access = load(
            "clusters:\n  - name: opa-api\n    cluster:\n      server: http://opa.federation-system.svc.cluster.local:8181/v0/data/kubernetes/placement\n\
             users:\n  - name: scheduling-policy\n    user:\n      token: deadbeefsecret\n\
             contexts:\n  - name: default\n    context:\n      cluster: opa-api\n      user: scheduling-policy\n\
             current-context: default\n",
        )
        .unwrap();
        assert_eq!(access.server.path(), "/v0/data/kubernetes/placement");
        assert_eq!(access.credentials, Credentials::Token("deadbeefsecret".into()));
    }

    #[test]
    fn files_are_relative_to_the_kubeconfig_and_inline_data_wins() {
        let access = with("server: 'https://e:1', certificate-authority: ca.pem", "").unwrap();
        assert_eq!(access.authority.as_deref(), Some(b"CA".as_slice()));
        let data = "server: 'https://e:1', certificate-authority: none.pem, certificate-authority-data: SGk=";
        assert_eq!(with(data, "").unwrap().authority.as_deref(), Some(b"Hi".as_slice()));
    }

    #[test]
    fn t20_what_cannot_be_used_is_refused_by_name() {
        let server = "server: 'https://e:1'";
        let table = [
            (with("server: 'ftp://e'", ""), "ftp://e"),
            (with("server: 'https://me:pw@e'", ""), "server"),
            (with(&format!("{server}, sever: x"), ""), "sever"),
            (with(&format!("{server}, proxy-url: x"), ""), "proxy-url"),
            (with(&format!("{server}, certificate-authority: none.pem"), ""), "none.pem"),
            (with(&format!("{server}, certificate-authority-data: '%'"), ""), "certificate-authority-data"),
            (with(server, "exec: {command: x}"), "exec"),
            (with(server, "client-key-data: SGk="), "client-certificate"),
            (load("contexts: []\ncurrent-context: prod\n"), "prod"),
            (load("- a\n"), "kubeconfig"),
            (load("apiVersion: v1\nkind: Confg\n"), "v1 Confg"),
            (load("apiVersion: v2\n"), "`v2`"),
        ];
        for (result, part) in table {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn a_certificate_and_the_key_of_another_are_refused_by_the_names_of_their_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["mine", "yours"] {
            let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
            std::fs::write(folder.path().join(format!("{name}.crt")), made.cert.pem()).unwrap();
            std::fs::write(folder.path().join(format!("{name}.key")), made.signing_key.serialize_pem()).unwrap();
        }
        let with = |certificate: &str, key: &str| {
            let [certificate, key] = [certificate, key].map(|name| folder.path().join(name).display().to_string());
            with("server: 'https://e:1'", &format!("client-certificate: {certificate}, client-key: {key}"))
        };
        assert!(with("mine.crt", "mine.key").unwrap().identity.is_some());
        let error = with("mine.crt", "yours.key").unwrap_err().to_string();
        assert!(error.contains("mine.crt` and `") && error.contains("yours.key` cannot be used"), "{error}");
    }

    #[test]
    fn secrets_are_not_printed() {
        let access = with("server: 'https://e:1'", "token: geheim").unwrap();
        assert!(!format!("{access:?}").contains("geheim"));
    }
}
