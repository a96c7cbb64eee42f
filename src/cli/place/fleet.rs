//! The engine's store without a network: policies from directories, state from manifests.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::{Declare, SyncHeader, SyncMode};
use plimsoll_sidecar::config::Config;
use serde_json::Value as Json;

use super::kinds;
use super::read::Manifest;
use crate::policy_set::SET;
use crate::policy_set::files::{Tests, load_all};
use crate::rego::RegoVersion;
use crate::snapshot::{Store, StoreOptions};

/// Name of the only source of state.
const SOURCE: &str = "files";

/// Returns a store with the policies. Policies that do not compile make it not ready, as in an engine. Fails when they cannot be read.
pub(super) fn store(directories: &[PathBuf], rego: RegoVersion) -> anyhow::Result<Store> {
    let options = StoreOptions { rego, expect_files: true, ..StoreOptions::default() };
    let store = Store::new(options).map_err(|errors| anyhow!("the empty policy set does not compile: {errors:?}"))?;
    let offer = load_all(directories, Tests::Skip).context("could not read the policies")?;
    // The store keeps what is wrong with them, and each decision says it.
    if let Err(errors) = store.put_set(SET, offer) {
        tracing::debug!(errors = errors.len(), "policies are refused");
    }
    Ok(store)
}

/// Declares the kinds and loads the state; without a `table`, kinds are guessed from the manifests. Fails when an object has no name, or
/// appears twice.
pub(super) fn load(store: &Store, table: Option<Config>, state: Vec<Manifest>, placed: &[Manifest]) -> anyhow::Result<()> {
    let all: Vec<&Manifest> = state.iter().chain(placed).collect();
    let (rows, exempt_namespaces) = match table {
        Some(Config { kinds, exempt_namespaces, .. }) => (kinds::complete(kinds, &all), exempt_namespaces),
        None => (kinds::guess(&all), Vec::new()),
    };
    let declared = Declare { instance: "place".into(), kinds: rows.clone(), exempt_namespaces, ..Declare::default() };
    let session = store.declare(SOURCE, declared)?.session;
    let mut by_kind: BTreeMap<usize, Vec<Manifest>> = BTreeMap::new();
    for manifest in state {
        let is_row = |row: &Kind| row.kind == manifest.text("/kind") && row.gvr.api_version() == manifest.text("/apiVersion");
        match rows.iter().position(is_row) {
            Some(row) => by_kind.entry(row).or_default().push(manifest),
            None => tracing::warn!("{}: {} is not in the table of kinds: left out", manifest.place, manifest.title()),
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let objects = by_kind.remove(&index).unwrap_or_default();
        let header = SyncHeader {
            session: session.clone(),
            kind: row.gvr.clone(),
            mode: SyncMode::Replace,
            resource_version: None,
            listed_millis_ago: None,
        };
        store.sync(SOURCE, body(&header, row, objects)?.as_bytes())?;
    }
    Ok(())
}

fn body(header: &SyncHeader, row: &Kind, objects: Vec<Manifest>) -> anyhow::Result<String> {
    let mut body = serde_json::to_string(header)?;
    let mut seen: BTreeMap<(String, String), String> = BTreeMap::new();
    for mut manifest in objects {
        settle(&mut manifest.object, row);
        let name = manifest.text("/metadata/name");
        if name.is_empty() {
            bail!("{}: an object of the state needs a `metadata.name`", manifest.place);
        }
        let key = (manifest.text("/metadata/namespace").to_owned(), name.to_owned());
        if let Some(first) = seen.insert(key, manifest.place.clone()) {
            bail!("{}: {} is also in {first}", manifest.place, manifest.title());
        }
        body.push('\n');
        body.push_str(&manifest.object.to_string());
    }
    Ok(body)
}

/// Sets the namespace of an object that names none to `default`, as `kubectl` does.
fn settle(object: &mut Json, row: &Kind) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut).filter(|_| row.namespaced) {
        metadata.entry("namespace").or_insert_with(|| "default".into());
    }
}
