//! Taking fields out of an object. Sources: `structured-merge-diff` `typed/remove.go`, `fieldpath/set.go`
//! (`EnsureNamedFieldsAreMembers`).

use serde_json::{Map, Value as Json};

use super::element::Element;
use super::set::{Node, Set};
use super::shape::{Shape, Type};

/// `object` without the fields of `set`. A parent that loses its last child becomes null, not absent: it is of its own set
/// member whether it stays.
pub(crate) fn without(object: &Json, set: &Set, of: Type<'_>) -> Json {
    match (of.shape(object), object) {
        (Shape::Scalar, scalar) => scalar.clone(),
        (Shape::List { atomic: false }, Json::Array(items)) => {
            let left: Vec<Json> = items.iter().filter_map(|item| kept_member(item, set, of)).collect();
            if left.is_empty() { Json::Null } else { Json::Array(left) }
        }
        (Shape::Map { atomic: false }, Json::Object(fields)) => {
            let kept = fields
                .iter()
                .filter_map(|(name, field)| Some((name.clone(), kept(field, &Element::field(name), set, of.field(name))?)));
            let left: Map<String, Json> = kept.collect();
            if left.is_empty() { Json::Null } else { Json::Object(left) }
        }
        _ => Json::Null,
    }
}

fn kept_member(item: &Json, set: &Set, of: Type<'_>) -> Option<Json> {
    match of.element(item) {
        Ok(element) => kept(item, &element, set, of.items()),
        Err(_) => Some(item.clone()),
    }
}

fn kept(value: &Json, element: &Element, set: &Set, of: Type<'_>) -> Option<Json> {
    if set.has(element) {
        return None;
    }
    let below = set.below(element);
    Some(if below.is_empty() { value.clone() } else { without(value, below, of) })
}

/// Takes the nulls out of declared fields that cannot be null, which is where emptied parents end.
pub(crate) fn drop_nulls(value: &mut Json, of: Type<'_>) {
    match value {
        Json::Object(fields) => {
            let properties = &of.schema().properties;
            fields.retain(|name, field| !field.is_null() || properties.get(name).is_none_or(|schema| schema.nullable));
            fields.iter_mut().for_each(|(name, field)| drop_nulls(field, of.field(name)));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| drop_nulls(item, of.items())),
        _ => {}
    }
}

/// `set`, and every declared field that lies above one of its fields: a set of `.a.b.c` comes to hold `.a` if that is a field
/// of the schema, but no entry of a map and no member of a list.
pub(crate) fn with_named_parents(set: &Set, of: Type<'_>) -> Set {
    let mut out = Set::default();
    for (element, node) in set.nodes() {
        let named = !node.children.is_empty() && matches!(element, Element::Field(name) if of.declares(name));
        let children = with_named_parents(&node.children, of.child(element));
        out.absorb(element.clone(), Node { member: node.member || named, children });
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::patch::fields::v1;
    use crate::patch::testing::workload;

    fn removed(object: Json, fields: Json) -> Json {
        without(&object, &v1::decode(&fields).unwrap(), Type::root(&workload()))
    }

    #[test]
    fn fields_members_and_entries_go() {
        let object = json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"replicas": 1, "template": {"spec": {
            "containers": [{"name": "a", "image": "i"}, {"name": "b"}]}}}});
        let fields = json!({"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": {"f:replicas": {}, "f:template": {"f:spec": {
            "f:containers": {r#"k:{"name":"b"}"#: {}, r#"k:{"name":"a"}"#: {"f:image": {}}}}}}});
        let expected =
            json!({"metadata": {"labels": {"b": "2"}}, "spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}});
        assert_eq!(removed(object, fields), expected);
    }

    #[test]
    fn a_parent_without_children_is_null() {
        let left = removed(json!({"metadata": {"labels": {"a": "1"}}}), json!({"f:metadata": {"f:labels": {"f:a": {}}}}));
        assert_eq!(left, json!({"metadata": {"labels": null}}));
    }

    #[test]
    fn named_parents_are_fields_of_the_schema() {
        let fields = json!({"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": {"f:template": {"f:spec": {
            "f:containers": {r#"k:{"name":"a"}"#: {"f:image": {}}}}}}});
        let set = with_named_parents(&v1::decode(&fields).unwrap(), Type::root(&workload()));
        let expected = json!({"f:metadata": {".": {}, "f:labels": {".": {}, "f:a": {}}}, "f:spec": {".": {}, "f:template": {".": {},
            "f:spec": {".": {}, "f:containers": {".": {}, r#"k:{"name":"a"}"#: {"f:image": {}}}}}}});
        assert_eq!(v1::encode(&set), expected);
    }
}
