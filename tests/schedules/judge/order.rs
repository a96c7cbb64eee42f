//! No decision goes back to an older fleet, and none is made on one that was replaced long ago.

use super::super::history::{Past, Stored};
use super::{DETECTION, Violations};

/// From one stored version to the next, the fleet that the record names never gets older. Compared are the fleets themselves, not the
/// versions: after a list the version named is the list's, and a mirror that hears of two changes at once, of which the second undoes
/// the first, has seen no change.
pub(in super::super) fn order(past: &Past) -> Violations {
    let mut found = Violations::new();
    for versions in past.objects.values() {
        for (before, after) in pairs(versions) {
            let (Some(old), Some(new)) = (changed(before), changed(after)) else { continue };
            let (from, named) = (past.fleet_at(old), past.fleet_at(new));
            let upto = past.fleet_at(after.version).max(from);
            if named < from && !past.fleets[from..=upto].iter().any(|state| state.fleet == past.fleets[named].fleet) {
                found.push(format!(
                    "order: {} was decided on fleet {old} at version {}, then on {new} at version {} (written by {}), though the fleet \
                     changed in between",
                    after.name, before.version, after.version, after.manager
                ));
            }
            if new > after.version {
                found.push(format!("order: {} at version {} names the later fleet {new}", after.name, after.version));
            }
        }
    }
    found
}

/// A new record does not name a fleet that had been replaced for longer than it takes to notice.
pub(in super::super) fn freshness(past: &Past) -> Violations {
    let mut found = Violations::new();
    for versions in past.objects.values() {
        let first = versions.first().map(|first| (None, first));
        let rest = pairs(versions).map(|(before, after)| (Some(before), after));
        for (before, after) in first.into_iter().chain(rest) {
            let is_new = before.is_none_or(|before| before.record != after.record);
            let Some(named) = changed(after).filter(|_| is_new) else { continue };
            let decided = &past.fleets[past.fleet_at(named)].fleet;
            let upto = past.fleet_at(after.version);
            // The last time that the fleet was like that.
            let Some(last) = past.fleets[..=upto].iter().rposition(|state| state.fleet == *decided).filter(|last| *last < upto)
            else {
                continue;
            };
            let late = after.seen.saturating_duration_since(past.fleets[last + 1].seen);
            if late > DETECTION {
                found.push(format!(
                    "freshness: {} at version {} (written by {}) was decided on fleet {named}, {:.1} s after that was replaced",
                    after.name,
                    after.version,
                    after.manager,
                    late.as_secs_f64()
                ));
            }
        }
    }
    found
}

fn pairs(versions: &[Stored]) -> impl Iterator<Item = (&Stored, &Stored)> {
    versions.iter().zip(versions.iter().skip(1)).filter(|(_, after)| !after.gone)
}

fn changed(stored: &Stored) -> Option<u64> {
    stored.record.as_ref()?.changed
}
