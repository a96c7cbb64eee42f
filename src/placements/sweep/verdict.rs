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
use crate::state::Leaf;

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
    let row = Placement {
        outcome: decision.outcome,
        hold: annotation(object, HOLD) == Some("true"),
        kept: decision.kept,
        patch: decision.patch,
        clusters: decision.clusters,
        rejected: decision.rejected,
        warnings: decision.warnings,
        ..row
    };
    Verdict::Row { row: Box::new(row), last: Some(decision.last) }
}

fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}
