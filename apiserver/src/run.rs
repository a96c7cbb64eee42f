//! The whole server: put together, started, stopped. For use inside an actix system.

mod chain;
mod options;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use tokio::task::JoinHandle;

use crate::admission::configuration::{self, ConfigurationError};
use crate::admission::enablement::EnablementError;
use crate::admission::outbound::WayError;
use crate::admission::remote::{self, Remote};
use crate::admission::scheduling_policy::ConfigError;
use crate::admission::webhook::{ManifestError, Manifests, manifest};
use crate::audit::{Log, LogError};
use crate::authn::pki::{Authority, Identity, PkiError, kubeconfig};
use crate::authn::token_file::TokenFileError;
use crate::authn::{Authenticator, StaticTokens};
use crate::authz::{Authorizer, rbac};
use crate::http::listen;
use crate::metrics::Metrics;
use crate::resources::{Live, Registry, RuntimeConfigError, TableError};
use crate::rest::{garbage_collection, initialization, namespaces};
use crate::server::{ApiServer, Initialization, Parts, Phase};
use crate::status::Status;
use crate::storage::{self, OpenError, Store};

pub use options::Options;

/// At the end, for what the audit log still has to write.
const AUDIT_LOG: Duration = Duration::from_secs(10);

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The table of kinds.
    #[error(transparent)]
    Kinds(#[from] TableError),
    /// Keys and certificates.
    #[error(transparent)]
    Pki(#[from] PkiError),
    /// Static tokens.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    /// The roles that come with the server.
    #[error("the embedded roles cannot be read")]
    Roles(#[from] yaml_serde::Error),
    /// What is switched off and on among the versions.
    #[error(transparent)]
    RuntimeConfig(#[from] RuntimeConfigError),
    /// What is switched off and on among the admission plugins.
    #[error(transparent)]
    Plugins(#[from] EnablementError),
    /// The admission configuration.
    #[error(transparent)]
    Admission(#[from] ConfigurationError),
    /// The audit log.
    #[error(transparent)]
    Audit(#[from] LogError),
    /// The manifests of static webhooks.
    #[error(transparent)]
    Manifests(#[from] ManifestError),
    /// The kubeconfig of the API server with the configurations.
    #[error(transparent)]
    Remote(#[from] WayError),
    /// The engine's kubeconfig.
    #[error(transparent)]
    Engine(#[from] ConfigError),
    /// Counters.
    #[error("the metrics cannot be set up")]
    Metrics(#[from] prometheus::Error),
    /// The port.
    #[error("cannot listen on {address}: choose another address or port")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The first objects.
    #[error("cannot store the first objects")]
    Bootstrap(#[source] Status),
}

/// A server that answers.
pub struct Running {
    server: Data<ApiServer>,
    handle: ServerHandle,
    authority: Authority,
    url: String,
    serving: JoinHandle<io::Result<()>>,
    controllers: Vec<JoinHandle<()>>,
    shutdown_delay: Duration,
}

/// Starts a server; it is ready when this returns, unless another API server has its configurations and does not answer.
pub async fn start(options: Options) -> Result<Running, StartError> {
    let authority = match &options.data_dir {
        Some(directory) => Authority::kept(directory)?,
        None => Authority::ephemeral()?,
    };
    let socket = bind(options.listen)?;
    let address = socket.local_addr().map_err(|source| StartError::Listen { address: options.listen, source })?;
    let store = open(&options).await?;
    let server = Data::new(assemble(&options, &authority, store, address)?);
    let identity = authority.serving(&[address.ip()])?;
    let tls = authority.server_config(&identity)?;
    let listening = listen::serve(server.clone(), socket, tls, options.workers);
    let listening = listening.map_err(|source| StartError::Listen { address, source })?;
    let handle = listening.handle();
    let serving = actix_web::rt::spawn(listening);
    let shared = server.clone().into_inner();
    namespaces::bootstrap(&shared, rbac::bootstrap::objects()?).await.map_err(StartError::Bootstrap)?;
    if let Some(remote) = &shared.remote {
        remote.first().await;
    }
    let controllers = controllers(&shared, options.manifest_interval);
    server.phase.send_replace(Phase::Serving);
    let url = format!("https://{address}");
    Ok(Running { server, handle, authority, url, serving, controllers, shutdown_delay: options.shutdown_delay })
}

/// What runs as long as the server does.
fn controllers(server: &Arc<ApiServer>, manifest_interval: manifest::Interval) -> Vec<JoinHandle<()>> {
    let mut all = vec![
        actix_web::rt::spawn(namespaces::run(Arc::clone(server))),
        actix_web::rt::spawn(initialization::run(Arc::clone(server))),
        actix_web::rt::spawn(manifest::reload(Arc::clone(&server.manifests), manifest_interval)),
        actix_web::rt::spawn(garbage_collection::run(Arc::clone(server))),
    ];
    all.extend(server.remote.clone().map(|remote| actix_web::rt::spawn(remote::run(remote))));
    all
}

fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|source| StartError::Listen { address, source })
}

/// Reads and checks the data file, off the async threads.
async fn open(options: &Options) -> Result<Store, StartError> {
    let path = options.data_dir.clone();
    let options = storage::Options { path, fsync: options.fsync, history: options.history };
    let opened = tokio::task::spawn_blocking(move || Store::open(options)).await;
    let failed = |error: tokio::task::JoinError| StartError::Bootstrap(Status::internal(error));
    Ok(opened.map_err(failed)??)
}

fn authenticator(options: &Options, authority: &Authority, store: &Store) -> Result<Authenticator, StartError> {
    let tokens = options.token_file.as_deref().map(StaticTokens::load).transpose()?.unwrap_or_default();
    let authenticator = Authenticator::new(tokens);
    Ok(authenticator.with_accounts(authority.token_key(), store.clone()).with_anonymous(options.anonymous))
}

fn registry(options: &Options, store: &Store) -> Result<Registry, StartError> {
    let registry = options.runtime_config.apply(&Registry::built_in()?)?;
    Ok(if options.remote.is_some() { chain::without_registration(&registry, store) } else { registry })
}

fn assemble(options: &Options, authority: &Authority, store: Store, address: SocketAddr) -> Result<ApiServer, StartError> {
    let authenticator = authenticator(options, authority, &store)?;
    let authorizer = Arc::new(Authorizer::new(store.clone()));
    let (metrics, address) = (Metrics::new()?, address.to_string());
    let audit = options.audit.as_ref().map(|options| Log::open(options, metrics.audit.clone())).transpose()?;
    let remote = options.remote.clone().map(|settings| Remote::new(settings, metrics.admission.remote.clone())).transpose()?;
    let remote = remote.map(Arc::new);
    let registry = registry(options, &store)?;
    let plugins = options.plugins.plugins()?;
    let mut configured = options.admission.as_deref().map(configuration::read).transpose()?.unwrap_or_default();
    chain::without_idle_manifests(&mut configured.webhooks, &plugins);
    let counted = metrics.admission.webhooks.manifests.clone();
    let manifests = Arc::new(Manifests::load(&configured.webhooks, &registry, &address, counted)?);
    let settings = chain::initializers(options.initializers, &plugins, &options.plugins)?;
    let initialization = Initialization::new(settings, Arc::default());
    let parts = chain::Parts {
        options,
        registry: &registry,
        store: &store,
        remote: remote.as_deref(),
        authorizer: &authorizer,
        initialization: &initialization,
        metrics: &metrics.admission,
    };
    let chain = chain::chain(&parts, &plugins, configured)?;
    let registry = Live::of(registry);
    let parts =
        Parts { store, registry, authenticator, authorizer, chain, manifests, remote, metrics, audit, initialization, address };
    Ok(ApiServer::new(parts))
}

impl Running {
    /// Such as `https://127.0.0.1:40123`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate that clients must trust, as PEM.
    pub fn ca(&self) -> &str {
        self.authority.pem()
    }

    /// A client certificate for a user.
    pub fn client(&self, user: &str, groups: &[&str]) -> Result<Identity, PkiError> {
        self.authority.client(user, groups)
    }

    /// A kubeconfig for a user, who is known by a client certificate.
    pub fn kubeconfig(&self, user: &str, groups: &[&str]) -> Result<String, PkiError> {
        kubeconfig::text(&self.url, self.authority.pem(), &kubeconfig::Credential::Certificate(self.client(user, groups)?))
    }

    /// The kubeconfig of an administrator.
    pub fn admin_kubeconfig(&self) -> Result<String, PkiError> {
        self.kubeconfig("admin", &["system:masters"])
    }

    /// The shared parts, for tests and for `dev`.
    pub fn server(&self) -> Arc<ApiServer> {
        self.server.clone().into_inner()
    }

    /// Stops: not ready, then no new connections and no watches, then the store is written out.
    pub async fn stop(self) {
        self.server.phase.send_replace(Phase::Leaving);
        tokio::time::sleep(self.shutdown_delay).await;
        self.server.phase.send_replace(Phase::Draining);
        self.handle.stop(true).await;
        match self.serving.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the listener failed"),
            Err(error) => tracing::error!(%error, "the listener ended unexpectedly"),
        }
        for controller in self.controllers {
            controller.abort();
        }
        if let Some(log) = &self.server.audit {
            log.close(AUDIT_LOG).await;
        }
        let store = self.server.store.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || store.close()).await {
            tracing::error!(%error, "the store was not closed");
        }
    }
}
