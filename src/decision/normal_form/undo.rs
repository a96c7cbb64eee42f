//! Undoes what we wrote on an object, by the record that it carries. The record is user-writable: it is believed only
//! for keys that policy may write, and only while the value is still the one that was written.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, digest};

/// What we wrote on the object, as far as its record can be believed.
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

/// The developer's own annotations, and what was undone to find them.
pub fn undo(current: &BTreeMap<String, String>, allowed: &BTreeSet<String>) -> (BTreeMap<String, String>, Written) {
    let mut intent = current.clone();
    let Some(text) = intent.remove(APPLIED) else {
        return (intent, Written::default());
    };
    let record = match Applied::parse(&text) {
        Ok(record) => record,
        Err(error) => {
            let warnings = vec![format!("annotation `{APPLIED}` cannot be read and is ignored: {error}")];
            return (intent, Written { warnings, ..Written::default() });
        }
    };
    let mut written = Written::default();
    for (key, entry) in &record.keys {
        if !allowed.contains(key) {
            written.warnings.push(format!("annotation `{APPLIED}` lists `{key}`, which policy may not write: ignored"));
        } else if sum_of(current.get(key).map(String::as_str)) == entry.sum {
            restore(&mut intent, key, entry);
            written.ours.insert(key.clone(), entry.clone());
        } else {
            written.superseded.insert(key.clone());
        }
    }
    written.warnings.truncate(8);
    written.record = Some(record);
    (intent, written)
}

/// What a record says of a value: its digest, or nothing for a key that was removed.
pub fn sum_of(value: Option<&str>) -> String {
    value.map(digest).unwrap_or_default()
}

fn restore(intent: &mut BTreeMap<String, String>, key: &str, entry: &AppliedKey) {
    match &entry.was {
        Some(was) => intent.insert(key.into(), was.clone()),
        None => intent.remove(key),
    };
}
