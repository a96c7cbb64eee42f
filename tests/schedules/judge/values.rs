//! Every stored value is one that some policy in force gave on some fleet that there was.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::history::{Past, Stored};
use super::super::policy::Value;
use super::Violations;

/// An object that does not ask any more may keep for a while what it had; one that asks is never without.
pub(in super::super) fn values(past: &Past) -> Violations {
    let mut found = Violations::new();
    for versions in past.objects.values() {
        let mut before: Option<&Stored> = None;
        for stored in versions.iter().filter(|stored| !stored.gone) {
            let is_kept = !stored.asks && before.is_some_and(|before| before.value == stored.value);
            if !is_kept && !is_legitimate(past, stored) {
                found.push(format!(
                    "value: {} at version {} (asks: {}, written by {}) has {:?}, which no policy gave on any fleet; before: {:?}",
                    stored.name,
                    stored.version,
                    stored.asks,
                    stored.manager,
                    stored.value,
                    before.map(|before| &before.value)
                ));
            }
            before = Some(stored);
        }
    }
    found
}

fn is_legitimate(past: &Past, stored: &Stored) -> bool {
    let upto = past.fleet_at(stored.version);
    let edits = past.policies.iter().flatten().filter(|(came, _)| *came <= stored.seen + Duration::from_secs(1));
    let policies: BTreeSet<_> = edits.map(|(_, policy)| *policy).collect();
    let fleets = past.fleets.iter().take(upto + 1);
    let mut given = fleets.flat_map(|state| policies.iter().map(|policy| policy.value(&state.fleet, stored.asks)));
    given.any(|value: Value| value == stored.value)
}
