//! The life of namespaces: the first ones are made at the start, and one that is deleted is emptied before it goes. Source:
//! `kubernetes` `pkg/controller/namespace`, `pkg/controlplane/controller/systemnamespaces`.

mod sweep;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::admission::InForce;
use crate::authn::User;
use crate::resources::{crd, object};
use crate::rest::context::Context;
use crate::rest::create::create_object;
use crate::rest::settle::NAMESPACES;
use crate::server::ApiServer;
use crate::status::{Reason, Status};

/// Made at the start.
const FIRST: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];
/// What could not be done is tried again after this time.
const AGAIN: Duration = Duration::from_millis(500);

/// Who the server itself is, in admission and in managed fields.
pub fn myself() -> User {
    User {
        name: "system:apiserver".into(),
        groups: vec!["system:authenticated".into(), "system:masters".into()],
        ..User::default()
    }
}

/// Makes what every server starts with: namespaces, then `objects` that are kept as they are where they exist.
pub async fn bootstrap(server: &Arc<ApiServer>, objects: Vec<serde_json::Value>) -> Result<(), Status> {
    let first = FIRST.iter().map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    for object in first.chain(objects) {
        let text = |field: &str| object.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (group, version) = text("apiVersion").rsplit_once('/').unwrap_or(("", text("apiVersion")));
        let registry = server.registry.load();
        let resource = registry.known(group, version, text("kind"));
        let resource = resource.ok_or_else(|| Status::internal(format_args!("there is no kind {}", text("kind"))))?;
        let mut context = Context::internal(server, &resource, myself());
        // No webhook sees them: one that is gone would keep the server from starting.
        context.configuration = InForce::default().into();
        context.namespace = object::text(&object, "namespace").to_owned();
        match create_object(&mut context, object, false).await {
            Err(status) if status.reason == Reason::AlreadyExists => {}
            result => drop(result?),
        }
    }
    Ok(())
}

/// Empties namespaces and removes instances of definitions that are being deleted, until the store closes.
pub async fn run(server: Arc<ApiServer>) {
    let collections = [NAMESPACES, crd::COLLECTION].map(|collection| server.store.history(collection));
    let start = server.store.snapshot().revision();
    let [Ok(mut namespaces), Ok(mut definitions)] = collections.map(|history| history.since(start)) else { return };
    loop {
        // Nothing of it is admitted while nobody knows who judges it.
        let unfinished = !server.knows_configurations() || sweep::all(&server).await;
        let again = Instant::now() + AGAIN;
        let ended = tokio::select! {
            batch = namespaces.next_batch() => batch.is_err(),
            batch = definitions.next_batch() => batch.is_err(),
            () = sleep_until(again), if unfinished => false,
        };
        if ended {
            return;
        }
    }
}
