//! Undoes what we wrote on an object, by the record that it carries and by what was written on it before. The record is
//! user-writable: it is believed only for keys that policy may write, and only while the value is still the one that was
//! written. That it is believed here means that policy is not shown the value as the developer's wish; whether the value may
//! stay is another question, and the record does not answer it.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, digest};

/// The keys that we wrote on the object, as far as its record can be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The whole record as it stands, if it can be read.
    pub record: Option<Applied>,
    /// The keys that still are as we wrote them.
    pub ours: BTreeMap<String, AppliedKey>,
    /// Allowed keys that somebody else has changed since: new intent.
    pub superseded: BTreeSet<String>,
    /// What was ignored, for people.
    pub warnings: Vec<String>,
}

impl Written {
    /// Returns whether the record alone says all of [`Self::ours`]: whatever else is known, nothing more would be undone.
    pub fn are_recorded(&self, allowed: &BTreeSet<String>) -> bool {
        let recorded =
            |key: &String| self.record.as_ref().and_then(|record| record.keys.get(key)).filter(|_| allowed.contains(key));
        self.ours.iter().all(|(key, entry)| recorded(key) == Some(entry))
    }
}

/// Returns the developer's own annotations, and what was undone to find them. `known` is what we are known to have written
/// before: removing or replacing the record by hand does not turn our value into the developer's wish.
pub fn undo(
    current: &BTreeMap<String, String>,
    allowed: &BTreeSet<String>,
    known: &BTreeMap<String, AppliedKey>,
) -> (BTreeMap<String, String>, Written) {
    let mut intent = current.clone();
    let mut written = match intent.remove(APPLIED) {
        Some(text) => recorded(&text, current, allowed),
        None => Written::default(),
    };
    // A key that we removed and that is not there either way is the developer's own removal now.
    let left = |key: &str, entry: &AppliedKey| current.get(key).is_some_and(|value| digest(value) == entry.sum);
    // Whatever a record that somebody put there says of the key: the value is the one that is known to be ours.
    for (key, entry) in known.iter().filter(|(key, entry)| left(key, entry)) {
        written.superseded.remove(key);
        written.ours.entry(key.clone()).or_insert_with(|| entry.clone());
    }
    for (key, entry) in &written.ours {
        restore(&mut intent, key, entry);
    }
    (intent, written)
}

fn recorded(text: &str, current: &BTreeMap<String, String>, allowed: &BTreeSet<String>) -> Written {
    let record = match Applied::parse(text) {
        Ok(record) => record,
        Err(error) => {
            let warnings = vec![format!("annotation `{APPLIED}` cannot be read and is ignored: {error}")];
            return Written { warnings, ..Written::default() };
        }
    };
    let mut written = Written::default();
    for (key, entry) in &record.keys {
        if !allowed.contains(key) {
            written.warnings.push(format!("annotation `{APPLIED}` lists `{key}`, which policy may not write: ignored"));
        } else if sum_of(current.get(key).map(String::as_str)) == entry.sum {
            written.ours.insert(key.clone(), entry.clone());
        } else {
            written.superseded.insert(key.clone());
        }
    }
    written.warnings.truncate(8);
    written.record = Some(record);
    written
}

/// Returns the `sum` of a value in a record: `sha256:` and 16 hex digits, or an empty text for a key that was removed.
pub fn sum_of(value: Option<&str>) -> String {
    value.map(digest).unwrap_or_default()
}

fn restore(intent: &mut BTreeMap<String, String>, key: &str, entry: &AppliedKey) {
    match &entry.was {
        Some(was) => intent.insert(key.into(), was.clone()),
        None => intent.remove(key),
    };
}
