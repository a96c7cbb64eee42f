//! What stays as it is on an object that is being deleted: it is not decided any more, and what policy wrote on it, by its
//! record, takes no other value on its way out. Without a record nothing was written, and the engine, who alone knows whether
//! policy is in force, is not asked.

use plimsoll_contract::annotations::{APPLIED, Applied, HOLD};
use serde_json::Value as Json;

use super::decision::{remove, set};

/// Puts the annotations of the stored object's record, the record and the hold back on the new one; says whether any differed.
pub(super) fn restore(old: &Json, new: &mut Json) -> bool {
    let stored = |key: &str| old.pointer("/metadata/annotations")?.get(key)?.as_str();
    let Some(record) = stored(APPLIED).and_then(|text| Applied::parse(text).ok()) else { return false };
    let mut is_changed = false;
    for key in record.keys.keys().map(String::as_str).chain([APPLIED, HOLD]) {
        is_changed |= match stored(key) {
            Some(text) => set(new, key, text.to_owned()),
            None => remove(new, key),
        };
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::AppliedKey;
    use serde_json::json;

    use super::*;

    fn object(annotations: &Json) -> Json {
        json!({"metadata": {"name": "x", "annotations": annotations}})
    }

    #[test]
    fn what_the_record_names_stays_and_the_rest_is_the_writers() {
        let entry = AppliedKey { was: None, sum: String::new() };
        let keys = ["set", "removed"].map(|key| (key.to_owned(), entry.clone())).into();
        let record = Applied { keys, ..Applied::default() }.encode();
        let old = object(&json!({"set": "1", "own": "1", APPLIED: record}));
        for new in [
            json!({"set": "2", "removed": "2", "own": "2", HOLD: "true", APPLIED: "mine"}),
            json!({"own": "2"}),
            json!({"own": "2", "set": "1", "removed": "2", APPLIED: record}),
        ] {
            let mut new = object(&new);
            assert!(restore(&old, &mut new));
            assert_eq!(new["metadata"]["annotations"], json!({"set": "1", "own": "2", APPLIED: record}));
            assert!(!restore(&old, &mut new), "it is as it was");
        }
        let mut bare = json!({"metadata": {"name": "x"}});
        assert!(restore(&old, &mut bare));
        assert_eq!(bare["metadata"]["annotations"], json!({"set": "1", APPLIED: record}));
    }

    #[test]
    fn without_a_record_nothing_is_ours_to_keep() {
        for old in [json!({}), object(&json!({"set": "1"})), object(&json!({"set": "1", APPLIED: "nonsense"}))] {
            let mut new = object(&json!({"set": "2"}));
            assert!(!restore(&old, &mut new), "{old}");
        }
    }
}
