//! Updaters come and go; the oldest of too many become one. Source: `managedfields/internal/capmanagers.go`.

use std::collections::BTreeMap;

use super::Operation;
use super::managed::{Identity, Managed};

/// Upstream's `DefaultMaxUpdateManagers`.
const MOST: usize = 10;
const BUCKET: &str = "ancient-changes";

/// Merges the oldest updaters of each version until there are no more than [`MOST`].
pub(crate) fn cap(managed: &mut Managed) {
    let mut updaters: Vec<(i64, Identity)> = managed
        .entries
        .iter()
        .filter(|(identity, _)| identity.operation == Operation::Update)
        .map(|(identity, entry)| (entry.time.map_or(0, time::OffsetDateTime::unix_timestamp), identity.clone()))
        .collect();
    let mut excess = updaters.len().saturating_sub(MOST);
    updaters.sort();
    let mut first_of_version: BTreeMap<String, Identity> = BTreeMap::new();
    for (_, identity) in updaters {
        if excess == 0 {
            return;
        }
        match first_of_version.get(&identity.api_version) {
            None => {
                first_of_version.insert(identity.api_version.clone(), identity);
            }
            Some(first) => {
                merge(managed, first, &identity);
                excess -= 1;
            }
        }
    }
}

/// Puts the fields of `identity` into the bucket of its version, which starts as the entry of `first`.
fn merge(managed: &mut Managed, first: &Identity, identity: &Identity) {
    let bucket = Identity {
        manager: BUCKET.to_owned(),
        operation: Operation::Update,
        api_version: identity.api_version.clone(),
        subresource: String::new(),
    };
    let Some(mut entry) = managed.entries.remove(identity) else { return };
    let older = managed.entries.remove(&bucket).or_else(|| managed.entries.remove(first));
    if let Some(older) = older {
        entry.fields = entry.fields.union(&older.fields);
    }
    managed.entries.insert(bucket, entry);
}
