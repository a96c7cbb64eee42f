//! The ground that everything else stands on: the shared parts of a server, and the one way to write. How requests come in
//! is not known here.

mod in_flight;
mod initialization;
mod phase;

pub use in_flight::{InFlight, Ticket};
pub use initialization::{GetVisibility, Initialization, Settings as InitializerSettings, Waiting};
pub use phase::Phase;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::admission::Chain;
use crate::admission::remote::Remote;
use crate::admission::webhook::Manifests;
use crate::audit::Log;
use crate::authn::Authenticator;
use crate::authz::Authorizer;
use crate::metrics::Metrics;
use crate::patch::fields::{self, Manager, Operation};
use crate::resources::crd::{self, COLLECTION as DEFINITIONS};
use crate::resources::{Live, object};
use crate::storage::{Change, Record, Snapshot, Store, Write, WriteError};

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
    /// Webhooks that the API does not know of, which the chain asks too.
    pub manifests: Arc<Manifests>,
    /// Another API server that has the configurations of webhooks and initializers in the place of this one's store.
    pub remote: Option<Arc<Remote>>,
    /// What is counted.
    pub metrics: Metrics,
    /// Where each request is written down, if anywhere.
    pub audit: Option<Log>,
    /// What is in flight.
    pub in_flight: InFlight,
    /// What is done about objects that are not initialized.
    pub initialization: Initialization,
    /// Host and port, as clients are told.
    pub address: String,
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
    pub manifests: Arc<Manifests>,
    pub remote: Option<Arc<Remote>>,
    pub metrics: Metrics,
    pub audit: Option<Log>,
    pub initialization: Initialization,
    pub address: String,
}

impl ApiServer {
    /// Puts the parts together; kinds of stored CustomResourceDefinitions are served at once.
    pub fn new(parts: Parts) -> Self {
        let server = Self {
            store: parts.store,
            registry: parts.registry,
            authenticator: parts.authenticator,
            authorizer: parts.authorizer,
            chain: parts.chain,
            manifests: parts.manifests,
            remote: parts.remote,
            metrics: parts.metrics,
            audit: parts.audit,
            in_flight: InFlight::default(),
            initialization: parts.initialization,
            address: parts.address,
            phase: watch::Sender::new(Phase::Starting),
            rebuilding: Mutex::new(()),
        };
        server.rebuild();
        server
    }

    /// Whether writes can be judged: always, where the store has the configurations.
    pub fn knows_configurations(&self) -> bool {
        self.remote.as_ref().is_none_or(|remote| remote.is_fresh())
    }

    /// The one way to write. A definition gets its names and conditions here, and what is Established is served before the
    /// write is answered.
    pub async fn write(&self, mut write: Write) -> Result<Arc<Record>, WriteError> {
        if &*write.key.collection != DEFINITIONS {
            return self.store.write(write).await;
        }
        if let Change::Put(definition) = &mut write.change {
            let others = definitions(&self.store.snapshot(), Some(&write.key.name));
            self.settle(definition, &others);
        }
        let record = self.store.write(write).await?;
        self.rebuild();
        Ok(record)
    }

    /// What upstream's naming and establishing controllers write to the status, in their name.
    fn settle(&self, definition: &mut Json, others: &[Json]) {
        let before = definition.clone();
        let changed = crd::names::settle(definition, &others.iter().collect::<Vec<_>>(), &object::now());
        let registry = self.registry.load();
        if changed && let Some(row) = registry.stored(DEFINITIONS) {
            let manager = Manager {
                name: "kube-apiserver".to_owned(),
                operation: Operation::Update,
                api_version: row.api_version(),
                subresource: "status".to_owned(),
                time: OffsetDateTime::now_utc(),
            };
            fields::updated(&row.schema, Some(&before), definition, &manager);
        }
    }

    fn rebuild(&self) {
        // The snapshot is taken under the lock, so that the last one who rebuilds has seen every write.
        let _one = self.rebuilding.lock();
        let definitions = definitions(&self.store.snapshot(), None);
        self.registry.rebuild(&definitions);
    }
}

/// Every stored definition but one. One that nobody sees yet defines nothing yet.
fn definitions(snapshot: &Snapshot, but: Option<&str>) -> Vec<Json> {
    let records = snapshot.list(DEFINITIONS, None, None).filter(|record| but != Some(&record.key.name) && !record.uninitialized);
    records.filter_map(|record| serde_json::from_slice(&record.value).ok()).collect()
}
