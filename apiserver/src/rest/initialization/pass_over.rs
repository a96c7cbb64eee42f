//! What the server does in the place of an initializer that did not answer, in its own name and through admission.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::admission::initializers::FailOpen;
use crate::admission::webhook::FailurePolicy;
use crate::resources::{initializers, object};
use crate::rest::context::{Context, Object};
use crate::rest::namespaces::myself;
use crate::rest::update::{Changed, update};
use crate::server::ApiServer;
use crate::status::Status;
use crate::storage::Key;

/// Whose turn it is at which object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The object's uid.
    pub(super) uid: String,
    /// The initializer's name.
    pub(super) name: String,
}

impl Turn {
    /// `None` where it is nobody's turn.
    pub(super) fn of(value: &Json) -> Option<Self> {
        let name = initializers::pending(value).next()?.to_owned();
        Some(Self { uid: object::text(value, "uid").to_owned(), name })
    }
}

/// Takes the initializer off the object, or fails the object, as its policy says; one that is not configured (any more) is
/// taken off. Does nothing, with a conflict, if it has answered meanwhile or the object is another one.
pub(super) async fn pass_over(server: &Arc<ApiServer>, key: &Key, turn: &Turn, noticed: FailOpen) -> Result<Object, Status> {
    let row = server.registry.load().stored(&key.collection).ok_or_else(Status::no_such_path)?;
    let context = Context::internal(server, &row, myself()).of_object(key);
    let initialization = &server.initialization;
    let policy = policy(server, &turn.name)?;
    let late = late(server, &turn.name);
    let make = |old: &Json| -> Result<Changed, Status> {
        if Turn::of(old).as_ref() != Some(turn) {
            return Err(Status::modified(&context.resource, &context.name));
        }
        let mut new = old.clone();
        match policy {
            Some(FailurePolicy::Fail) => initializers::refuse(&mut new, refusal(&late)),
            _ => initializers::remove_first(&mut new),
        }
        Ok(new.into())
    };
    if policy == Some(FailurePolicy::Fail) {
        return update(&context, &make).await;
    }
    // Before it is true: who waits is answered as soon as the write is there.
    let told = format!("{late} and was passed over");
    initialization.tell(&turn.uid, &told);
    let written = update(&context, &make).await.inspect_err(|_| initialization.retract(&turn.uid, &told))?;
    server.metrics.admission.initializers.failed_open(policy.map(|_| turn.name.as_str()), noticed);
    // Who waits has it in the audit log; nobody waits for an object that was passed over later.
    tracing::warn!(?key, initializer = turn.name, reason = noticed.name(), "an initializer did not answer and was passed over");
    Ok(written)
}

/// `None` for one that is not configured (any more).
fn policy(server: &ApiServer, name: &str) -> Result<Option<FailurePolicy>, Status> {
    match &server.remote {
        Some(remote) => remote.policy(name).map_err(Status::internal),
        None => server.initialization.configurations.policy(&server.store.snapshot(), name).map_err(Status::internal),
    }
}

fn late(server: &ApiServer, name: &str) -> String {
    format!("initializer {name:?} did not answer within {:?}", server.initialization.settings.timeout)
}

fn refusal(late: &str) -> Json {
    json!({"status": "Failure", "reason": "Timeout", "code": 504, "message": format!("Timeout: {late}")})
}
