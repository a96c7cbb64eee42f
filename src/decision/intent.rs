//! The change that an object needs. What the developer asked for is kept beside what policy wrote, so that decisions
//! are idempotent, can widen again, and can be undone.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, AppliedKey};

use super::normal_form::{NormalForm, undo::sum_of};

/// Keys to set and (`None`) to remove.
pub type Patch = BTreeMap<String, Option<String>>;

/// What a record says of an object on which this is written; without the keys where policy wants what the developer wrote.
pub fn entries(form: &NormalForm, desired: &Patch) -> BTreeMap<String, AppliedKey> {
    desired.iter().filter_map(|(key, value)| Some((key.clone(), entry(form.intent.get(key), value.as_ref())?))).collect()
}

/// What brings the object's annotations to what policy wants, with this record beside it. Empty if nothing is to be written.
pub fn write(form: &NormalForm, desired: &Patch, record: Option<String>) -> Patch {
    let mut wanted = form.intent.clone();
    for (key, value) in desired {
        match value {
            Some(value) => wanted.insert(key.clone(), value.clone()),
            None => wanted.remove(key),
        };
    }
    wanted.extend(record.map(|record| (APPLIED.to_owned(), record)));
    difference(&form.current, &wanted)
}

/// What takes everything of ours off the object and puts the originals back.
pub fn release(form: &NormalForm) -> Patch {
    let mut wanted = form.intent.clone();
    let written = &form.written;
    let is_emptied = written.record.as_ref().is_some_and(|record| record.keys.is_empty());
    let ours = !written.ours.is_empty() || !written.superseded.is_empty() || is_emptied;
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

/// Keys to set and to remove, from one set of annotations to another.
pub fn difference(current: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> Patch {
    let set = wanted.iter().filter(|(key, value)| current.get(*key) != Some(value));
    let removed = current.keys().filter(|key| !wanted.contains_key(*key));
    set.map(|(key, value)| (key.clone(), Some(value.clone()))).chain(removed.map(|key| (key.clone(), None))).collect()
}

#[cfg(test)]
mod tests;
