//! The record of the brake: one ConfigMap in the policy namespace, which the leader writes and everybody reads; people release in an
//! annotation of it, with their own credentials.
//!
//! It is compared when it is written (`resourceVersion`): what another replica or a person wrote is read first, and the brake told.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::PostParams;
use kube::{Api, Client};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::COMPONENT;
use super::lease::Right;
use crate::cluster::Fault;
use crate::plan::brake::Stored;
use crate::plan::brake::record::Record;

/// What people ask to be released: see [`Stored::Read`].
pub const RELEASE: &str = "plimsoll.io/release";
/// Where the ConfigMap has the record.
pub const KEY: &str = "record";
/// Time between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// After a failure.
const AGAIN: Duration = Duration::from_millis(500);

/// Why there is no record.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The API server does not give or take it.
    #[error(
        "the brake's ConfigMap `{namespace}/{name}` cannot be read or written: {source}; the rights are in what `plimsoll manifests` prints"
    )]
    Fault {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
        /// Why.
        source: Fault,
    },
    /// Somebody else wrote it.
    #[error(
        "the record of the brake in ConfigMap `{namespace}/{name}` cannot be read: {source}; remove its key `{KEY}` to begin anew"
    )]
    Unreadable {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
        /// Why.
        source: serde_json::Error,
    },
    /// Nobody wrote it yet.
    #[error("there is no ConfigMap `{namespace}/{name}`: no sidecar with a brake has been at work there")]
    Missing {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
    },
}

/// A record to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The record; nothing yet.
    pub record: Option<Record>,
    /// The last news that it takes into account: see [`News`].
    pub after: u64,
}

/// What was read or written, and how often somebody else had written before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// What there is.
    pub stored: Stored,
    /// Counts what was not this replica's own writing.
    pub turn: u64,
}

/// Where the record is.
#[derive(Clone)]
pub struct Place {
    api: Api<ConfigMap>,
    namespace: String,
    name: String,
}

/// Reads and writes the record.
pub struct Keeper {
    /// Nothing: this sidecar is the only one, and keeps it to itself.
    pub place: Option<Place>,
    /// This replica may write.
    pub leading: Right,
    /// What the brake wants written.
    pub wish: watch::Receiver<Wish>,
    /// What the brake is told.
    pub news: watch::Sender<Option<News>>,
    /// Whether all of the fleet stands still.
    pub is_on: watch::Sender<bool>,
    /// For one request.
    pub limit: Duration,
}

/// What the keeper knows of the ConfigMap.
#[derive(Default)]
struct Known {
    version: Option<String>,
    record: Option<Record>,
    /// It stands there, too.
    is_there: bool,
    release: String,
    turn: u64,
}

// === Place ===

impl Place {
    /// The ConfigMap of this name.
    pub fn new(client: &Client, namespace: &str, name: &str) -> Self {
        Self { api: Api::namespaced(client.clone(), namespace), namespace: namespace.into(), name: name.into() }
    }

    /// Returns the record and what people ask to be released. Fails when there is none, or none that can be read.
    pub async fn read(&self) -> Result<(Record, String), RecordError> {
        let found = self
            .get()
            .await?
            .ok_or_else(|| RecordError::Missing { namespace: self.namespace.clone(), name: self.name.clone() })?;
        Ok((self.record(&found)?.unwrap_or_default(), release(&found)))
    }

    /// Asks for a release, in the place of what was asked before.
    pub async fn release(&self, wish: &str) -> Result<(), RecordError> {
        let annotations = serde_json::json!({ "metadata": { "annotations": { RELEASE: wish } } });
        let params = kube::api::PatchParams::default();
        let patched = self.api.patch(&self.name, &params, &kube::api::Patch::Merge(annotations)).await;
        patched.map(drop).map_err(|error| self.fault(error.into()))
    }

    async fn get(&self) -> Result<Option<ConfigMap>, RecordError> {
        self.api.get_opt(&self.name).await.map_err(|error| self.fault(error.into()))
    }

    fn record(&self, found: &ConfigMap) -> Result<Option<Record>, RecordError> {
        let text = found.data.as_ref().and_then(|data| data.get(KEY));
        let unreadable = |source| RecordError::Unreadable { namespace: self.namespace.clone(), name: self.name.clone(), source };
        text.map(|text| serde_json::from_str(text).map_err(unreadable)).transpose()
    }

    /// Writes the record into what was read; what else stands there stays.
    async fn write(&self, before: Option<ConfigMap>, record: &Record) -> Result<ConfigMap, RecordError> {
        let is_new = before.is_none();
        let first = || ConfigMap {
            metadata: ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() },
            ..ConfigMap::default()
        };
        let mut map = before.unwrap_or_else(first);
        // Texts and numbers: it can be encoded.
        let text = serde_json::to_string_pretty(record).unwrap_or_default();
        map.data.get_or_insert_with(BTreeMap::new).insert(KEY.into(), text);
        let params = PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() };
        let written =
            if is_new { self.api.create(&params, &map).await } else { self.api.replace(&self.name, &params, &map).await };
        written.map_err(|error| self.fault(error.into()))
    }

    fn fault(&self, source: Fault) -> RecordError {
        RecordError::Fault { namespace: self.namespace.clone(), name: self.name.clone(), source }
    }
}

fn release(found: &ConfigMap) -> String {
    found.metadata.annotations.as_ref().and_then(|annotations| annotations.get(RELEASE)).cloned().unwrap_or_default()
}

// === Keeper ===

impl Keeper {
    /// Runs for ever.
    pub async fn run(mut self) {
        let mut known = Known::default();
        let mut is_failing = false;
        loop {
            let wish = self.wish.borrow_and_update().clone();
            self.leading.look();
            let wait = match self.turn(&mut known, &wish).await {
                Ok(is_written) => {
                    is_failing = false;
                    if is_written { Duration::ZERO } else { LOOK }
                }
                Err(error) => {
                    self.failed(&error, &mut is_failing, known.turn);
                    // News do not make it come sooner: the brake has something to say whenever it hears that it failed.
                    sleep(AGAIN).await;
                    Duration::ZERO
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                changed = self.wish.changed() => if changed.is_err() { return },
                // Whoever comes to lead must know it before anything moves.
                () = self.leading.changed() => {}
            }
        }
    }

    /// One look: reads the record, and writes it if that is wished and nobody else wrote it; true if it was written.
    async fn turn(&self, known: &mut Known, wish: &Wish) -> Result<bool, RecordError> {
        let wanted = wish.record.as_ref().filter(|_| self.leading.holds());
        let Some(place) = &self.place else {
            known.record = wanted.cloned().or(known.record.take());
            self.tell(known);
            return Ok(false);
        };
        let found = within(self.limit, place, place.get()).await?;
        let is_mine = known.version == found.as_ref().and_then(version) && known.record.is_some();
        if !is_mine {
            // Somebody takes it away, and it is as it was: an accident must not let go what stands still.
            let read = found.as_ref().map(|found| place.record(found)).transpose()?.flatten();
            known.is_there = read.is_some();
            known.record = Some(read.or(known.record.take()).unwrap_or_default());
            known.release = found.as_ref().map(release).unwrap_or_default();
            known.version = found.as_ref().and_then(version);
            known.turn += 1;
        }
        let is_due = |record: &&Record| wish.after == known.turn && !(known.is_there && known.record.as_ref() == Some(record));
        let Some(record) = wanted.filter(is_due) else {
            self.tell(known);
            return Ok(false);
        };
        let written = within(self.limit, place, place.write(found, record)).await?;
        (known.version, known.record, known.is_there) = (version(&written), Some(record.clone()), true);
        self.tell(known);
        Ok(true)
    }

    fn tell(&self, known: &Known) {
        let record = known.record.clone().unwrap_or_default();
        self.is_on.send_if_modified(|is_on| {
            let now = record.trips.iter().any(|trip| trip.namespace.is_none());
            std::mem::replace(is_on, now) != now
        });
        let news = News { stored: Stored::Read { record, release: known.release.clone() }, turn: known.turn };
        self.send(news);
    }

    fn failed(&self, error: &RecordError, is_failing: &mut bool, turn: u64) {
        // A conflict is no failure: what somebody else wrote is read next.
        if matches!(error, RecordError::Fault { source, .. } if source.code() == Some(409)) {
            return;
        }
        if !std::mem::replace(is_failing, true) {
            tracing::warn!(%error, "nothing that moves an object is written");
        }
        self.send(News { stored: Stored::Failed(error.to_string()), turn });
    }

    fn send(&self, news: News) {
        self.news.send_if_modified(|known| {
            let is_news = known.as_ref() != Some(&news);
            if is_news {
                *known = Some(news);
            }
            is_news
        });
    }
}

fn version(map: &ConfigMap) -> Option<String> {
    map.metadata.resource_version.clone()
}

async fn within<T>(
    limit: Duration,
    place: &Place,
    asked: impl Future<Output = Result<T, RecordError>>,
) -> Result<T, RecordError> {
    timeout(limit, asked).await.unwrap_or_else(|_| Err(place.fault(Fault::TimedOut(limit))))
}
