//! Who may have left a managed annotation as it is found, by what the record beside it shows.
//!
//! | record on the object | what stands there | said |
//! |---|---|---|
//! | new, of what is expected | something else | another webhook came after ours |
//! | new, of what stands there | what it says | decided otherwise a moment ago, or brought along by an object that ours did not see |
//! | none, the stored object's, or of another object | anything | ours was not called, or another webhook undid it |
//!
//! The API server lets whoever makes a request own what webhooks change in it, so field managers tell nothing; nor does it call both sides
//! with one uid. A record that nobody can sign is believed: it decides about nothing but words.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, Applied};
use serde_json::{Value as Json, json};

use super::ahead::annotations;
use super::judge::Review;
use crate::decision::Previous;
use crate::decision::ahead::is_signed;
use crate::decision::normal_form::undo::sum_of;

/// A managed annotation that is not as decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference<'a> {
    /// The annotation.
    pub key: &'a str,
    /// What policy wants.
    pub expected: Option<&'a str>,
    /// What is there.
    pub found: Option<&'a str>,
}

/// Who may have changed a managed annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// Whoever came after our mutating webhook in this request.
    Later,
    /// Our own decision of before.
    Earlier,
    /// Our mutating webhook was not called, or somebody came after it: nothing tells these apart.
    Unknown,
}

impl Culprit {
    /// Returns what happened, and what to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Later => {
                "likely another webhook changed it after plimsoll's had set it: try again, then look at the order of the \
                 webhooks and at `reinvocationPolicy`"
            }
            Self::Earlier => {
                "this is what plimsoll decided before: policies, clusters or what policy reads of the object changed within \
                 this request, or the object brought it along, as an exported one does, and plimsoll's mutating webhook was \
                 not called: try again"
            }
            Self::Unknown => {
                "plimsoll's mutating webhook was not called for this request, or another webhook changed what it wrote: try \
                 again, then look at whether the API server reaches plimsoll, and at the webhooks' order"
            }
        }
    }

    /// `record` and `stored` are the records of the new and of the stored object; `is_ours` says whether the former can have been
    /// written on an object that is as expected.
    pub fn of(
        difference: Difference<'_>,
        record: Option<&Applied>,
        stored: Option<&Applied>,
        is_ours: impl Fn(&Applied) -> bool,
    ) -> Self {
        let is_new = |record: &&Applied| stored != Some(record);
        let Some(record) = record.filter(is_new) else { return Self::Unknown };
        let Some(entry) = record.keys.get(difference.key) else { return Self::Unknown };
        match () {
            () if entry.sum == sum_of(difference.expected) && is_ours(record) => Self::Later,
            () if entry.sum == sum_of(difference.found) => Self::Earlier,
            () => Self::Unknown,
        }
    }
}

impl Review<'_> {
    /// Returns who may have changed an annotation; `wanted` is all that policy wants otherwise.
    pub(super) fn culprit(
        &self,
        object: &Json,
        previous: Option<&Previous<'_>>,
        difference: Difference<'_>,
        wanted: &BTreeMap<String, Option<String>>,
    ) -> Culprit {
        let read = |annotations: &BTreeMap<String, String>| Applied::parse(annotations.get(APPLIED)?).ok();
        let record = read(&annotations(object));
        let stored = previous.and_then(|previous| read(&previous.annotations()));
        let is_ours = |record: &Applied| {
            let object = as_expected(object, wanted);
            // Without keys nobody can tell.
            is_signed(record, &object, self.row_of(&object), &self.allowed(), &self.engine.config).unwrap_or(true)
        };
        Culprit::of(difference, record.as_ref(), stored.as_ref(), is_ours)
    }
}

/// The object as our mutating webhook would have left it.
fn as_expected(object: &Json, wanted: &BTreeMap<String, Option<String>>) -> Json {
    let mut all = annotations(object);
    for (key, value) in wanted.iter().filter(|(key, _)| *key != APPLIED) {
        match value {
            Some(value) => drop(all.insert(key.clone(), value.clone())),
            None => drop(all.remove(key)),
        }
    }
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
        metadata.insert("annotations".into(), json!(all));
    }
    object
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::AppliedKey;

    use super::*;

    fn record(of: Option<&str>, policy: &str) -> Applied {
        let keys = [("k".to_owned(), AppliedKey { was: None, sum: sum_of(of) })].into();
        Applied { policy: policy.into(), keys, ..Applied::default() }
    }

    #[test]
    fn the_record_tells_who_it_was_where_anything_does() {
        let (expected, found) = (Some("v"), Some("other"));
        let (ours, theirs, third) = (record(expected, "p"), record(found, "p"), record(Some("third"), "p"));
        let (older, empty) = (record(expected, "older"), Applied::default());
        let cases = [
            ("created without a record", None, None, true, Culprit::Unknown),
            ("its record does not name the key", Some(&empty), None, true, Culprit::Unknown),
            ("set by us and changed", Some(&ours), None, true, Culprit::Later),
            ("the same, of another object", Some(&ours), None, false, Culprit::Unknown),
            ("decided before", Some(&theirs), None, true, Culprit::Earlier),
            ("an exported object with keys that changed", Some(&theirs), None, false, Culprit::Earlier),
            ("nothing of it fits", Some(&third), None, true, Culprit::Unknown),
            ("set by us in this update", Some(&ours), Some(&older), true, Culprit::Later),
            ("the record is the stored object's", Some(&ours), Some(&ours), true, Culprit::Unknown),
            ("all is as it was stored", Some(&theirs), Some(&theirs), true, Culprit::Unknown),
            ("an update that takes the record off", None, Some(&ours), true, Culprit::Unknown),
        ];
        for (name, record, stored, is_ours, culprit) in cases {
            let difference = Difference { key: "k", expected, found };
            assert_eq!(Culprit::of(difference, record, stored, |_| is_ours), culprit, "{name}");
        }
        let removed = Difference { key: "k", expected: None, found };
        assert_eq!(
            Culprit::of(removed, Some(&record(None, "p")), None, |_| true),
            Culprit::Later,
            "set where it is to be absent"
        );
    }
}
