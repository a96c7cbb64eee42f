//! Whether a sidecar keeps the brake's record. A record that none keeps says nothing about the fleet, and no sidecar reads what is asked
//! in it.

use anyhow::{Context, anyhow, bail};
use kube::Client;
use plimsoll_sidecar::plan::brake::kept::Requests;
use plimsoll_sidecar::plan::brake::record::Record;
use plimsoll_sidecar::write::brake::{Place, RecordError};

use super::At;
use super::silence::silence;

/// Returns the brake's record and what people have asked for. Fails when the ConfigMap cannot be read, or no sidecar keeps it.
pub(super) async fn read(place: &Place, at: &At) -> anyhow::Result<(Record, Requests)> {
    let read = place.read().await.map_err(|error| remedied(error, at))?;
    if !is_kept(&read.0) {
        bail!("{}", nobody(at));
    }
    Ok(read)
}

/// Fails when no sidecar keeps the record into which a request was written just now, or none is at work. The request stays there: a sidecar
/// that may read the record but not write it obeys all the same, and one that starts later finds it.
pub(super) async fn heard((client, place): (&Client, &Place), at: &At) -> anyhow::Result<()> {
    let (record, _) = place.read().await.context("it is asked for, but who keeps the record is not known")?;
    if !is_kept(&record) {
        bail!("it is asked for, but may be heard by nobody: {}", nobody(at));
    }
    heard_by(client, &record).await
}

/// Fails when none of the sidecars that keep this record is at work: the request that was written into it waits for one.
pub(super) async fn heard_by(client: &Client, record: &Record) -> anyhow::Result<()> {
    match silence(client, record).await {
        Some(said) => bail!("it is asked for, but nobody hears of it until a sidecar runs: {said}"),
        None => Ok(()),
    }
}

/// Returns the error with what the caller can do about it. The ConfigMap is created once, at installation, because the sidecar may not
/// create it; the Role that allows to see and release is bound to nobody until an administrator does it.
pub(super) fn remedied(error: RecordError, At { namespace, name, .. }: &At) -> anyhow::Error {
    match error {
        RecordError::Missing { .. } => anyhow!(
            "there is no ConfigMap `{namespace}/{name}`: either the brake's record is elsewhere (`policyNamespace` and `brake.name` of sync.yaml; \
             --namespace, --name), or it was deleted, and nothing moves until it is there again: `kubectl create configmap {name} -n {namespace}`"
        ),
        RecordError::Fault { source, .. } if source.code() == Some(403) => anyhow!(
            "you may not see or change the brake's ConfigMap `{namespace}/{name}`: {source}; the Role for it is `plimsoll-brake` \
             (deploy/components/brake-operator): ask for a RoleBinding to it in namespace `{namespace}`"
        ),
        other => other.into(),
    }
}

/// Returns whether a sidecar keeps the record: the one that takes the Lease writes its name into it before it moves anything.
pub(super) fn is_kept(record: &Record) -> bool {
    !record.holder.is_empty()
}

pub(super) fn nobody(At { namespace, name, .. }: &At) -> String {
    format!(
        "no sidecar keeps a record in ConfigMap `{namespace}/{name}`: check that one runs and is ready, that its sync.yaml says \
         `policyNamespace: {namespace}` (the brake is kept in memory without it) and `brake.name: {name}` if it names one, and that \
         plimsoll_sidecar_brake_failed is 0; if it is 1, its log says which right is missing"
    )
}
