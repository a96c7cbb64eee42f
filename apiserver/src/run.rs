//! The whole server: put together, started, stopped. For use inside an actix system.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use tokio::task::JoinHandle;

use crate::admission::configuration::{self, ConfigurationError};
use crate::admission::escalation::Escalation;
use crate::admission::events::Events;
use crate::admission::scheduling_policy::ConfigError;
use crate::admission::webhook::{self, MutatingWebhooks, ValidatingWebhooks};
use crate::admission::{Chain, Initializers, NamespaceLifecycle, PolicyConfigMap, SchedulingPolicy};
use crate::authn::pki::{Authority, Identity, PkiError, kubeconfig};
use crate::authn::token_file::TokenFileError;
use crate::authn::{Anonymous, Authenticator, StaticTokens};
use crate::authz::{Authorizer, rbac};
use crate::http::listen;
use crate::metrics::Metrics;
use crate::resources::{Live, TableError};
use crate::rest::{garbage_collection, initialization, namespaces};
use crate::server::{ApiServer, Initialization, InitializerSettings, Parts, Phase};
use crate::status::Status;
use crate::storage::{self, HistoryLimits, OpenError, Store};

/// How the server runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where objects and keys are kept; in memory without it.
    pub data_dir: Option<PathBuf>,
    /// Whether a write waits for the disk.
    pub fsync: bool,
    /// How much of the past is kept for watches and pages.
    pub history: HistoryLimits,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// A file of static tokens, `token,user,uid,"group,group"`.
    pub token_file: Option<PathBuf>,
    /// Who may come without credentials.
    pub anonymous: Anonymous,
    /// `AdmissionConfiguration`; without it no policy engine is asked.
    pub admission: Option<PathBuf>,
    /// The name under which the sidecar sends the policies of ConfigMaps to the engine; `kubernetes` is the sidecar's default.
    pub policy_source: String,
    /// Who may look at new objects first, and for how long.
    pub initializers: InitializerSettings,
    /// Time between being not ready and closing.
    pub shutdown_delay: Duration,
    /// Threads that answer.
    pub workers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: None,
            fsync: true,
            history: HistoryLimits::default(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            token_file: None,
            anonymous: Anonymous::default(),
            admission: None,
            policy_source: "kubernetes".into(),
            initializers: InitializerSettings::default(),
            shutdown_delay: Duration::ZERO,
            workers: std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
        }
    }
}

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
    /// The admission configuration.
    #[error(transparent)]
    Admission(#[from] ConfigurationError),
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

/// Starts a server; it is ready when this returns.
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
    let controllers = vec![
        actix_web::rt::spawn(namespaces::run(Arc::clone(&shared))),
        actix_web::rt::spawn(initialization::run(Arc::clone(&shared))),
        actix_web::rt::spawn(garbage_collection::run(shared)),
    ];
    server.phase.send_replace(Phase::Serving);
    let url = format!("https://{address}");
    Ok(Running { server, handle, authority, url, serving, controllers, shutdown_delay: options.shutdown_delay })
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

fn assemble(options: &Options, authority: &Authority, store: Store, address: SocketAddr) -> Result<ApiServer, StartError> {
    let tokens = options.token_file.as_deref().map(StaticTokens::load).transpose()?.unwrap_or_default();
    let authenticator = Authenticator::new(tokens);
    let authenticator = authenticator.with_accounts(authority.token_key(), store.clone()).with_anonymous(options.anonymous);
    let authorizer = Arc::new(Authorizer::new(store.clone()));
    let metrics = Metrics::new()?;
    let initialization = Initialization::new(options.initializers, Arc::default());
    let chain = chain(options, &store, (&authorizer, &initialization), &metrics)?;
    let (registry, address) = (Live::new()?, address.to_string());
    Ok(ApiServer::new(Parts { store, registry, authenticator, authorizer, chain, metrics, initialization, address }))
}

fn chain(
    options: &Options,
    store: &Store,
    (authorizer, initialization): (&Arc<Authorizer>, &Initialization),
    metrics: &Metrics,
) -> Result<Chain, StartError> {
    let metrics = &metrics.admission;
    let plugins = options.admission.as_deref().map(configuration::read).transpose()?.unwrap_or_default();
    let webhooks =
        Arc::new(webhook::Calls::new(store.clone(), Arc::clone(authorizer), plugins.webhooks, metrics.webhooks.clone()));
    let mut chain = Chain::new(metrics.clone()).mutating(NamespaceLifecycle::new(store.clone()));
    if initialization.settings.enabled {
        chain = chain.mutating(Initializers::new(Arc::clone(authorizer), Arc::clone(&initialization.configurations)));
    }
    chain = chain.validating(Escalation(Arc::clone(authorizer)));
    if let Some(config) = plugins.scheduling_policy {
        let hook = SchedulingPolicy::new(&config, Events::new(store.clone(), metrics.clone()), metrics.clone())?;
        let compiles = PolicyConfigMap::new(store.clone(), hook.engine(), &options.policy_source, metrics.clone());
        chain = chain.mutating(hook).validating(compiles);
    }
    Ok(chain
        .mutating(MutatingWebhooks::new(Arc::clone(&webhooks)))
        .validating(ValidatingWebhooks::external(Arc::clone(&webhooks)))
        .validating(ValidatingWebhooks::new(webhooks)))
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
        let store = self.server.store.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || store.close()).await {
            tracing::error!(%error, "the store was not closed");
        }
    }
}
