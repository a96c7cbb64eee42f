//! No decision goes back to an older fleet, and none is made on one that was replaced long ago.

use plimsoll_contract::annotations::Applied;

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

/// A new decision does not name a fleet that had been replaced for longer than it takes to notice.
pub(in super::super) fn freshness(past: &Past) -> Violations {
    let mut found = Violations::new();
    for versions in past.objects.values() {
        let first = versions.first().map(|first| (None, first));
        let rest = pairs(versions).map(|(before, after)| (Some(before), after));
        for (before, after) in first.into_iter().chain(rest) {
            let is_new = before.is_none_or(|before| before.record != after.record);
            let is_decision = is_new && !before.is_some_and(|before| is_disowned(before, after));
            let Some(named) = changed(after).filter(|_| is_decision) else { continue };
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
                    "freshness: {} at version {} (written by {}) was decided on fleet {named}, {:.1} s after that was replaced:{}",
                    after.name,
                    after.version,
                    after.manager,
                    late.as_secs_f64(),
                    Past::story(versions, after.seen)
                ));
            }
        }
    }
    found
}

/// Whether nobody decided: an engine that leaves a placement to another one, which knows more, while the object asks for something else,
/// takes the policies' name off the record, and nothing else. The fleet in it is that of the decision before, however long ago. A
/// decision always names its policies.
fn is_disowned(before: &Stored, after: &Stored) -> bool {
    let record = |stored: &Stored| stored.record.as_ref().and_then(|record| Applied::parse(&record.text).ok());
    let Some((old, new)) = record(before).zip(record(after)) else { return false };
    before.value == after.value && !old.policy.is_empty() && new == Applied { policy: String::new(), ..old }
}

fn pairs(versions: &[Stored]) -> impl Iterator<Item = (&Stored, &Stored)> {
    versions.iter().zip(versions.iter().skip(1)).filter(|(_, after)| !after.gone)
}

fn changed(stored: &Stored) -> Option<u64> {
    stored.record.as_ref()?.changed
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::super::super::history::{Record, State};
    use super::super::super::policy::Value;
    use super::*;

    /// One cluster is certified, and from version 20 on another one; 11 s later an object that was placed in the beginning changes.
    fn freshness_of(value: &Value, policy: &str, fleet: u64, sum: &str) -> Violations {
        let start = Instant::now();
        let late = start + DETECTION + Duration::from_secs(1);
        let state = |version, cluster: &str| State { seen: start, version, fleet: [(cluster.to_owned(), true)].into() };
        let first = stored(start, 15, &placed(), ("sha256:p", 10, "sha256:s"));
        let objects = [("uid".to_owned(), vec![first, stored(late, 30, value, (policy, fleet, sum))])];
        let past = Past { fleets: vec![state(10, "c0"), state(20, "c1")], objects: objects.into(), ..Past::default() };
        freshness(&past)
    }

    fn stored(seen: Instant, version: u64, value: &Value, (policy, fleet, sum): (&str, u64, &str)) -> Stored {
        let resource = "cluster.karmada.io/v1alpha1/clusters";
        let fleet_seen = json!({"source": "s", "cluster": "c", "resource": resource, "changed": fleet.to_string()});
        let keys = json!({"k": {"was": null, "sum": sum}});
        let text = json!({"kind": "ReplicaSet", "policy": policy, "keys": keys, "fleet": fleet_seen}).to_string();
        assert!(Applied::parse(&text).is_ok(), "{text}");
        let record = Some(Record { text, changed: Some(fleet) });
        Stored {
            seen,
            version,
            name: "web".into(),
            asks: true,
            value: value.clone(),
            record,
            manager: String::new(),
            gone: false,
        }
    }

    fn placed() -> Value {
        Some([("c0".to_owned(), 1)].into())
    }

    #[test]
    fn only_what_is_decided_is_judged() {
        let elsewhere = Some([("c1".to_owned(), 1)].into());
        let cases = [
            ("kept as it was", freshness_of(&placed(), "sha256:p", 10, "sha256:s"), 0),
            ("kept, and nobody's from then on", freshness_of(&placed(), "", 10, "sha256:s"), 0),
            ("decided on the fleet that there is", freshness_of(&elsewhere, "sha256:p", 20, "sha256:t"), 0),
            ("decided by other policies", freshness_of(&placed(), "sha256:q", 10, "sha256:s"), 1),
            ("nobody's, but with another value", freshness_of(&elsewhere, "", 10, "sha256:s"), 1),
            ("nobody's, but of another fleet", freshness_of(&placed(), "", 11, "sha256:s"), 1),
            ("nobody's, but of other keys", freshness_of(&placed(), "", 10, "sha256:t"), 1),
        ];
        for (name, found, expected) in cases {
            assert_eq!(found.len(), expected, "{name}: {found:?}");
        }
    }
}
