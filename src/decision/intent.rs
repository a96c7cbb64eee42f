//! The change that an object needs. What the developer asked for is kept beside what policy wrote, so that decisions
//! are idempotent, can widen again, and can be undone.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, AppliedKey};

use super::normal_form::NormalForm;
use super::wanted::{Wanted, WantedAnnotation};

/// Keys to set and (`None`) to remove.
pub type Patch = BTreeMap<String, Option<String>>;

/// Returns the entries of the record of an object on which `wanted` is written; keys where policy wants what the developer wrote have
/// none.
pub fn entries(form: &NormalForm, wanted: &Wanted) -> BTreeMap<String, AppliedKey> {
    wanted
        .annotations()
        .filter_map(|annotation| Some((annotation.key.to_string(), entry(form.intent.get(&*annotation.key), annotation)?)))
        .collect()
}

/// Returns the patch that brings the object's annotations to what policy wants, with this record. Empty if nothing is to be written.
pub fn write(form: &NormalForm, wanted: &Wanted, record: Option<&str>) -> Patch {
    let mut all = borrowed(&form.intent);
    for annotation in wanted.annotations() {
        match annotation.text() {
            Some(value) => all.insert(&annotation.key, value),
            None => all.remove(&*annotation.key),
        };
    }
    all.extend(record.map(|record| (APPLIED, record)));
    difference(&form.current, &all)
}

/// Returns the entries of what is ours on the object and is removed by the patch.
pub fn removed(form: &NormalForm, patch: &Patch) -> BTreeMap<String, AppliedKey> {
    let ours = form.written.ours.iter().filter(|(key, _)| patch.get(*key) == Some(&None));
    ours.map(|(key, entry)| (key.clone(), entry.clone())).collect()
}

/// Returns the patch that takes everything of ours off the object and puts the originals back.
pub fn release(form: &NormalForm) -> Patch {
    let mut wanted = borrowed(&form.intent);
    let written = &form.written;
    let is_emptied = written.record.as_ref().is_some_and(|record| record.keys.is_empty());
    let ours = !written.ours.is_empty() || !written.superseded.is_empty() || is_emptied;
    // A record that never was ours is not ours to remove.
    if let Some(foreign) = form.current.get(APPLIED).filter(|_| !ours) {
        wanted.insert(APPLIED, foreign);
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
fn entry(was: Option<&String>, annotation: &WantedAnnotation) -> Option<AppliedKey> {
    (was.map(String::as_str) != annotation.text()).then(|| AppliedKey { was: was.cloned(), sum: annotation.sum.to_string() })
}

/// Keys to set and to remove, from one set of annotations to another.
pub fn difference(current: &BTreeMap<String, String>, wanted: &BTreeMap<&str, &str>) -> Patch {
    let set = wanted.iter().filter(|(key, value)| current.get(**key).map(String::as_str) != Some(**value));
    let removed = current.keys().filter(|key| !wanted.contains_key(key.as_str()));
    let set = set.map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())));
    set.chain(removed.map(|key| (key.clone(), None))).collect()
}

/// Annotations, as [`difference`] takes them.
pub fn borrowed(annotations: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    annotations.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

#[cfg(test)]
mod tests;
