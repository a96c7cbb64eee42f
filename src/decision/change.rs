//! A change of some clusters, and whether policy says of an object what it said before: found by evaluating those clusters alone.

use serde_json::Value as Json;

use super::class::{self, Said};
use super::decide::asked;
use super::skim::skim;
use super::{Config, Subject};
use crate::rego::{ChangedMembers, Value};
use crate::snapshot::{Basis, Snapshot};
use crate::state::State;

/// Clusters that changed while none came or went, and nothing else did that decisions rest on.
#[derive(Debug)]
pub struct FleetChange(ChangedMembers);

impl FleetChange {
    /// Returns how the fleet changed from one snapshot to the next, of which only the data differ; `None` where the whole fleet has to be
    /// looked at again.
    pub fn between(before: &Snapshot, now: &Snapshot, config: &Config) -> Option<Self> {
        let kind = now.state.fleet()?;
        let is_there = |state: &State, name| state.object(kind, name).is_some();
        let changed = now.state.changed_objects(&before.state, kind);
        let is_same_fleet =
            changed.iter().all(|changed| is_there(&before.state, &changed.name) && is_there(&now.state, &changed.name));
        let path = &config.placement_path;
        // What is replicated where the rules are is answered, too.
        if !is_same_fleet || before.state.tree.json(path) != now.state.tree.json(path) {
            return None;
        }
        let (older, newer) = (before.prepared().ok()?, now.prepared().ok()?);
        newer.changed_members(&older, path, &now.state.fleet_path(), &config.limits).map(Self)
    }

    /// Whether policy certainly says of an object what it said before. The object was read by [`of_text`].
    pub fn is_same(&self, snapshot: &Snapshot, (subject, extent): (Subject<'_>, Extent), before: Said, config: &Config) -> bool {
        let Some((form, key)) = asked(snapshot, subject, config) else { return false };
        if class::digest_of(&key) != before.class {
            return false;
        }
        let input = match extent {
            Extent::Part => snapshot.basis(&config.placement_path).entry.input_part(&form.object),
            Extent::Whole => Value::from(form.object),
        };
        self.0.is_same(&input, &config.limits)
    }
}

/// How much of an object was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What decides of it: see [`super::skim`].
    Part,
    /// All of it.
    Whole,
}

/// Reads of a text as much as [`FleetChange::is_same`] looks at; `None` where it is no JSON.
pub fn of_text(text: &[u8], basis: &Basis) -> Option<(Json, Extent)> {
    let whole = || serde_json::from_slice(text).ok().map(|object| (object, Extent::Whole));
    skim(text, basis).map(|object| (object, Extent::Part)).or_else(whole)
}
