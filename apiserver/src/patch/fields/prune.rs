//! What an applier no longer lists, and nobody else owns, goes. Source: `structured-merge-diff` `merge/update.go`, `prune` and
//! what it calls. Versions are not converted: all versions of a kind have one structure here.

use serde_json::Value as Json;

use super::collect::fields_of;
use super::managed::Managed;
use super::remove::{with_named_parents, without};
use super::set::Set;
use super::shape::Type;

/// `merged` without what the applier owned in `last`, unless one of `managed` (the applier's new entry among them) owns it.
pub(crate) fn pruned(merged: &Json, last: &Set, managed: &Managed, of: Type<'_>) -> Json {
    if last.is_empty() {
        return merged.clone();
    }
    let last = with_named_parents(last, of);
    let all = with_named_parents(&fields_of(merged, of), of);
    let left = |object: &Json| with_named_parents(&fields_of(object, of), of);

    let without_last = without(merged, &last, of);
    let owned = managed.entries.values().fold(Set::default(), |all, entry| all.union(&entry.fields));
    let kept = left(&without_last).union(&with_named_parents(&owned, of));
    let with_owned = without(merged, &all.difference(&kept), of);

    // What fell only because its parent did, and was not the applier's, stays.
    let fallen = all.difference(&left(&with_owned)).intersection(&last);
    without(merged, &fallen, of)
}
