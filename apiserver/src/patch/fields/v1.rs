//! `fieldsV1`: a set as JSON. Source: `structured-merge-diff` `fieldpath/serialize.go`.

use serde_json::{Map, Value as Json};

use super::element::{Element, ElementError};
use super::set::{Node, Set};

/// Stands for the field itself, where there are fields of the set below it.
const SELF: &str = ".";

/// The set as JSON.
pub(crate) fn encode(set: &Set) -> Json {
    Json::Object(set.nodes().map(|(element, node)| (element.key(), encode_node(node))).collect())
}

fn encode_node(node: &Node) -> Json {
    let mut below = match encode(&node.children) {
        Json::Object(below) => below,
        _ => Map::new(),
    };
    if node.member && !below.is_empty() {
        below.insert(SELF.into(), Json::Object(Map::new()));
    }
    Json::Object(below)
}

/// The set that `fields` says; an absent or null one is empty.
pub(crate) fn decode(fields: &Json) -> Result<Set, ElementError> {
    let mut set = Set::default();
    for (key, below) in fields.as_object().into_iter().flatten().filter(|(key, _)| *key != SELF) {
        if let Some(element) = Element::parse(key)? {
            let children = decode(below)?;
            let member = children.is_empty() || below.get(SELF).is_some();
            set.absorb(element, Node { member, children });
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::patch::fields::set::tests::any_set;

    #[test]
    fn membership_of_a_parent_is_a_dot() {
        let fields = json!({"f:spec": {"f:replicas": {}, "f:labels": {".": {}, "f:app": {}}}});
        let set = decode(&fields).unwrap();
        assert_eq!(
            set.paths().iter().map(ToString::to_string).collect::<Vec<_>>(),
            [".spec.labels", ".spec.replicas", ".spec.labels.app"]
        );
        assert_eq!(encode(&set), fields);
    }

    #[test]
    fn what_is_not_understood_is_dropped_and_what_is_wrong_refused() {
        assert_eq!(decode(&json!({"z:1": {"f:a": {}}, "f:b": {}})).unwrap(), decode(&json!({"f:b": {}})).unwrap());
        assert!(decode(&json!(null)).unwrap().is_empty());
        assert!(decode(&json!({"spec": {}})).is_err());
        assert!(decode(&json!({"f:a": {"k:{": {}}})).is_err());
    }

    proptest! {
        #[test]
        fn sets_come_back(set in any_set()) {
            prop_assert_eq!(decode(&encode(&set)).unwrap(), set);
        }
    }
}
