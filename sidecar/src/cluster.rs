//! The way to the federation's API server: kubeconfig or in-cluster, and what can go wrong on it.

use std::fmt;
use std::path::{Path, PathBuf};

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};
use plimsoll_contract::kind::Gvr;
use thiserror::Error;

pub mod connection;
mod fingerprint;
pub mod rotation;

/// Where the credentials come from.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// A kubeconfig file; without it `$KUBECONFIG`, then the Pod's ServiceAccount, then `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig, instead of its current one.
    pub context: Option<String>,
}

impl fmt::Display for Access {
    /// Where to look when the API server cannot be reached, or does not know us.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kubeconfig {
            Some(file) => write!(f, "kubeconfig `{}`", file.display())?,
            None if self.context.is_some() => f.write_str("the default kubeconfig")?,
            None => f.write_str("credentials of $KUBECONFIG, the Pod or ~/.kube/config")?,
        }
        self.context.iter().try_for_each(|context| write!(f, ", context `{context}`"))
    }
}

/// Why there is no client. None is worth a retry.
#[derive(Debug, Error)]
pub enum AccessError {
    /// The kubeconfig cannot be used.
    #[error("cannot use the kubeconfig `{file}`")]
    Kubeconfig {
        /// The file.
        file: PathBuf,
        /// Why.
        source: Box<KubeconfigError>,
    },
    /// Neither a kubeconfig nor a ServiceAccount is there.
    #[error("no way to an API server: give --kubeconfig, or run in a Pod with a ServiceAccount")]
    Nowhere(#[source] Box<kube::config::InferConfigError>),
    /// `--context` needs a kubeconfig.
    #[error("cannot use the context `{context}` of the default kubeconfig")]
    Context {
        /// The context.
        context: String,
        /// Why.
        source: Box<KubeconfigError>,
    },
    /// It is not there.
    #[error("there is no context `{context}` in {place}")]
    NoContext {
        /// The context.
        context: String,
        /// The file, or what stands for it.
        place: String,
    },
    /// The credentials or certificates in it cannot be used.
    #[error("the API server's address, certificates or credentials cannot be used")]
    Client(#[source] Box<kube::Error>),
    /// A mistake of the program.
    #[error("building the API server's client broke off")]
    Broken(#[source] tokio::task::JoinError),
}

/// A failed request to the API server.
#[derive(Debug, Error)]
pub enum Fault {
    /// The API server answered with an error.
    #[error("{code} {reason}: {message}")]
    Answered {
        /// HTTP status.
        code: u16,
        /// Kubernetes' word for it.
        reason: String,
        /// The API server's sentence.
        message: String,
    },
    /// The API server answered that it has too much to do, and when to come back.
    #[error("{code} {reason}: {message} (asks to wait for {after:?})")]
    Busy {
        /// HTTP status.
        code: u16,
        /// Kubernetes' word for it.
        reason: String,
        /// The API server's sentence.
        message: String,
        /// `Retry-After`.
        after: std::time::Duration,
    },
    /// No answer, or half of one.
    #[error("the API server cannot be reached: {}", innermost(.0))]
    Unreachable(#[source] Box<kube::Error>),
    /// No answer in time.
    #[error("the API server did not answer within {0:?}")]
    TimedOut(std::time::Duration),
    /// An answer that is not what was asked for.
    #[error("the API server's answer cannot be read: {0}")]
    Unreadable(String),
    /// A write that was not sent: another replica may hold the Lease by now.
    #[error("this replica does not hold the Lease")]
    NotLeading,
    /// A request that cannot be built.
    #[error("the request cannot be built: {0}")]
    Request(#[source] kube::core::request::Error),
}

impl Fault {
    /// The HTTP status, if the API server answered.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Answered { code, .. } | Self::Busy { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// The API server has too much to do, for a while.
    pub fn is_busy(&self) -> bool {
        self.code() == Some(429)
    }

    /// Returns how long the API server asked to wait before the next request (`Retry-After`); `None` if it did not ask.
    pub fn retry_after(&self) -> Option<std::time::Duration> {
        match self {
            Self::Busy { after, .. } => Some(*after),
            _ => None,
        }
    }

    /// The resourceVersion, or the page, is too old: list again.
    pub fn is_expired(&self) -> bool {
        self.code() == Some(410)
    }

    /// The kind is not served.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }
}

impl From<kube::Error> for Fault {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => {
                let (code, reason, message) = (status.code, status.reason, status.message);
                match status.details.map_or(0, |details| details.retry_after_seconds) {
                    0 => Self::Answered { code, reason, message },
                    seconds => Self::Busy { code, reason, message, after: std::time::Duration::from_secs(seconds.into()) },
                }
            }
            kube::Error::SerdeError(error) => Self::Unreadable(error.to_string()),
            kube::Error::BuildRequest(error) => Self::Request(error),
            other => Self::Unreachable(Box::new(other)),
        }
    }
}

/// The cause that a person can act upon: kube's own words repeat themselves.
fn innermost(error: &kube::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// Builds a client. It does not speak to the API server: one that is away is no error here.
pub async fn connect(access: &Access) -> Result<Client, AccessError> {
    build(config(access).await?).await
}

async fn build(config: Config) -> Result<Client, AccessError> {
    let build = move || Client::try_from(config).map_err(|error| AccessError::Client(Box::new(error)));
    // A credential plugin is a program that may take its time.
    tokio::task::spawn_blocking(build).await.map_err(AccessError::Broken)?
}

async fn config(access: &Access) -> Result<Config, AccessError> {
    let mut config = match (&access.kubeconfig, &access.context) {
        (Some(file), context) => from_file(file, context.clone()).await?,
        (None, Some(context)) => {
            let failed = |source| match source {
                KubeconfigError::LoadContext(context) => {
                    AccessError::NoContext { context, place: "the default kubeconfig".to_owned() }
                }
                source => AccessError::Context { context: context.clone(), source: Box::new(source) },
            };
            Config::from_kubeconfig(&options(Some(context.clone()))).await.map_err(failed)?
        }
        (None, None) => infer().await?,
    };
    // Each loop has its own backoff and says what it waits for; the client's retries would hide that.
    config.default_retry = false;
    trim(&mut config);
    Ok(config)
}

/// A token file that ends with a newline is sent as it is by `kube`, which no header can hold; client-go trims it. Trimmed here it is not
/// read again by `kube`, but when [`Fingerprint`](fingerprint) says that it is another one.
fn trim(config: &mut Config) {
    let Some(text) = config.auth_info.token_file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()) else { return };
    if text.trim() != text {
        config.auth_info.token = Some(text.trim().to_owned().into());
        config.auth_info.token_file = None;
    }
}

async fn from_file(file: &Path, context: Option<String>) -> Result<Config, AccessError> {
    let failed = |source| match source {
        KubeconfigError::LoadContext(context) => AccessError::NoContext { context, place: format!("`{}`", file.display()) },
        source => AccessError::Kubeconfig { file: file.into(), source: Box::new(source) },
    };
    let kubeconfig = Kubeconfig::read_from(file).map_err(failed)?;
    Config::from_custom_kubeconfig(kubeconfig, &options(context)).await.map_err(failed)
}

/// In a Pod the ServiceAccount counts, whatever a home directory holds.
async fn infer() -> Result<Config, AccessError> {
    if std::env::var_os("KUBECONFIG").is_none()
        && let Ok(config) = Config::incluster()
    {
        return Ok(config);
    }
    Config::infer().await.map_err(|error| AccessError::Nowhere(Box::new(error)))
}

fn options(context: Option<String>) -> KubeConfigOptions {
    KubeConfigOptions { context, ..KubeConfigOptions::default() }
}

/// `/apis/apps/v1/namespaces/n/replicasets`.
pub fn path(gvr: &Gvr, namespace: Option<&str>) -> String {
    let root = if gvr.group.is_empty() { "/api" } else { "/apis" };
    match namespace {
        None => format!("{root}/{}/{}", gvr.api_version(), gvr.resource),
        Some(namespace) => format!("{root}/{}/namespaces/{namespace}/{}", gvr.api_version(), gvr.resource),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_kubeconfig_that_does_not_exist_is_named() {
        let access = Access { kubeconfig: Some("/nowhere/config".into()), context: None };
        let error = connect(&access).await.err().unwrap();
        assert!(error.to_string().contains("/nowhere/config"), "{error}");
    }

    #[tokio::test]
    async fn a_token_file_may_end_with_a_newline() {
        let dir = tempfile::tempdir().unwrap();
        let text = "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: u, user: {tokenFile: token}}]\n\
                    contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
        std::fs::write(dir.path().join("config"), text).unwrap();
        let access = Access { kubeconfig: Some(dir.path().join("config")), context: None };
        for (content, is_file) in [("secret", true), ("secret\n", false)] {
            std::fs::write(dir.path().join("token"), content).unwrap();
            let config = config(&access).await.unwrap();
            assert_eq!(
                (config.auth_info.token_file.is_some(), config.auth_info.token.is_none()),
                (is_file, is_file),
                "{content:?}"
            );
            let client = build(config).await.unwrap();
            let error = client.apiserver_version().await.unwrap_err();
            assert!(!error.to_string().contains("header"), "{error}");
        }
    }

    #[test]
    fn it_is_said_where_the_credentials_come_from() {
        let access = |file: Option<&str>, context: Option<&str>| {
            Access { kubeconfig: file.map(PathBuf::from), context: context.map(str::to_owned) }.to_string()
        };
        assert_eq!(access(Some("/k"), Some("prod")), "kubeconfig `/k`, context `prod`");
        assert_eq!(access(Some("/k"), None), "kubeconfig `/k`");
        assert_eq!(access(None, Some("prod")), "the default kubeconfig, context `prod`");
        assert!(access(None, None).contains("$KUBECONFIG"));
    }

    #[test]
    fn paths_are_those_of_the_api_server() {
        let gvr = |text: &str| Gvr::try_from(text.to_owned()).unwrap();
        assert_eq!(path(&gvr("v1/configmaps"), Some("n")), "/api/v1/namespaces/n/configmaps");
        assert_eq!(path(&gvr("apps/v1/replicasets"), None), "/apis/apps/v1/replicasets");
    }
}
