//! A creator waits until the object is initialized.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::time::timeout_at;

use super::refusal;
use crate::resources::{initializers, object};
use crate::rest::context::{Context, Object};
use crate::server::Phase;
use crate::status::Status;
use crate::storage::{EventKind, Record};

/// Annotation of the audit log: who was passed over.
const FAILED_OPEN: &str = "initializers.admission/failed-open";
/// Longest wait, as long as a create could take in Kubernetes 1.7.
const LONGEST: Duration = Duration::from_secs(30);

/// The object once it is initialized; fails when it is refused, goes, or is late. Then it stays as it is, and its initializers
/// may still answer.
pub async fn wait(context: &Context, created: &Arc<Record>) -> Result<Object, Status> {
    let value: Json = serde_json::from_slice(&created.value).map_err(Status::internal)?;
    let waiting = context.server.initialization.wait(object::text(&value, "uid"));
    let limit = LONGEST.min(context.deadline.saturating_duration_since(Instant::now()));
    let mut latest = Arc::clone(created);
    let followed = timeout_at((Instant::now() + limit).into(), follow(context, created, &mut latest)).await;
    let told = waiting.told();
    if !told.is_empty() {
        context.trail.annotate(FAILED_OPEN, told.join("; "));
    }
    context.warnings.borrow_mut().extend(told);
    followed.unwrap_or_else(|_| Err(late(&latest, limit)))
}

async fn follow(context: &Context, created: &Record, latest: &mut Arc<Record>) -> Result<Object, Status> {
    let history = context.server.store.history(&created.key.collection);
    let mut cursor = history.since(created.revision).map_err(|_| closed(context, created))?;
    let mut phase = context.server.phase.subscribe();
    loop {
        let batch = tokio::select! {
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return Err(closed(context, created)),
            batch = cursor.next_batch() => batch.map_err(|_| closed(context, created))?,
        };
        for event in batch.iter().filter(|event| event.record.key == created.key) {
            let record = &event.record;
            match (event.kind, refusal::of(record)) {
                (_, Some(refusal)) => return Err(refusal),
                (EventKind::Modified, None) if record.uninitialized => *latest = Arc::clone(record),
                (EventKind::Modified, None) => return Ok(Object::Stored(Arc::clone(record))),
                _ => return Err(Status::internal("object deleted while waiting for creation")),
            }
        }
    }
}

fn closed(context: &Context, created: &Record) -> Status {
    let (resource, name) = (context.resource.qualified(), &created.key.name);
    Status::timeout(format_args!("server has timed out waiting for the initialization of {resource} {name}"))
}

/// As upstream, and who it is that did not answer.
fn late(latest: &Record, limit: Duration) -> Status {
    let object: Json = serde_json::from_slice(&latest.value).unwrap_or_default();
    let seconds = limit.as_millis().div_ceil(1000);
    let first = initializers::pending(&object).next().unwrap_or_default();
    let late = format!("request did not complete within requested timeout {seconds}s; waiting for initializer {first:?}");
    Status::timeout(late)
}
