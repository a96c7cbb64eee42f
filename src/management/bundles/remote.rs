//! One configured bundle: asked for again and again, put in force when it is new and good.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plimsoll_contract::policy::Diagnostic;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::disk::SavedBundle;
use super::signature::Verifier;
use super::status::{BundleStatuses, now};
use super::{BundleError, Content, Limits, ManifestError, archive, directory, offer};
use crate::budget::{Budget, Class};
use crate::management::config::bundles::Source;
use crate::management::services::{Backoff, Client, Question, ServiceError};
use crate::policy_set::Chain;
use crate::snapshot::{Store, bundle_set};

/// What a server says that holds requests back until there is news.
const LONG_POLLING: &str = "application/vnd.openpolicyagent.bundles";
/// A server that answers at once though it was asked to wait is asked no more often than this.
const LEAST: Duration = Duration::from_millis(500);

/// Why a bundle is not in force.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error("error(s) occurred while compiling module(s)")]
    Refused(Vec<Diagnostic>),
    #[error("the activation stopped unexpectedly: {0}")]
    Died(String),
}

/// Where a bundle comes from.
#[derive(Debug)]
pub enum Origin {
    /// A service.
    Service(Arc<Client>),
    /// A directory or a tarball.
    File(PathBuf),
}

/// One bundle's loop.
#[derive(Clone, Debug)]
pub struct Remote {
    /// As configured.
    pub name: String,
    /// As configured.
    pub source: Source,
    /// Where it comes from.
    pub origin: Arc<Origin>,
    /// Who must have signed it.
    pub verifier: Verifier,
    /// Where the last good one is kept, if it is.
    pub saved: Option<SavedBundle>,
    /// Shares of memory that a fetched bundle is charged to while it is unpacked and parsed.
    pub budget: Arc<Budget>,
    /// Where it takes effect.
    pub store: Arc<Store>,
    /// Where its status is written.
    pub statuses: BundleStatuses,
}

/// A tarball, or the folder that is one.
enum Packed {
    Tarball(Bytes),
    /// What was kept on disk.
    Kept(Bytes),
    Folder(PathBuf),
}

impl Remote {
    /// Until told to stop.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        self.activate_saved().await;
        self.statuses.notify();
        let (min, max) = self.source.polling.delays();
        let (min, max) = (Duration::from_secs(min), Duration::from_secs(max));
        let mut backoff = Backoff::new(Duration::from_millis(100), max);
        let (mut etag, mut long) = (String::new(), self.source.polling.long_polling_timeout_seconds.is_some());
        loop {
            let asked = Instant::now();
            let delay = tokio::select! {
                result = self.once(&etag, long) => match result {
                    Ok((now, answers_late)) => {
                        (etag, long) = (now, answers_late);
                        if long { LEAST.saturating_sub(asked.elapsed()) } else { backoff.after_success((min, max)) }
                    }
                    Err(error) => {
                        self.failed(error).await;
                        // The next answer must be whole.
                        etag.clear();
                        backoff.after_failure()
                    }
                },
                _ = stop.wait_for(|stop| *stop) => return,
            };
            self.statuses.notify();
            tokio::select! {
                () = sleep(delay) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Asks once; the etag and whether the server holds requests back.
    async fn once(&self, etag: &str, long: bool) -> Result<(String, bool), Failure> {
        self.statuses.update(&self.name, |status| status.last_request = now());
        let client = match self.origin.as_ref() {
            Origin::File(path) => {
                self.activate(Packed::Folder(path.clone()), String::new()).await?;
                return Ok((String::new(), false));
            }
            Origin::Service(client) => client,
        };
        let wait = self.source.polling.long_polling_timeout_seconds.filter(|_| long);
        let prefer = wait.map_or_else(|| "modes=snapshot,delta".into(), |wait| format!("modes=snapshot,delta;wait={wait}"));
        let limit = self.limits().bytes;
        let patience = wait.map(Duration::from_secs);
        let question = Question { path: self.source.resource.clone(), etag: etag.into(), prefer, patience, limit };
        let fetched = client.get(&question).await?;
        let Some(body) = fetched.body else {
            self.statuses.update(&self.name, |status| {
                status.last_successful_request.clone_from(&status.last_request);
                status.clear_error();
            });
            return Ok((if fetched.etag.is_empty() { etag.into() } else { fetched.etag }, long));
        };
        let long = fetched.content_type == LONG_POLLING && self.source.polling.long_polling_timeout_seconds.is_some();
        self.activate(Packed::Tarball(body), fetched.etag.clone()).await?;
        Ok((fetched.etag, long))
    }

    /// Activates the saved bundle, until the server sends another.
    async fn activate_saved(&self) {
        let Some(saved) = &self.saved else { return };
        let kept = match saved.load(self.limits().bytes) {
            Ok(Some(kept)) => kept,
            Ok(None) => return,
            Err(error) => return tracing::error!(bundle = self.name, %error, "the bundle on disk cannot be read"),
        };
        match self.activate(Packed::Kept(kept.into()), String::new()).await {
            Ok(()) => tracing::info!(bundle = self.name, "the bundle on disk is in force until the server answers"),
            Err(error) => self.failed(error).await,
        }
    }

    /// Checks and compiles aside; a thread of the blocking pool does it.
    async fn activate(&self, packed: Packed, etag: String) -> Result<(), Failure> {
        let own = self.clone();
        let done = tokio::task::spawn_blocking(move || own.activated(&packed, &etag));
        done.await.unwrap_or_else(|died| Err(Failure::Died(died.to_string())))
    }

    fn activated(&self, packed: &Packed, etag: &str) -> Result<(), Failure> {
        let files = match packed {
            Packed::Tarball(tarball) | Packed::Kept(tarball) => archive::unpack(tarball.as_ref(), self.limits())?,
            Packed::Folder(path) => directory::read(path, self.limits())?,
        };
        let _charge = self.budget.document(Class::Writers, files.cost()).map_err(BundleError::from)?;
        self.verifier.check(&files)?;
        let content = match packed {
            Packed::Tarball(_) => Content::downloaded(&files)?,
            Packed::Kept(_) | Packed::Folder(_) => Content::parse(&files)?,
        };
        let (set, kind) = (bundle_set(&self.name), if content.patch.is_some() { "delta" } else { "snapshot" });
        let revision = content.manifest.revision.clone();
        self.downloaded(packed, kind);
        let offer = if content.patch.is_none() {
            offer::whole(&self.name, etag, content)
        } else if self.source.persist {
            return Err(BundleError::Manifest(ManifestError::DeltaPersisted).into());
        } else {
            let policies = Arc::clone(&self.store.load().policies);
            offer::patched(policies.sets.get(&set).unwrap_or(&Default::default()), etag, &content)?
        };
        self.store.put_set(&set, offer).map_err(Failure::Refused)?;
        if let (Some(saved), Packed::Tarball(tarball)) = (&self.saved, packed)
            && let Err(error) = saved.save(tarball)
        {
            tracing::error!(bundle = self.name, %error, "the bundle is in force, but cannot be kept on disk");
        }
        tracing::info!(bundle = self.name, revision, kind, "the bundle is in force");
        self.statuses.update(&self.name, |status| {
            status.clear_error();
            (status.active_revision, status.activated) = (revision, true);
            if let Packed::Tarball(tarball) = packed {
                status.size = tarball.len();
            }
            status.last_successful_activation = now();
        });
        Ok(())
    }

    /// A bundle that cannot be read never came, as in OPA (`v1/plugins/bundle/plugin.go`, `process`).
    fn downloaded(&self, packed: &Packed, kind: &'static str) {
        self.statuses.update(&self.name, |status| {
            status.kind = kind;
            if !matches!(packed, Packed::Kept(_)) {
                status.last_successful_request.clone_from(&status.last_request);
                status.last_successful_download.clone_from(&status.last_request);
            }
        });
    }

    async fn failed(&self, error: Failure) {
        let message = Chain(&error).to_string();
        tracing::error!(bundle = self.name, error = message, "the bundle is not used, the last good one stays in force");
        let code = if let Failure::Service(error) = &error { error.code() } else { None };
        let errors = if let Failure::Refused(errors) = error {
            errors
        } else {
            // Who compiles just now holds its lock.
            let (store, set, why) = (Arc::clone(&self.store), bundle_set(&self.name), message.clone());
            if let Err(died) = tokio::task::spawn_blocking(move || store.policies_unreadable(&set, why)).await {
                tracing::error!(bundle = self.name, %died, "the status could not be written");
            }
            Vec::new()
        };
        for error in &errors {
            tracing::error!(bundle = self.name, %error, "the bundle is refused");
        }
        self.statuses.update(&self.name, |status| status.set_error(message, errors, code));
    }

    fn limits(&self) -> Limits {
        Limits {
            bytes: self.source.size_limit_bytes.filter(|bytes| *bytes > 0).unwrap_or(Limits::default().bytes),
            ..Limits::default()
        }
        .within(&self.budget)
    }
}

impl Origin {
    /// Of a resource `file://…`.
    pub fn of_file(resource: &str) -> Option<Self> {
        resource.strip_prefix("file://").map(|path| Self::File(Path::new(path).into()))
    }
}
