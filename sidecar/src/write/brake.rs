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
use plimsoll_contract::still::{Scopes, Still};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::COMPONENT;
use super::lease::Right;
use crate::cluster::Fault;
use crate::plan::brake::kept::{DesiredRecord, Found, Kept, ObservedRecord, Requests};
use crate::plan::brake::record::Record;

/// What people ask to be released: see [`Requests::release`].
pub const RELEASE: &str = "plimsoll.io/release";
/// What people ask to stay where it is: see [`Requests::pause`].
pub const PAUSE: &str = "plimsoll.io/pause";
/// Where the ConfigMap has the record.
pub const KEY: &str = "record";
/// Time between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// What people ask for is written again when somebody else wrote in between, so often.
const TRIES: usize = 10;
/// After a failure.
const AGAIN: Duration = Duration::from_millis(500);

/// Why there is no record.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The API server does not give or take it.
    #[error("the brake's ConfigMap `{namespace}/{name}` cannot be read or written{}: {source}", remedy(.source))]
    Fault {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
        /// Why.
        source: Fault,
    },
    /// It was deleted, and its rights are of one that is there.
    #[error(
        "there is no ConfigMap `{namespace}/{name}` for the brake, and it may not be created; create it by \
         `kubectl create configmap {name} -n {namespace}`: {source}"
    )]
    Gone {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
        /// Why.
        source: Fault,
    },
    /// Somebody else wrote it.
    #[error(
        "the record of the brake in ConfigMap `{namespace}/{name}` cannot be read; remove its key `{KEY}` to begin anew: {source}"
    )]
    Unreadable {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
        /// Why.
        source: serde_json::Error,
    },
    /// Others write it all the time.
    #[error("the ConfigMap `{namespace}/{name}` was changed by somebody else each time; try again")]
    Contested {
        /// Of the ConfigMap.
        namespace: String,
        /// Of the ConfigMap.
        name: String,
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
    pub desired: watch::Receiver<DesiredRecord>,
    /// What the brake is told.
    pub observed: watch::Sender<Option<ObservedRecord>>,
    /// What stands still; nothing before that is known.
    pub still: watch::Sender<Option<Still>>,
    /// What stands still as long as it could never be read.
    pub unread: Still,
    /// For one request.
    pub limit: Duration,
}

// === Place ===

impl Place {
    /// The ConfigMap of this name.
    pub fn new(client: &Client, namespace: &str, name: &str) -> Self {
        Self { api: Api::namespaced(client.clone(), namespace), namespace: namespace.into(), name: name.into() }
    }

    /// Returns the record and what people ask for. Fails when there is none, or none that can be read.
    pub async fn read(&self) -> Result<(Record, Requests), RecordError> {
        let found = self.found().await?;
        Ok((self.record(&found)?.unwrap_or_default(), requests_of(&found)))
    }

    /// Asks for a release, in the place of what was asked before; `ask` is given the record and that.
    pub async fn release(&self, mut ask: impl FnMut(&Record, &str) -> String) -> Result<(), RecordError> {
        self.annotate(RELEASE, |found| Ok(Some(ask(&self.record(found)?.unwrap_or_default(), &requests_of(found).release)))).await
    }

    /// Asks for what is to stay where it is; `change` is given what was before. Whatever the record says.
    pub async fn pause(&self, mut change: impl FnMut(&mut Scopes)) -> Result<Scopes, RecordError> {
        let mut paused = Scopes::default();
        self.annotate(PAUSE, |found| {
            paused = Scopes::read(&requests_of(found).pause).0;
            change(&mut paused);
            Ok(Some(paused.to_string()).filter(|text| !text.is_empty()))
        })
        .await?;
        Ok(paused)
    }

    async fn found(&self) -> Result<ConfigMap, RecordError> {
        let missing = || RecordError::Missing { namespace: self.namespace.clone(), name: self.name.clone() };
        self.get().await?.ok_or_else(missing)
    }

    /// Two people at once, and the sidecar beside them: what was read is compared when it is written.
    async fn annotate(
        &self,
        key: &str,
        mut value: impl FnMut(&ConfigMap) -> Result<Option<String>, RecordError>,
    ) -> Result<(), RecordError> {
        let params = kube::api::PatchParams::default();
        for _ in 0..TRIES {
            let found = self.found().await?;
            let (value, version) = (value(&found)?, version(&found));
            let body = serde_json::json!({ "metadata": { "resourceVersion": version, "annotations": { key: value } } });
            match self.api.patch(&self.name, &params, &kube::api::Patch::Merge(body)).await.map_err(Fault::from) {
                Ok(_) => return Ok(()),
                Err(fault) if fault.code() == Some(409) => {}
                Err(fault) => return Err(self.fault(fault)),
            }
        }
        Err(RecordError::Contested { namespace: self.namespace.clone(), name: self.name.clone() })
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
    async fn write(&self, before: Option<ConfigMap>, record: &Record, requests: &Requests) -> Result<ConfigMap, RecordError> {
        let is_new = before.is_none();
        let first = || ConfigMap {
            metadata: ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() },
            ..ConfigMap::default()
        };
        let mut map = before.unwrap_or_else(first);
        // Texts and numbers: it can be encoded.
        let text = serde_json::to_string(record).unwrap_or_default();
        map.data.get_or_insert_with(BTreeMap::new).insert(KEY.into(), text);
        // What is asked for lasts until somebody takes it away, and a text that was used is known as long as it stands there.
        let release = if is_new { requests.release.as_str() } else { "" };
        for (key, value) in
            [(PAUSE, requests.pause.as_str()), (RELEASE, release)].into_iter().filter(|(_, value)| !value.is_empty())
        {
            map.metadata.annotations.get_or_insert_with(BTreeMap::new).insert(key.into(), value.into());
        }
        let params = PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() };
        if is_new {
            return self.api.create(&params, &map).await.map_err(|error| self.not_created(error.into()));
        }
        self.api.replace(&self.name, &params, &map).await.map_err(|error| self.fault(error.into()))
    }

    fn not_created(&self, source: Fault) -> RecordError {
        match source.code() {
            Some(403) => RecordError::Gone { namespace: self.namespace.clone(), name: self.name.clone(), source },
            _ => self.fault(source),
        }
    }

    fn fault(&self, source: Fault) -> RecordError {
        RecordError::Fault { namespace: self.namespace.clone(), name: self.name.clone(), source }
    }
}

/// What to do where it is the right that is missing. Not `plimsoll manifests`: bare, it names the webhooks' address anew.
fn remedy(fault: &Fault) -> &'static str {
    match fault.code() {
        Some(403) => "; the right is in the Role of what was installed: apply that again",
        _ => "",
    }
}

fn requests_of(found: &ConfigMap) -> Requests {
    let annotation =
        |key| found.metadata.annotations.as_ref().and_then(|annotations| annotations.get(key)).cloned().unwrap_or_default();
    Requests { release: annotation(RELEASE), pause: annotation(PAUSE) }
}

// === Keeper ===

impl Keeper {
    /// Runs for ever.
    pub async fn run(mut self) {
        let mut kept = Kept::default();
        let mut is_failing = false;
        loop {
            let desired = self.desired.borrow_and_update().clone();
            self.leading.look();
            let wait = match self.turn(&mut kept, &desired).await {
                Ok(is_written) => {
                    is_failing = false;
                    if is_written { Duration::ZERO } else { LOOK }
                }
                Err(error) => {
                    self.failed(&error, &mut is_failing, (&kept, &desired));
                    // What is observed does not make it come sooner: the brake has something to say whenever it hears that it failed.
                    sleep(AGAIN).await;
                    Duration::ZERO
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                changed = self.desired.changed() => if changed.is_err() { return },
                // Whoever comes to lead must know it before anything moves.
                () = self.leading.changed() => {}
            }
        }
    }

    /// One look: reads the record, and writes it if that is desired and nobody else wrote it; true if it was written.
    async fn turn(&self, kept: &mut Kept, desired: &DesiredRecord) -> Result<bool, RecordError> {
        let Some(place) = &self.place else {
            kept.keep(desired);
            self.tell(kept, desired);
            return Ok(false);
        };
        let found = within(self.limit, place, place.get()).await?;
        if !kept.knows(found.as_ref().and_then(|found| found.metadata.resource_version.as_deref())) {
            let requests = found.as_ref().map(requests_of).unwrap_or_default();
            let record = match found.as_ref().map(|found| place.record(found)).transpose() {
                Ok(record) => record.flatten(),
                Err(error) => {
                    kept.observe_requests(found.as_ref().and_then(version).as_deref(), requests, true);
                    self.show(kept);
                    return Err(error);
                }
            };
            kept.found(Found { version: found.as_ref().and_then(version), record, requests });
        }
        let Some(record) = kept.due(desired).filter(|_| self.leading.holds()) else {
            self.tell(kept, desired);
            return Ok(false);
        };
        let written = within(self.limit, place, place.write(found, record, kept.requests())).await?;
        kept.wrote(version(&written), record);
        self.tell(kept, desired);
        Ok(true)
    }

    fn tell(&self, kept: &Kept, desired: &DesiredRecord) {
        self.show(kept);
        self.send(kept.observed(desired));
    }

    fn show(&self, kept: &Kept) {
        self.still.send_if_modified(|still| {
            let now = Some(kept.still());
            let is_new = *still != now;
            *still = now;
            is_new
        });
    }

    fn failed(&self, error: &RecordError, is_failing: &mut bool, (kept, desired): (&Kept, &DesiredRecord)) {
        // A conflict is no failure: what somebody else wrote is read next.
        if matches!(error, RecordError::Fault { source, .. } if source.code() == Some(409)) {
            return;
        }
        self.still.send_if_modified(|still| {
            let is_unread = still.is_none();
            still.get_or_insert_with(|| self.unread.clone());
            is_unread
        });
        if !std::mem::replace(is_failing, true) {
            tracing::warn!(%error, "nothing that moves an object is written");
        }
        self.send(kept.failed(error.to_string(), desired));
    }

    fn send(&self, observed: ObservedRecord) {
        self.observed.send_if_modified(|known| {
            let is_new = known.as_ref() != Some(&observed);
            if is_new {
                *known = Some(observed);
            }
            is_new
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
