//! One pass over what is being deleted: namespaces and CustomResourceDefinitions.

use std::sync::Arc;

use plimsoll_contract::exempt::POLICY_NAMESPACE;
use serde_json::{Value as Json, json};

use super::myself;
use crate::resources::Resource;
use crate::resources::crd::COLLECTION as DEFINITIONS;
use crate::resources::crd::names::CLEANUP;
use crate::resources::object;
use crate::rest::context::Context;
use crate::rest::delete::{Options, delete};
use crate::rest::settle::NAMESPACES;
use crate::rest::update::update;
use crate::server::ApiServer;
use crate::status::Status;

/// Does what can be done now; `true` when something is left.
pub(super) async fn all(server: &Arc<ApiServer>) -> bool {
    let mut unfinished = false;
    for name in deleting(server, NAMESPACES) {
        unfinished |= report("namespace", &name, namespace(server, &name).await);
    }
    for name in deleting(server, DEFINITIONS) {
        unfinished |= report("customresourcedefinition", &name, definition(server, &name).await);
    }
    unfinished
}

fn report(kind: &str, name: &str, result: Result<bool, Status>) -> bool {
    match result {
        Ok(finished) => !finished,
        Err(status) if status.code == 404 => false,
        Err(status) => {
            tracing::warn!(kind, name, %status, "cannot finish a deletion yet; it is tried again");
            true
        }
    }
}

fn deleting(server: &ApiServer, collection: &str) -> Vec<String> {
    let snapshot = server.store.snapshot();
    let records = snapshot.list(collection, None, None);
    let going =
        records.filter(|record| serde_json::from_slice::<Json>(&record.value).is_ok_and(|value| object::is_deleting(&value)));
    going.map(|record| record.key.name.to_string()).collect()
}

/// Empties a namespace and lets it go; whether it is gone. Policies go last, so that nothing is ever created that they
/// would have refused (lesson of CVE-2024-7598).
async fn namespace(server: &Arc<ApiServer>, name: &str) -> Result<bool, Status> {
    let rows = stored_rows(server);
    let (last, first): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| name == POLICY_NAMESPACE && &*row.collection == "core/configmaps");
    for rows in [first, last] {
        let mut left = 0;
        for row in rows {
            left += empty(server, row, Some(name)).await?;
        }
        if left > 0 {
            return Ok(false);
        }
    }
    let registry = server.registry.load();
    let namespaces = registry.stored(NAMESPACES).ok_or_else(Status::no_such_path)?;
    let context =
        Context { name: name.to_owned(), subresource: "finalize".into(), ..Context::internal(server, &namespaces, myself()) };
    update(&context, &|old| {
        let mut new = old.clone();
        object::set_top(&mut new, "spec", Some(json!({})));
        Ok(new.into())
    })
    .await?;
    Ok(true)
}

/// Removes the instances of a definition, then lets it go.
async fn definition(server: &Arc<ApiServer>, name: &str) -> Result<bool, Status> {
    let registry = server.registry.load();
    let mut left = 0;
    for row in stored_rows(server).iter().filter(|row| row.custom && row.qualified() == name) {
        left += empty(server, row, None).await?;
    }
    if left > 0 {
        return Ok(false);
    }
    let definitions = registry.stored(DEFINITIONS).ok_or_else(Status::no_such_path)?;
    let context = Context { name: name.to_owned(), ..Context::internal(server, &definitions, myself()) };
    update(&context, &|old| {
        let mut new = old.clone();
        let others: Vec<_> = object::finalizers(old).into_iter().filter(|name| *name != CLEANUP).collect();
        object::set(&mut new, "finalizers", (!others.is_empty()).then(|| json!(others)));
        Ok(new.into())
    })
    .await?;
    Ok(true)
}

/// One row for each collection that objects are kept in.
fn stored_rows(server: &ApiServer) -> Vec<Arc<Resource>> {
    let registry = server.registry.load();
    let mut rows: Vec<Arc<Resource>> = Vec::new();
    for row in registry.served_or_not().filter(|row| row.is_stored()) {
        if !rows.iter().any(|known| known.collection == row.collection) {
            rows.extend(registry.stored(&row.collection));
        }
    }
    rows
}

/// Deletes every object of a collection, in one namespace or in all; how many are left, waiting for their finalizers.
async fn empty(server: &Arc<ApiServer>, row: &Arc<Resource>, namespace: Option<&str>) -> Result<usize, Status> {
    let collection = &row.collection;
    let snapshot = server.store.snapshot();
    let everything = Context::internal(server, row, myself());
    for record in snapshot.list(collection, namespace, None) {
        match delete(&everything.of_object(&record.key), &Options::default()).await {
            Err(status) if status.code == 404 => {}
            result => drop(result?),
        }
    }
    Ok(server.store.snapshot().count(collection, namespace))
}
