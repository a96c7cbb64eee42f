//! A change of some clusters, and whether policy says of an object what it said before: found by evaluating those clusters alone.

use super::class::{self, Said};
use super::decide::asked;
use super::{Config, Subject};
use crate::rego::{ChangedMembers, Value};
use crate::snapshot::Snapshot;
use crate::state::State;

/// Clusters that changed while none came or went, and nothing else did that decisions rest on.
#[derive(Debug)]
pub struct FleetChange(ChangedMembers);

impl FleetChange {
    /// Returns how the fleet changed from one snapshot to the next, of which only the data differ; `None` where the whole fleet has to be
    /// looked at again.
    pub fn between(before: &Snapshot, now: &Snapshot, config: &Config) -> Option<Self> {
        let fleet = now.state.fleet()?;
        let is_there = |state: &State, name| state.object(fleet, name).is_some();
        let changed = now.state.changed_objects(&before.state, fleet);
        let is_same_fleet =
            changed.iter().all(|changed| is_there(&before.state, &changed.name) && is_there(&now.state, &changed.name));
        let path = &config.placement_path;
        // What is replicated where the rules are is answered, too.
        if !is_same_fleet || before.state.tree.json(path) != now.state.tree.json(path) {
            return None;
        }
        let (older, newer) = (before.prepared().ok()?, now.prepared().ok()?);
        let collection = ["kubernetes", fleet.state_path()];
        newer.changed_members(&older, path, &collection, &config.limits).map(Self)
    }

    /// Whether policy certainly says of an object what it said before.
    pub fn is_same(&self, snapshot: &Snapshot, subject: Subject<'_>, before: Said, config: &Config) -> bool {
        let Some((form, key)) = asked(snapshot, subject, config).filter(|_| !before.met_unusual) else { return false };
        class::digest_of(&key) == before.class && self.0.is_same(&Value::from(form.object), &config.limits)
    }
}
