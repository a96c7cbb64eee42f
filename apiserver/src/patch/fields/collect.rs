//! The set of all fields that a value has. Source: `structured-merge-diff` `typed/tofieldset.go`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::set::{Node, Set};
use super::shape::{Shape, Type, fields, members};

/// Every leaf of `object`, every member of a list, every entry of a map.
pub(crate) fn fields_of(object: &Json, of: Type<'_>) -> Set {
    node(object, of).children
}

fn node(value: &Json, of: Type<'_>) -> Node {
    match of.shape(value) {
        Shape::Scalar | Shape::List { atomic: true } | Shape::Map { atomic: true } => Node::leaf(),
        Shape::List { .. } => Node { member: false, children: of_members(value, of) },
        Shape::Map { .. } => Node { member: false, children: of_fields(value, of) },
    }
}

fn of_members(value: &Json, of: Type<'_>) -> Set {
    let mut found = BTreeMap::new();
    for member in members(Some(value)) {
        if let Ok(element) = of.element(member) {
            found.entry(element).and_modify(|first: &mut Option<&Json>| *first = None).or_insert(Some(member));
        }
    }
    let mut set = Set::default();
    for (element, member) in found {
        // Of members that are there twice nothing below is owned: nobody could say of which.
        let below = member.map(|member| node(member, of.items()).children).unwrap_or_default();
        set.absorb(element, Node { member: true, children: below });
    }
    set
}

fn of_fields(value: &Json, of: Type<'_>) -> Set {
    let mut set = Set::default();
    for (name, field) in fields(Some(value)).into_iter().flatten() {
        let mut node = node(field, of.field(name));
        node.member |= is_empty(field) || !of.declares(name);
        set.absorb(super::element::Element::field(name), node);
    }
    set
}

fn is_empty(field: &Json) -> bool {
    field.is_null() || field.as_object().is_some_and(serde_json::Map::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::patch::fields::v1;
    use crate::patch::testing::workload;

    #[test]
    fn leaves_members_and_entries_are_fields() {
        let schema = workload();
        let object = json!({"spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"a": "b"}},
            "strategy": {},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [
                    {"name": "c", "args": ["x"], "ports": [{"containerPort": 80}], "env": [{"name": "E"}, {"name": "E"}]},
                ]},
            },
        }});
        let expected = json!({"f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:strategy": {},
            "f:template": {
                "f:metadata": {"f:labels": {"f:a": {}}},
                "f:spec": {"f:containers": {r#"k:{"name":"c"}"#: {
                    ".": {}, "f:name": {}, "f:args": {},
                    "f:ports": {r#"k:{"containerPort":80,"protocol":"TCP"}"#: {".": {}, "f:containerPort": {}}},
                    "f:env": {r#"k:{"name":"E"}"#: {}},
                }}},
            },
        }});
        assert_eq!(v1::encode(&fields_of(&object, Type::root(&schema))), expected);
    }
}
