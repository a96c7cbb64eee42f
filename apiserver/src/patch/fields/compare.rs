//! What differs between two objects, as sets of fields. Source: `structured-merge-diff` `typed/compare.go`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::element::Element;
use super::set::{Node, Set};
use super::shape::{Shape, Type, fields, members};
use crate::patch::ordered::same;

/// No field is in two of the sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// In the first object only.
    pub(crate) removed: Set,
    /// In both, and not the same.
    pub(crate) modified: Set,
    /// In the second object only.
    pub(crate) added: Set,
}

/// From `old` to `new`.
pub(crate) fn compare(old: &Json, new: &Json, of: Type<'_>) -> Difference {
    let Change { removed, modified, added } = change(Some(old), Some(new), of);
    Difference { removed: removed.children, modified: modified.children, added: added.children }
}

/// The difference at one field and below it.
#[derive(Default)]
struct Change {
    removed: Node,
    modified: Node,
    added: Node,
}

impl Change {
    fn leaf(old: Option<&Json>, new: Option<&Json>) -> Self {
        let mut change = Self::default();
        match (old, new) {
            (Some(old), Some(new)) => change.modified.member = !same(old, new),
            (Some(_), None) => change.removed.member = true,
            (None, _) => change.added.member = true,
        }
        change
    }

    fn below(&mut self, element: &Element, change: Self) {
        self.removed.children.absorb(element.clone(), change.removed);
        self.modified.children.absorb(element.clone(), change.modified);
        self.added.children.absorb(element.clone(), change.added);
    }

    fn merge(&mut self, other: Self) {
        for (mine, others) in
            [(&mut self.removed, other.removed), (&mut self.modified, other.modified), (&mut self.added, other.added)]
        {
            mine.member |= others.member;
            mine.children.absorb_all(others.children);
        }
    }
}

fn change(old: Option<&Json>, new: Option<&Json>, of: Type<'_>) -> Change {
    let (old_shape, new_shape) = (old.map(|value| of.shape(value)), new.map(|value| of.shape(value)));
    let mut found = Change::default();
    if let (Some(old_shape), Some(new_shape)) = (old_shape, new_shape)
        && old_shape != new_shape
    {
        // A value of anything that was an object and is a list now, say: what is of the other shape counts as absent.
        found.merge(walk(old_shape, old, new, of).0);
    }
    if let Some(shape) = new_shape.or(old_shape) {
        let (walked, is_leaf) = walk(shape, old, new, of);
        found.merge(walked);
        if !is_leaf {
            found.added.member |= old.is_none();
            found.removed.member |= new.is_none();
        }
    }
    found
}

/// The difference, and whether it is of the value as one whole.
fn walk(shape: Shape, old: Option<&Json>, new: Option<&Json>, of: Type<'_>) -> (Change, bool) {
    let is_leaf = match shape {
        Shape::Scalar | Shape::List { atomic: true } | Shape::Map { atomic: true } => true,
        // Both empty or null: a leaf, so that empty and null stay apart.
        Shape::List { .. } => members(old).is_empty() && members(new).is_empty(),
        Shape::Map { .. } => {
            let is_empty = |value| fields(value).is_none_or(Map::is_empty);
            is_empty(old) && is_empty(new)
        }
    };
    match shape {
        _ if is_leaf => (Change::leaf(old, new), true),
        Shape::List { .. } => (lists(members(old), members(new), of), false),
        _ => (maps(old, new, of), false),
    }
}

fn maps(old: Option<&Json>, new: Option<&Json>, of: Type<'_>) -> Change {
    let mut found = Change::default();
    let (old, new) = (fields(old), fields(new));
    let names = old.into_iter().flatten().chain(new.into_iter().flatten()).map(|(name, _)| name.as_str());
    for name in names.collect::<BTreeSet<&str>>() {
        found.below(&Element::field(name), change(field(old, name, of), field(new, name, of), of.field(name)));
    }
    found
}

/// Only an object that is there has the fields that are always there.
fn field<'a>(fields: Option<&'a Map<String, Json>>, name: &str, of: Type<'_>) -> Option<&'a Json> {
    fields.and_then(|fields| fields.get(name).or_else(|| of.always(name)))
}

fn lists(old: &[Json], new: &[Json], of: Type<'_>) -> Change {
    let (old, new) = (by_element(old, of), by_element(new, of));
    let mut found = Change::default();
    for (element, before) in &old {
        let after = new.get(element).map_or(&[] as &[&Json], Vec::as_slice);
        found.below(element, member(before, after, of));
    }
    for (element, after) in new.iter().filter(|(element, _)| !old.contains_key(*element)) {
        found.below(element, member(&[], after, of));
    }
    found
}

fn by_element<'a>(list: &'a [Json], of: Type<'_>) -> BTreeMap<Element, Vec<&'a Json>> {
    let mut found: BTreeMap<Element, Vec<&Json>> = BTreeMap::new();
    for member in list {
        if let Ok(element) = of.element(member) {
            found.entry(element).or_default().push(member);
        }
    }
    found
}

/// Members of one element. Where there are several of them, they are one whole together.
fn member(old: &[&Json], new: &[&Json], of: Type<'_>) -> Change {
    let of = of.items();
    let mut found = Change::default();
    match (old, new) {
        ([] | [_], [] | [_]) => found = change(old.first().copied(), new.first().copied(), of),
        ([_, _, ..], [_, _, ..]) => {
            found.modified.member = !(old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new)));
        }
        (_, [] | [_]) => {
            found.merge(change(None, new.first().copied(), of));
            found.removed.member = true;
        }
        _ => {
            found.merge(change(old.first().copied(), None, of));
            found.added.member = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::patch::fields::v1;
    use crate::patch::testing::{any_json, config_map, workload};
    use crate::resources::Schema;

    fn compared(schema: &Schema, old: Json, new: Json) -> [Json; 3] {
        let Difference { removed, modified, added } = compare(&old, &new, Type::root(schema));
        [removed, modified, added].map(|set| v1::encode(&set))
    }

    #[test]
    fn changes_of_maps_are_by_entry() {
        let found = compared(&config_map(), json!({"data": {"a": "1", "b": "2"}}), json!({"data": {"b": "3", "c": "4"}}));
        assert_eq!(found, [json!({"f:data": {"f:a": {}}}), json!({"f:data": {"f:b": {}}}), json!({"f:data": {"f:c": {}}})]);
        let found = compared(&config_map(), json!({"data": {"a": "1"}}), json!({}));
        assert_eq!(found[0], json!({"f:data": {".": {}, "f:a": {}}}));
        let found = compared(&config_map(), json!({}), json!({"data": {}}));
        assert_eq!(found[2], json!({"f:data": {}}));
    }

    #[test]
    fn changes_of_lists_are_by_member() {
        let with = |containers: Json| json!({"spec": {"template": {"spec": {"containers": containers}}}});
        let old = with(json!([{"name": "a", "image": "1"}, {"name": "b"}]));
        let new = with(json!([{"name": "a", "image": "2"}, {"name": "c", "args": ["x"]}]));
        let containers = |set: &Json| set["f:spec"]["f:template"]["f:spec"]["f:containers"].clone();
        let found = compared(&workload(), old, new);
        assert_eq!(containers(&found[0]), json!({r#"k:{"name":"b"}"#: {".": {}, "f:name": {}}}));
        assert_eq!(containers(&found[1]), json!({r#"k:{"name":"a"}"#: {"f:image": {}}}));
        assert_eq!(containers(&found[2]), json!({r#"k:{"name":"c"}"#: {".": {}, "f:name": {}, "f:args": {}}}));
    }

    #[test]
    fn members_that_are_there_twice_are_one_whole() {
        let with = |env: Json| json!({"spec": {"template": {"spec": {"containers": [{"name": "a", "env": env}]}}}});
        let env = |set: &Json| set["f:spec"]["f:template"]["f:spec"]["f:containers"][r#"k:{"name":"a"}"#]["f:env"].clone();
        let one = || json!([{"name": "E", "value": "1"}]);
        let two = |value: &str| json!([{"name": "E", "value": "1"}, {"name": "E", "value": value}]);
        let element = r#"k:{"name":"E"}"#;
        let found = compared(&workload(), with(two("2")), with(two("3")));
        assert_eq!(env(&found[1]), json!({element: {}}));
        let found = compared(&workload(), with(one()), with(two("2")));
        assert_eq!(env(&found[2]), json!({element: {}}));
        assert_eq!(env(&found[0]), json!({element: {".": {}, "f:name": {}, "f:value": {}}}));
        let found = compared(&workload(), with(two("2")), with(one()));
        assert_eq!(env(&found[0]), json!({element: {}}));
        assert_eq!(env(&found[2]), json!({element: {".": {}, "f:name": {}, "f:value": {}}}));
    }

    #[test]
    fn a_value_of_another_shape_is_another_value() {
        let anything = Schema::default();
        let found = compared(&anything, json!({"x": {"a": 1}}), json!({"x": "text"}));
        assert_eq!(found, [json!({"f:x": {"f:a": {}}}), json!({"f:x": {}}), json!({})]);
        let found = compared(&anything, json!({"x": [1]}), json!({"x": {"a": 1}}));
        assert_eq!(found, [json!({}), json!({"f:x": {}}), json!({"f:x": {"f:a": {}}})]);
    }

    proptest! {
        #[test]
        fn nothing_differs_from_itself(value in any_json()) {
            prop_assert_eq!(compare(&value, &value, Type::root(&Schema::default())), Difference::default());
        }

        #[test]
        fn the_way_back_is_the_mirror(a in any_json(), b in any_json()) {
            let schema = Schema::default();
            let there = compare(&a, &b, Type::root(&schema));
            let back = compare(&b, &a, Type::root(&schema));
            prop_assert_eq!((there.added, there.removed, there.modified), (back.removed, back.added, back.modified));
        }
    }
}
