//! Webhooks that nobody can take away through the API: the administrator has them in files (KEP-5793, alpha in Kubernetes 1.36). Source:
//! `apiserver` `pkg/admission/plugin/manifest` and `pkg/admission/plugin/webhook/manifest`, `kubernetes`
//! `pkg/admission/plugin/webhook/manifest/loader`.
//!
//! ```text
//!  folder ─► files (bytes, their hash) ─► loader (kinds, names, defaults, validation) ─► Manifests ─► what is in force for a request
//!               ▲                                                                           │
//!               └── source: is there something new, and was it found twice in a row? ◄──────┘ again and again
//! ```
//!
//! Departures from upstream: a file without an object and a folder by the name of a file are refused, since neither was meant; what is new
//! counts once it is found twice in a row, so a file that is being written, or a mount that is being swapped, is not taken for the whole.

mod error;
mod files;
mod loader;
mod metrics;
mod source;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use sha2::{Digest, Sha256};

use super::configuration::Hooks;
use super::metrics::Type;
use super::plugin::Stages;
use crate::resources::Registry;

pub use error::{DocumentFault, ManifestError};
pub use metrics::Metrics;

use metrics::Status;
use source::{Loaded, Source};

/// What registers the webhooks of manifests.
const API: (&str, &str) = ("admissionregistration.k8s.io", "v1");

/// The webhooks that the administrator has in files; without folders there are none.
#[derive(Debug)]
pub struct Manifests {
    sources: Vec<Source>,
    current: ArcSwap<Hooks>,
    metrics: Metrics,
    /// Who the server is in metrics: `sha256:` and a digest.
    server: String,
}

impl Manifests {
    /// Loads the folders of both stages; kinds are those of `registry`, whether or not they are served. `server` tells this server from
    /// others in metrics, where only its digest is shown. Fails at the first file or document that cannot be used.
    pub fn load(stages: &Stages, registry: &Registry, server: &str, metrics: Metrics) -> Result<Self, ManifestError> {
        let server = format!("sha256:{:x}", Sha256::digest(server));
        let mut manifests = Self { sources: Vec::new(), current: ArcSwap::default(), metrics, server };
        for (stage, settings) in [(Type::Admit, &stages.mutating), (Type::Validating, &stages.validating)] {
            let Some(folder) = &settings.static_manifests_dir else { continue };
            let kind = stage.configuration_kind();
            let row = registry.known(API.0, API.1, kind).ok_or(ManifestError::NoKind(kind))?;
            let (source, loaded) = Source::open(stage, folder.clone(), row)?;
            manifests.replace(&source, loaded);
            manifests.sources.push(source);
        }
        Ok(manifests)
    }

    /// Returns the webhooks that are in force now.
    pub fn now(&self) -> Arc<Hooks> {
        self.current.load_full()
    }

    /// Looks at each folder once. What is new and whole comes into force; what is not leaves in force what was.
    pub fn look(&self) {
        for source in &self.sources {
            match source.look() {
                None => {}
                Some(Ok(loaded)) => {
                    if source.ends_trouble() {
                        // As loud as what it ends, for who waits for that.
                        let (plugin, folder) = (source.stage.plugin(), source.folder.display());
                        tracing::warn!(plugin, %folder, "the manifests can be used again: static webhooks are what they say");
                    }
                    self.replace(source, loaded);
                }
                Some(Err(error)) => {
                    let plugin = source.stage.plugin();
                    tracing::error!(plugin, %error, "static webhooks stay as they were: their manifests cannot be used");
                    self.metrics.reloaded(plugin, &self.server, Status::Failure);
                }
            }
        }
    }

    fn replace(&self, source: &Source, loaded: Loaded) {
        let Loaded { hash, webhooks } = loaded;
        let (plugin, folder) = (source.stage.plugin(), source.folder.display());
        match webhooks.len() {
            0 => tracing::warn!(plugin, %folder, "no manifest has a static webhook: none is in force"),
            count => tracing::info!(plugin, %folder, count, hash, "static webhooks are in force"),
        }
        let mut hooks = Hooks::clone(&self.current.load());
        match source.stage {
            Type::Admit => hooks.mutating = webhooks,
            Type::Validating => hooks.validating = webhooks,
        }
        self.current.store(Arc::new(hooks));
        self.metrics.reloaded(plugin, &self.server, Status::Success(&hash));
    }
}

/// How much time is left between two looks: some, or there would be nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(Duration);

impl Interval {
    /// Returns the interval; `None` for no time at all.
    pub const fn new(time: Duration) -> Option<Self> {
        if time.is_zero() { None } else { Some(Self(time)) }
    }
}

impl Default for Interval {
    /// A second.
    fn default() -> Self {
        Self(Duration::from_secs(1))
    }
}

/// Looks at the folders of `manifests` again and again, with this time in between, off the threads that answer; returns at once where there
/// are none.
pub async fn reload(manifests: Arc<Manifests>, Interval(every): Interval) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !manifests.sources.is_empty() {
        ticks.tick().await;
        let looked = Arc::clone(&manifests);
        if let Err(error) = tokio::task::spawn_blocking(move || looked.look()).await {
            tracing::error!(%error, "the manifests of static webhooks were not looked at; they are again the next time");
        }
    }
}

#[cfg(test)]
mod tests;
