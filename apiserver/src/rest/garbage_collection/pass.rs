//! One pass over every object that names an owner, or waits for its dependents.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::resources::object;
use crate::resources::{Registry, Resource, Scope};
use crate::rest::context::Context;
use crate::rest::delete::{FOREGROUND, ORPHAN, Options, Preconditions, delete};
use crate::rest::namespaces::myself;
use crate::rest::update::update;
use crate::server::ApiServer;
use crate::status::Status;
use crate::storage::{Key, Snapshot};

/// Finds the few objects that matter among many that do not, without parsing them.
static MATTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""ownerReferences"|"foregroundDeletion"|"orphan""#).ok());

/// A reference to an owner.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Owner {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    block_owner_deletion: bool,
}

/// An object that matters.
struct Node {
    row: Arc<Resource>,
    key: Key,
    uid: String,
    owners: Vec<Owner>,
    waits: Option<&'static str>,
}

/// What is known of an owner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    There,
    /// It is being deleted in the foreground.
    Going,
    Absent,
}

/// Does what can be done now. Returns whether that is all.
pub(super) async fn run(server: &Arc<ApiServer>) -> bool {
    let (registry, snapshot) = (server.registry.load(), server.store.snapshot());
    let nodes = nodes(&registry, &snapshot);
    let (dependents, mut finished) = (dependents(&nodes), true);
    for node in &nodes {
        let waiting = dependents.get(node.uid.as_str()).map(Vec::as_slice).unwrap_or_default();
        let result = match node.waits {
            Some(finalizer) if finalizer == ORPHAN || !waiting.iter().any(|(_, owner)| owner.block_owner_deletion) => {
                let dependents = if finalizer == ORPHAN { waiting } else { &[] };
                release(server, node, dependents, finalizer).await
            }
            _ => collect(server, &registry, &snapshot, node).await,
        };
        if let Err(status) = result
            && status.code != 404
            && status.code != 409
        {
            tracing::warn!(key = ?node.key, %status, "garbage collection failed; it is tried again");
            finished = false;
        }
    }
    finished
}

fn dependents(nodes: &[Node]) -> HashMap<&str, Vec<(&Node, &Owner)>> {
    let mut dependents: HashMap<&str, Vec<(&Node, &Owner)>> = HashMap::new();
    for node in nodes {
        for owner in &node.owners {
            dependents.entry(&owner.uid).or_default().push((node, owner));
        }
    }
    dependents
}

fn nodes(registry: &Registry, snapshot: &Snapshot) -> Vec<Node> {
    let Some(matters) = &*MATTERS else { return Vec::new() };
    let mut nodes = Vec::new();
    for (collection, _) in snapshot.collections() {
        let Some(row) = registry.stored(collection) else { continue };
        let records = snapshot.list(collection, None, None).filter(|record| matters.is_match(&record.value));
        nodes.extend(records.filter_map(|record| node(&row, &record.key, &record.value)));
    }
    nodes
}

fn node(row: &Arc<Resource>, key: &Key, value: &[u8]) -> Option<Node> {
    let object: Json = serde_json::from_slice(value).ok()?;
    let owners = object::field(&object, "ownerReferences").cloned().unwrap_or_default();
    let owners: Vec<Owner> = serde_json::from_value(owners).unwrap_or_default();
    let finalizers = object::finalizers(&object);
    let waits = [ORPHAN, FOREGROUND].into_iter().find(|name| object::is_deleting(&object) && finalizers.contains(name));
    let matters = !owners.is_empty() || waits.is_some();
    let uid = object::text(&object, "uid").to_owned();
    matters.then(|| Node { row: Arc::clone(row), key: key.clone(), uid, owners, waits })
}

fn context(server: &Arc<ApiServer>, node: &Node) -> Context {
    Context::internal(server, &node.row, myself()).of_object(&node.key)
}

/// Lets an owner go: its orphans forget it, then its finalizer is taken away.
async fn release(server: &Arc<ApiServer>, node: &Node, orphans: &[(&Node, &Owner)], finalizer: &str) -> Result<(), Status> {
    for (orphan, _) in orphans {
        forget(server, orphan, &[node.uid.as_str()]).await?;
    }
    update(&context(server, node), &|old| {
        let mut new = old.clone();
        let others: Vec<_> = object::finalizers(old).into_iter().filter(|name| *name != finalizer).collect();
        object::set(&mut new, "finalizers", (!others.is_empty()).then(|| json!(others)));
        Ok(new.into())
    })
    .await
    .map(drop)
}

/// Takes references to owners out of an object.
async fn forget(server: &Arc<ApiServer>, node: &Node, owners: &[&str]) -> Result<(), Status> {
    update(&context(server, node), &|old| {
        let mut new = old.clone();
        let references = object::field(old, "ownerReferences").and_then(Json::as_array).into_iter().flatten();
        let uid = |reference: &Json| reference.get("uid").and_then(Json::as_str).unwrap_or_default().to_owned();
        let kept: Vec<_> = references.filter(|reference| !owners.contains(&uid(reference).as_str())).cloned().collect();
        object::set(&mut new, "ownerReferences", (!kept.is_empty()).then(|| json!(kept)));
        Ok(new.into())
    })
    .await
    .map(drop)
}

/// Deletes an object without owners; forgets those that are gone where others are left.
async fn collect(server: &Arc<ApiServer>, registry: &Registry, snapshot: &Snapshot, node: &Node) -> Result<(), Status> {
    let presences: Vec<_> = node.owners.iter().map(|owner| (owner, presence(registry, snapshot, node, owner))).collect();
    if presences.is_empty() {
        return Ok(());
    }
    let of = |wanted: Presence| presences.iter().filter(move |(_, presence)| *presence == wanted);
    if of(Presence::There).next().is_some() {
        let absent: Vec<&str> = of(Presence::Absent).map(|(owner, _)| owner.uid.as_str()).collect();
        return if absent.is_empty() { Ok(()) } else { forget(server, node, &absent).await };
    }
    let going = of(Presence::Going).next().is_some();
    let policy = if going { "Foreground" } else { "Background" };
    let preconditions = Preconditions { uid: Some(node.uid.clone()), resource_version: None };
    let (preconditions, propagation_policy) = (Some(preconditions), Some(policy.to_owned()));
    let options = Options { preconditions, propagation_policy, ..Options::default() };
    delete(&context(server, node), &options).await.map(drop)
}

/// An owner of an unknown kind may well be there; nothing is deleted for its sake.
fn presence(registry: &Registry, snapshot: &Snapshot, node: &Node, owner: &Owner) -> Presence {
    let (group, version) = owner.api_version.rsplit_once('/').unwrap_or(("", &owner.api_version));
    let Some(row) = registry.known(group, version, &owner.kind) else { return Presence::There };
    let namespace = if row.scope == Scope::Cluster { "".into() } else { Arc::clone(&node.key.namespace) };
    let key = Key { collection: Arc::clone(&row.collection), namespace, name: owner.name.as_str().into() };
    let value = snapshot.get(&key).and_then(|record| serde_json::from_slice::<Json>(&record.value).ok());
    match value.filter(|value| object::text(value, "uid") == owner.uid) {
        None => Presence::Absent,
        Some(value) if object::is_deleting(&value) && object::finalizers(&value).contains(&FOREGROUND) => Presence::Going,
        Some(_) => Presence::There,
    }
}
