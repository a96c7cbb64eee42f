//! What stays as it is on an object that is being deleted: it is never decided, and it takes no other placement either.

use std::collections::{BTreeMap, BTreeSet};

/// Returns what puts the keys of `frozen` back to what the stored object has: values to set and (`None`) keys to remove.
pub fn changes(
    stored: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    frozen: &BTreeSet<String>,
) -> BTreeMap<String, Option<String>> {
    let differs = |key: &&String| stored.get(*key) != new.get(*key);
    frozen.iter().filter(differs).map(|key| (key.clone(), stored.get(key).cloned())).collect()
}

/// Says which key is not as it was.
pub fn refusal(changes: &BTreeMap<String, Option<String>>) -> Option<String> {
    let key = changes.keys().next()?;
    Some(format!("the object is being deleted: annotation `{key}` stays as it was; leave it as it is and try again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn frozen_keys_go_back_and_others_are_the_writers() {
        let (stored, new) = (map(&[("a", "1"), ("b", "1"), ("x", "1")]), map(&[("b", "2"), ("c", "2"), ("x", "2")]));
        let frozen = ["a", "b", "c", "d"].map(str::to_owned).into();
        let expected = [("a", Some("1")), ("b", Some("1")), ("c", None)];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.map(str::to_owned))).into();
        let found = changes(&stored, &new, &frozen);
        assert_eq!(found, expected);
        assert!(refusal(&found).unwrap().contains("`a`"));
        assert_eq!(refusal(&changes(&stored, &stored, &frozen)), None);
    }
}
