//! Strategic merge patch: the cases are those of upstream's tables, in short.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::patch::testing::{any_json, keyed, list, map, object, text, workload};
use crate::resources::schema::ListType;

/// Lists of both kinds, merged and not, and objects in objects.
fn schema() -> Schema {
    let item = object([
        ("name", text()),
        ("value", text()),
        ("other", text()),
        ("simple", map(text())),
        ("merging", list(text(), ListType::Set)),
        ("nonMerging", list(text(), ListType::Atomic)),
    ]);
    let nested = Schema { properties: item.properties.clone(), ..item.clone() };
    let mut item = item;
    item.properties.insert("items".into(), keyed(&["name"], nested.clone()).into());
    object([
        ("name", text()),
        ("value", text()),
        ("simple", map(text())),
        ("strings", list(text(), ListType::Set)),
        ("plain", list(text(), ListType::Atomic)),
        ("items", keyed(&["name"], item.clone())),
        ("plainItems", list(nested, ListType::Atomic)),
        ("object", item),
    ])
}

fn patched(live: Json, patch: Json) -> Result<Json, String> {
    strategic(&schema(), &live, &patch).map_err(|error| error.to_string())
}

#[test]
fn fields_and_maps() {
    let table = [
        (json!({"name": "a"}), json!({"value": "b"}), json!({"name": "a", "value": "b"})),
        (json!({"name": "a", "value": "b"}), json!({"value": null}), json!({"name": "a"})),
        (json!({}), json!({"simple": {"a": null, "b": "c"}}), json!({"simple": {"b": "c"}})),
        (
            json!({"simple": {"a": "1", "b": "2"}}),
            json!({"simple": {"b": null, "c": "3"}}),
            json!({"simple": {"a": "1", "c": "3"}}),
        ),
        (json!({"simple": {"a": "1"}}), json!({"simple": {"$patch": "replace", "b": "2"}}), json!({"simple": {"b": "2"}})),
        (json!({"simple": {"a": "1"}}), json!({"simple": {"$patch": "delete"}}), json!({"simple": {}})),
        (json!({"name": "x"}), json!({"simple": {"$patch": "delete", "a": "b"}}), json!({"name": "x"})),
        (json!({"name": "a"}), json!({"$patch": "replace", "value": "b"}), json!({"value": "b"})),
        (json!({"name": "a"}), json!({"$patch": "delete"}), json!({})),
        (
            json!({"object": {"name": "a", "value": "b"}}),
            json!({"object": {"value": null, "other": "c"}}),
            json!({"object": {"name": "a", "other": "c"}}),
        ),
        (json!({"object": {"name": "a"}}), json!({"object": ["b"]}), json!({"object": ["b"]})),
        (json!({"object": null}), json!({"object": {"name": "a"}}), json!({"object": {"name": "a"}})),
    ];
    for (live, patch, expected) in table {
        assert_eq!(patched(live.clone(), patch.clone()), Ok(expected), "{live} + {patch}");
    }
}

#[test]
fn lists_of_scalars() {
    let table = [
        (json!({"strings": ["a", "b"]}), json!({"strings": ["c", "a"]}), json!({"strings": ["c", "a", "b"]})),
        (json!({"plain": ["a", "b"]}), json!({"plain": ["c"]}), json!({"plain": ["c"]})),
        (json!({}), json!({"strings": ["b", "a"]}), json!({"strings": ["b", "a"]})),
        (
            json!({"strings": ["a", "b", "c"]}),
            json!({"$deleteFromPrimitiveList/strings": ["b", "x"]}),
            json!({"strings": ["a", "c"]}),
        ),
        (json!({"name": "x"}), json!({"$deleteFromPrimitiveList/strings": ["b"]}), json!({"name": "x"})),
        (
            json!({"strings": ["1", "2", "3"]}),
            json!({"strings": ["4"], "$deleteFromPrimitiveList/strings": ["2"], "$setElementOrder/strings": ["3", "4", "1"]}),
            json!({"strings": ["3", "4", "1"]}),
        ),
        (json!({"strings": ["a", "b"]}), json!({"strings": null}), json!({})),
        (
            json!({"strings": ["a", "b", "c"]}),
            json!({"$setElementOrder/strings": ["c", "a"]}),
            json!({"strings": ["b", "c", "a"]}),
        ),
        (json!({}), json!({"$setElementOrder/strings": ["c", "a"], "strings": ["c", "a"]}), json!({"strings": ["c", "a"]})),
        (json!({"strings": ["a"]}), json!({"strings": ["b", "b"]}), json!({"strings": ["b", "a"]})),
    ];
    for (live, patch, expected) in table {
        assert_eq!(patched(live.clone(), patch.clone()), Ok(expected), "{live} + {patch}");
    }
}

#[test]
fn lists_of_objects() {
    let table = [
        (
            json!([{"name": "1", "value": "a"}, {"name": "2"}]),
            json!({"items": [{"name": "1", "value": "b"}, {"name": "3"}]}),
            json!([{"name": "1", "value": "b"}, {"name": "3"}, {"name": "2"}]),
        ),
        (json!([{"name": "1"}, {"name": "2"}]), json!({"items": [{"name": "2", "$patch": "delete"}]}), json!([{"name": "1"}])),
        (json!([{"name": "1"}]), json!({"items": [{"name": "9"}, {"$patch": "replace"}]}), json!([{"name": "9"}])),
        (json!([{"name": "1"}]), json!({"items": [{"$patch": "replace"}]}), json!([])),
        (
            json!([{"name": "1", "value": "a", "other": "x"}]),
            json!({"items": [{"name": "1", "value": null}]}),
            json!([{"name": "1", "other": "x"}]),
        ),
        (
            json!([{"name": "1", "items": [{"name": "i", "value": "a"}, {"name": "j"}]}]),
            json!({"items": [{"name": "1", "items": [{"name": "j", "$patch": "delete"}, {"name": "i", "value": "b"}]}]}),
            json!([{"name": "1", "items": [{"name": "i", "value": "b"}]}]),
        ),
        (
            json!([{"name": "1"}, {"name": "2"}, {"name": "3"}]),
            json!({"$setElementOrder/items": [{"name": "3"}, {"name": "4"}, {"name": "1"}], "items": [{"name": "4", "value": "d"}]}),
            json!([{"name": "2"}, {"name": "3"}, {"name": "4", "value": "d"}, {"name": "1"}]),
        ),
        (
            json!([{"name": "1", "merging": ["a", "b"]}]),
            json!({"items": [{"name": "1", "merging": ["c"], "$deleteFromPrimitiveList/merging": ["a"]}]}),
            json!([{"name": "1", "merging": ["c", "b"]}]),
        ),
        (
            json!([{"name": "1"}]),
            json!({"items": [{"name": "2", "value": null, "simple": {"a": null}}]}),
            json!([{"name": "2", "simple": {}}, {"name": "1"}]),
        ),
        (
            json!([{"name": "1"}, {"name": "1", "value": "twin"}]),
            json!({"items": [{"name": "1", "$patch": "delete"}]}),
            json!([]),
        ),
    ];
    for (live, patch, expected) in table {
        assert_eq!(patched(json!({"items": live}), patch.clone()), Ok(json!({"items": expected})), "{live} + {patch}");
    }
    let replaced = patched(json!({"plainItems": [{"name": "1"}]}), json!({"plainItems": [{"name": "2"}]}));
    assert_eq!(replaced, Ok(json!({"plainItems": [{"name": "2"}]})));
}

#[test]
fn what_is_not_retained_goes() {
    let table = [
        (
            json!({"object": {"name": "a", "value": "b"}}),
            json!({"object": {"$retainKeys": ["name"]}}),
            json!({"object": {"name": "a"}}),
        ),
        (
            json!({"object": {"name": "a", "value": "b"}}),
            json!({"object": {"$retainKeys": ["other"], "other": "c"}}),
            json!({"object": {"other": "c"}}),
        ),
        (
            json!({"object": {"name": "a", "value": "b"}}),
            json!({"object": {"$retainKeys": ["name"], "value": null}}),
            json!({"object": {"name": "a"}}),
        ),
        (json!({"object": {"name": "a"}}), json!({"object": {"$retainKeys": []}}), json!({"object": {}})),
        (
            json!({"items": [{"name": "1", "value": "x", "other": "y"}]}),
            json!({"items": [{"name": "1", "other": "z", "$retainKeys": ["name", "other"]}]}),
            json!({"items": [{"name": "1", "other": "z"}]}),
        ),
    ];
    for (live, patch, expected) in table {
        assert_eq!(patched(live.clone(), patch.clone()), Ok(expected), "{live} + {patch}");
    }
}

#[test]
fn malformed_directives_are_refused_in_upstreams_words() {
    let items = |items: Json| json!({"items": items});
    let live = json!({"items": [{"name": "1"}], "strings": ["a"], "simple": {"a": "b"}, "object": {"name": "a"}});
    let table = [
        (json!({"simple": {"$patch": "merge", "a": "c"}}), "unknown patch type: merge in map: map[$patch:merge a:c]"),
        (json!({"$patch": 1}), "unknown patch type: 1 in map: map[$patch:1]"),
        (items(json!([{"$patch": "merge"}])), "merging lists cannot yet be specified in the patch"),
        (items(json!([{"$patch": "what", "name": "1"}])), "unknown patch type: what in map: map[$patch:what name:1]"),
        (items(json!([{"$patch": "delete"}])), "map: map[$patch:delete] does not contain declared merge key: name"),
        (items(json!([{"value": "x"}])), "map: map[value:x] does not contain declared merge key: name"),
        (items(json!(["x"])), "list element types are not identical: [[map[name:1]] [x]]"),
        (items(json!([["x"]])), "list element types are not identical: [[map[name:1]] [[x]]]"),
        (json!({"object": {"$retainKeys": "name"}}), "invalid patch format of retainKeys"),
        (json!({"object": {"$retainKeys": ["name"], "value": "x"}}), "invalid patch format of retainKeys"),
        (json!({"$deleteFromPrimitiveList": ["a"]}), "invalid patch format of primitive list"),
        (json!({"$deleteFromPrimitiveLists/strings": ["a"]}), "invalid patch format of primitive list"),
        (json!({"$setElementOrder": ["a"]}), "invalid patch format of setElementOrder list"),
        (json!({"$setElementOrder/strings": "a"}), "expected a []interface {}, but received a string"),
        (
            json!({"$setElementOrder/strings": ["b", "c"], "strings": ["c", "b"]}),
            "The order in patch list:\n[c b]\n doesn't match $setElementOrder list:\n[b c]\n",
        ),
        (
            json!({"$setElementOrder/items": [{"name": "1"}], "items": [{"name": "2"}]}),
            "The order in patch list:\n[map[name:2]]\n doesn't match $setElementOrder list:\n[map[name:1]]\n",
        ),
        (json!({"$deleteFromPrimitiveList/strings": [{"a": 1}]}), "invalid patch format of primitive list"),
    ];
    for (patch, expected) in table {
        assert_eq!(patched(live.clone(), patch.clone()), Err(expected.into()), "{patch}");
    }
    let lists = strategic(&schema(), &json!({"strings": [["a"]]}), &json!({"strings": [["b"]]})).unwrap_err();
    assert!(matches!(lists, PatchError::Unfit(_)), "{lists}");
    let error = strategic(&schema(), &json!({}), &json!([])).unwrap_err();
    assert_eq!(error.to_string(), "json: cannot unmarshal array into Go value of type map[string]interface {}");
}

#[test]
fn kubectls_patch_of_a_deployment() {
    let live = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "a", "image": "a:1", "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}]},
        {"name": "b", "image": "b:1"},
    ]}}}});
    let patch = json!({"spec": {"template": {"spec": {
        "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
        "containers": [{"name": "a", "image": "a:2", "$setElementOrder/env": [{"name": "Y"}],
            "env": [{"name": "Y", "value": "3"}, {"name": "X", "$patch": "delete"}],
            "ports": [{"containerPort": 80, "name": "http"}]}],
    }}}});
    let expected = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "b", "image": "b:1"},
        {"name": "a", "image": "a:2", "env": [{"name": "Y", "value": "3"}],
            "ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}]},
    ]}}}});
    assert_eq!(strategic(&workload(), &live, &patch).unwrap(), expected);
}

/// Would take minutes if members were searched for.
#[test]
fn long_lists_merge_in_time() {
    let items = |values: &str| -> Vec<Json> { (0..20_000).map(|n| json!({"name": format!("{n}"), "value": values})).collect() };
    let strings = |offset: usize| -> Vec<String> { (offset..offset + 20_000).map(|n| n.to_string()).collect() };
    let live = json!({"items": items("old"), "strings": strings(0)});
    let order: Vec<Json> = (0..20_000).rev().map(|n| json!({"name": format!("{n}")})).collect();
    let patch = json!({"items": items("new").into_iter().rev().collect::<Vec<_>>(), "$setElementOrder/items": order,
        "strings": strings(10_000), "$deleteFromPrimitiveList/strings": strings(25_000)});
    let result = patched(live, patch).unwrap();
    assert_eq!(result["items"].as_array().unwrap().len(), 20_000);
    assert_eq!(result["items"][0], json!({"name": "19999", "value": "new"}));
}

/// The patch from `old` to `new` as kubectl makes it, for items told apart by name.
fn difference(old: &[(String, String)], new: &[(String, String)]) -> Json {
    let named = |(name, _): &(String, String)| json!({"name": name});
    let order: Vec<Json> = new.iter().map(named).collect();
    let changed = new.iter().filter(|item| !old.contains(item)).map(|(name, value)| json!({"name": name, "value": value}));
    let gone = old.iter().filter(|(name, _)| !new.iter().any(|(other, _)| other == name));
    let deleted = gone.map(|(name, _)| json!({"name": name, "$patch": "delete"}));
    json!({"$setElementOrder/items": order, "items": changed.chain(deleted).collect::<Vec<_>>()})
}

fn any_items() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::btree_map("[a-f]", "[xyz]", 0..6).prop_map(|items| items.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #[test]
    fn a_patch_made_by_a_difference_restores(old in any_items(), new in any_items()) {
        let objects = |items: &[(String, String)]| -> Vec<Json> {
            items.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
        };
        let live = json!({"items": objects(&old)});
        prop_assert_eq!(patched(live, difference(&old, &new)), Ok(json!({"items": objects(&new)})));
    }

    /// What the patch leaves open, it leaves alone; and it leaves no directive that it knows.
    #[test]
    fn patching_again_changes_nothing(live in any_json(), patch in any_json()) {
        if let Ok(once) = patched(live, patch.clone()) {
            prop_assert_eq!(patched(once.clone(), patch), Ok(once));
        }
    }

    #[test]
    fn no_patch_panics(live in any_json(), patch in any_directives()) {
        let _ = patched(json!({"items": live, "strings": live, "object": live}), patch);
    }
}

fn any_directives() -> impl Strategy<Value = Json> {
    let name = prop_oneof![
        Just("items"),
        Just("strings"),
        Just("object"),
        Just("simple"),
        Just("name"),
        Just("$patch"),
        Just("$retainKeys"),
        Just("$setElementOrder/items"),
        Just("$setElementOrder/strings"),
        Just("$deleteFromPrimitiveList/strings"),
        Just("$deleteFromPrimitiveList/items"),
        Just("$setElementOrder"),
        Just("$setElementOrder/"),
    ];
    let leaf = prop_oneof![any_json(), Just(json!("delete")), Just(json!("replace")), Just(json!([{"name": "a"}]))];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}
