//! What can be set of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::admission::enablement::Enablement;
use crate::admission::remote;
use crate::admission::webhook::manifest::Interval;
use crate::audit;
use crate::authn::Anonymous;
use crate::resources::RuntimeConfig;
use crate::server::InitializerSettings;
use crate::storage::HistoryLimits;

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
    /// Which admission plugins run, and in which order.
    pub plugins: Enablement,
    /// Which built-in versions and resources are served.
    pub runtime_config: RuntimeConfig,
    /// How often the manifests of static webhooks are looked at.
    pub manifest_interval: Interval,
    /// Another API server that has the configurations of webhooks and initializers; without it they are objects of this one.
    pub remote: Option<remote::Settings>,
    /// Where each request is written down; nowhere without it.
    pub audit: Option<audit::Options>,
    /// The name under which the sidecar sends the policies of ConfigMaps to the engine; `kubernetes` is the sidecar's default.
    pub policy_source: String,
    /// Who may look at new objects first, and for how long.
    pub initializers: InitializerSettings,
    /// What registers initializers and webhooks lets nothing new fail closed: 422 unless each `failurePolicy` is `Ignore`.
    pub fail_open_creation: bool,
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
            plugins: Enablement::default(),
            runtime_config: RuntimeConfig::default(),
            manifest_interval: Interval::default(),
            remote: None,
            audit: None,
            policy_source: "kubernetes".into(),
            initializers: InitializerSettings::default(),
            fail_open_creation: false,
            shutdown_delay: Duration::ZERO,
            workers: std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
        }
    }
}
