//! One object on one snapshot: its row, if it has one.

use std::sync::Arc;

use plimsoll_contract::annotations::HOLD;
use plimsoll_contract::kind::{Kind, Mode};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::placement::Placement;
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use crate::decision::{Config, Decision, Last, Subject, decide};
use crate::placements::rows::{Key, Verdict};
use crate::snapshot::Snapshot;
use crate::state::{Leaf, State};

/// Whether existing objects of a kind are looked at.
pub(super) fn looked_at(kind: &Kind) -> bool {
    kind.place && kind.mode != Mode::Off
}

/// Decides one object, given the memory of earlier decisions by uid.
pub(super) fn verdict<'a>(
    snapshot: &Snapshot,
    config: &Config,
    key: &Key,
    last: impl FnOnce(&str) -> Option<&'a Last>,
) -> Verdict {
    let Some(kind) = snapshot.state.kind(&key.gvr).filter(|kind| looked_at(kind)) else { return Verdict::Gone };
    let name = ObjectName { namespace: key.namespace.to_string(), name: key.name.to_string() };
    let Some(leaf) = snapshot.state.object(kind, &name) else { return Verdict::Gone };
    let row = blank(snapshot, kind, name, leaf);
    let object: Json = match serde_json::from_slice(&leaf.json) {
        Ok(object) => object,
        Err(error) => return unreadable(row, &error),
    };
    if controlled_by_placed(&snapshot.state, &object) {
        return Verdict::Unplaced { uid: Arc::from(&*leaf.uid) };
    }
    let decision = decide(snapshot, Subject { object: &object, kind: Some(kind), last: last(&leaf.uid) }, config);
    if decision.outcome == Outcome::Exempt {
        return Verdict::Unplaced { uid: Arc::from(&*leaf.uid) };
    }
    filled(row, &object, decision)
}

fn blank(snapshot: &Snapshot, kind: &Kind, name: ObjectName, leaf: &Leaf) -> Placement {
    Placement {
        gvr: kind.gvr.clone(),
        kind: kind.kind.clone(),
        namespace: name.namespace,
        name: name.name,
        uid: leaf.uid.to_string(),
        resource_version: leaf.resource_version.to_string(),
        outcome: Outcome::Exempt,
        mode: kind.mode,
        hold: false,
        kept: false,
        patch: Default::default(),
        clusters: Vec::new(),
        rejected: Default::default(),
        warnings: Vec::new(),
        revision: snapshot.revision,
    }
}

fn unreadable(row: Placement, error: &serde_json::Error) -> Verdict {
    let message = format!("the replicated object {} cannot be read: {error}", row.object());
    let outcome = Outcome::Unavailable { reason: Unavailable::Failed, message };
    Verdict::Row { row: Box::new(Placement { outcome, ..row }), last: None }
}

fn filled(row: Placement, object: &Json, decision: Decision) -> Verdict {
    let last = remembered(&decision.outcome).then_some(decision.last);
    let deleting = object.pointer("/metadata/deletionTimestamp").is_some_and(|at| !at.is_null());
    let row = Placement {
        outcome: decision.outcome,
        hold: annotation(object, HOLD) == Some("true"),
        kept: decision.kept,
        // What is being deleted is left alone: finalizers may be waiting for it to stay as it is.
        patch: if deleting { Default::default() } else { decision.patch },
        clusters: decision.clusters,
        rejected: decision.rejected,
        warnings: decision.warnings,
        ..row
    };
    Verdict::Row { row: Box::new(row), last }
}

/// Only a decision changes the memory: an evaluation that failed or denied leaves the object as it was decided before.
fn remembered(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Place | Outcome::Nowhere | Outcome::NoOpinion => true,
        Outcome::Exempt | Outcome::Unarmed | Outcome::Undefined | Outcome::Denied { .. } | Outcome::Unavailable { .. } => false,
    }
}

fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

/// Objects that another placed object makes follow their owner's placement.
fn controlled_by_placed(state: &State, object: &Json) -> bool {
    let owners = object.pointer("/metadata/ownerReferences").and_then(Json::as_array);
    let controller = |owner: &&Json| owner.get("controller") == Some(&Json::Bool(true));
    owners.into_iter().flatten().filter(controller).any(|owner| {
        let text = |field| owner.get(field).and_then(Json::as_str).unwrap_or_default();
        let group = text("apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
        let mut kinds = state.sources.values().flat_map(|source| &source.kinds).map(|kind| &kind.kind);
        kinds.any(|kind| kind.place && kind.kind == text("kind") && kind.gvr.group == group)
    })
}
