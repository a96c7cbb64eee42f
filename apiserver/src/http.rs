//! HTTP: requests in, answers out.
//!
//! ```text
//!  edge (audit id, panics, metrics) ─► info (path) ─► auth ─► limits ─┬─► paths (health, version, discovery, openapi, metrics)
//!                                                                     └─► dispatch ─► body, accept ─► verbs ─► form ─► respond
//! ```

pub mod accept;
pub mod body;
pub mod context;
pub mod continue_token;
pub mod discovery;
pub mod dispatch;
pub mod edge;
pub mod form;
pub mod health;
pub mod info;
pub mod limits;
pub mod listen;
pub mod object;
pub mod paths;
pub mod query;
pub mod respond;
pub mod selector;
pub mod verbs;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;
use tokio::sync::watch;

use crate::admission::Chain;
use crate::auth::{Authenticator, Authorizer};
use crate::metrics::Metrics;
use crate::resources::{Live, Registry};
use crate::run::Phase;
use crate::storage::{Record, Snapshot, Store, Write, WriteError};
use discovery::{Discovery, PerRegistry};
use limits::InFlight;

/// Where CustomResourceDefinitions are kept.
pub const DEFINITIONS: &str = "apiextensions.k8s.io/customresourcedefinitions";

/// What every request works with.
pub struct ApiServer {
    /// The objects.
    pub store: Store,
    /// The table of kinds.
    pub registry: Live,
    /// Who calls.
    pub authenticator: Authenticator,
    /// What they may do.
    pub authorizer: Arc<Authorizer>,
    /// What a write passes.
    pub chain: Chain,
    /// What is counted.
    pub metrics: Metrics,
    /// What is in flight.
    pub in_flight: InFlight,
    /// Host and port, as clients are told.
    pub address: String,
    /// Made from the table of kinds.
    pub discovery: PerRegistry<Registry, Discovery>,
    /// How far the shutdown is.
    pub phase: watch::Sender<Phase>,
    /// One change of the table of kinds at a time.
    rebuilding: Mutex<()>,
}

/// What a server is made of.
#[expect(missing_docs, reason = "see `ApiServer`")]
pub struct Parts {
    pub store: Store,
    pub registry: Live,
    pub authenticator: Authenticator,
    pub authorizer: Arc<Authorizer>,
    pub chain: Chain,
    pub metrics: Metrics,
    pub address: String,
}

impl ApiServer {
    /// Puts the parts together; kinds of stored CustomResourceDefinitions are served at once.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, registry, authenticator, authorizer, chain, metrics, address } = parts;
        let (in_flight, phase) = (InFlight::default(), watch::Sender::new(Phase::Starting));
        let (discovery, rebuilding) = (PerRegistry::default(), Mutex::new(()));
        let server =
            Self { store, registry, authenticator, authorizer, chain, metrics, in_flight, address, discovery, phase, rebuilding };
        server.rebuild();
        server
    }

    /// The one way to write. A definition that is Established is served before its write is answered.
    pub async fn write(&self, write: Write) -> Result<Arc<Record>, WriteError> {
        let defines = &*write.key.collection == DEFINITIONS;
        let record = self.store.write(write).await?;
        if defines {
            self.rebuild();
        }
        Ok(record)
    }

    fn rebuild(&self) {
        // The snapshot is taken under the lock, so that the last one who rebuilds has seen every write.
        let _one = self.rebuilding.lock();
        let definitions = definitions(&self.store.snapshot());
        self.registry.rebuild(&definitions);
    }
}

fn definitions(snapshot: &Snapshot) -> Vec<Json> {
    let records = snapshot.list(DEFINITIONS, None, None);
    records.filter_map(|record| serde_json::from_slice(&record.value).ok()).collect()
}
