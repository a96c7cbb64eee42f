//! What one read found, made ready to judge by.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::error::RefreshError;
use super::list::{self, Listed};
use crate::admission::initializers::{self, Initializer};
use crate::admission::outbound::Peer;
use crate::admission::webhook::{self, Hooks};

/// All configurations of one moment.
#[derive(Clone, Debug)]
pub struct Registrations {
    /// Those of webhooks.
    pub hooks: Hooks,
    /// Those of initializers, in the order in which they are asked.
    pub initializers: Arc<[Initializer]>,
    /// The resourceVersion up to which every change is in it.
    pub revision: String,
    /// What it was made from.
    listed: Arc<Listed>,
}

/// Reads what is there now, once. Where nothing differs from `last` but the revision, webhooks and initializers are the same ones. Fails when
/// anything of it cannot be read.
pub(super) async fn read(peer: &Peer, last: Option<Arc<Registrations>>) -> Result<Arc<Registrations>, RefreshError> {
    let (listed, revision) = list::all(peer).await?;
    if let Some(last) = last.filter(|last| *last.listed == listed) {
        return Ok(Arc::new(Registrations { revision, ..Registrations::clone(&last) }));
    }
    // Conditions are compiled here, which takes its time where there are thousands.
    spawn_blocking(|| make(listed, revision).map(Arc::new)).await.map_err(|_| RefreshError::Stopping)?
}

fn make(listed: Listed, revision: String) -> Result<Registrations, RefreshError> {
    let hooks = Hooks {
        mutating: webhook::of_list(&listed.mutating)?,
        validating: webhook::of_list(&listed.validating)?,
        external: webhook::of_list(&listed.external)?,
    };
    let initializers = initializers::of_list(&listed.initializers)?;
    Ok(Registrations { hooks, initializers: initializers.into(), revision, listed: Arc::new(listed) })
}
