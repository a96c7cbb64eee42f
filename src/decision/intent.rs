//! The change that an object needs. What the developer asked for is kept beside what policy wrote, so that decisions
//! are idempotent, can widen again, and can be undone.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey};

use super::normal_form::{NormalForm, undo::sum_of};

/// Keys to set and (`None`) to remove.
pub type Patch = BTreeMap<String, Option<String>>;

/// What brings the object's annotations to what policy wants, its record included. Empty if nothing is to be written.
pub fn write(form: &NormalForm, desired: &Patch, policy: &str) -> Patch {
    let keys: BTreeMap<String, AppliedKey> =
        desired.iter().filter_map(|(key, value)| Some((key.clone(), entry(form.intent.get(key), value.as_ref())?))).collect();
    let mut wanted = form.intent.clone();
    for (key, value) in desired {
        match value {
            Some(value) => wanted.insert(key.clone(), value.clone()),
            None => wanted.remove(key),
        };
    }
    if let Some(record) = record(form, keys, policy) {
        wanted.insert(APPLIED.into(), record);
    }
    difference(&form.current, &wanted)
}

/// What takes everything of ours off the object and puts the originals back.
pub fn release(form: &NormalForm) -> Patch {
    let mut wanted = form.intent.clone();
    let ours = !form.written.ours.is_empty() || !form.written.superseded.is_empty();
    // A record that never was ours is not ours to remove.
    if let Some(foreign) = form.current.get(APPLIED).filter(|_| !ours) {
        wanted.insert(APPLIED.into(), foreign.clone());
    }
    difference(&form.current, &wanted)
}

/// Bytes of all annotations once the patch is written, as an API server counts them.
pub fn size_after(form: &NormalForm, patch: &Patch) -> usize {
    let kept = form.current.iter().filter(|(key, _)| !patch.contains_key(*key)).map(|(key, value)| key.len() + value.len());
    let set = patch.iter().filter_map(|(key, value)| Some(key.len() + value.as_ref()?.len()));
    kept.chain(set).sum()
}

/// No entry if policy wants what the developer wrote.
fn entry(was: Option<&String>, value: Option<&String>) -> Option<AppliedKey> {
    (was != value).then(|| AppliedKey { was: was.cloned(), sum: sum_of(value.map(String::as_str)) })
}

/// A record of the same keys stays byte for byte, whichever policy set wrote it: an edit of a policy that changes no
/// placement must change no object.
fn record(form: &NormalForm, keys: BTreeMap<String, AppliedKey>, policy: &str) -> Option<String> {
    if keys.is_empty() {
        return None;
    }
    let unchanged = form.written.record.as_ref().is_some_and(|record| record.keys == keys);
    match form.current.get(APPLIED) {
        Some(text) if unchanged => Some(text.clone()),
        _ => Some(Applied { policy: policy.into(), keys }.encode()),
    }
}

fn difference(current: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> Patch {
    let set = wanted.iter().filter(|(key, value)| current.get(*key) != Some(value));
    let removed = current.keys().filter(|key| !wanted.contains_key(*key));
    set.map(|(key, value)| (key.clone(), Some(value.clone()))).chain(removed.map(|key| (key.clone(), None))).collect()
}

#[cfg(test)]
mod tests;
