//! Server-side apply.

use super::*;

#[test]
fn the_first_apply_creates_and_owns() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "v"})));
    assert_eq!(story.content(), data(json!({"k": "v"})));
    let entry = json!({"manager": "a", "operation": "Apply", "apiVersion": "v1", "time": "2027-01-15T08:01:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:k": {}}}});
    assert_eq!(story.object()["metadata"]["managedFields"], json!([entry]));
}

#[test]
fn applying_the_same_again_changes_nothing_at_all() {
    let mut story = Story::of_workload();
    let config =
        pod(json!({"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}], "nodeSelector": {"a": "b"}}));
    story.apply("a", &config);
    let before = story.object();
    story.apply("a", &config);
    assert_eq!(story.object(), before);
    story.try_apply("a", &config, true).unwrap();
    assert_eq!(story.object(), before);
}

#[test]
fn disjoint_appliers_each_own_their_own() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1"})));
    story.apply("b", &data(json!({"l": "2"})));
    assert_eq!(story.content(), data(json!({"k": "1", "l": "2"})));
    let expected = json!({"a/Apply": {"f:data": {"f:k": {}}}, "b/Apply": {"f:data": {"f:l": {}}}});
    assert_eq!(story.owned(), expected);
}

#[test]
fn another_owners_value_is_a_conflict_unless_it_is_the_same() {
    let mut story = Story::of_config_map();
    story.update("kubectl", |object| *object = data(json!({"key": "1"})));
    let refused = story.refused("me", &data(json!({"key": "2"})));
    assert_eq!(refused, "Apply failed with 1 conflict: conflict with \"kubectl\" using v1: .data.key");
    story.apply("me", &data(json!({"key": "1"})));
    assert_eq!(story.owned()["me/Apply"], json!({"f:data": {"f:key": {}}}));
    assert_eq!(story.owned()["kubectl/Update"]["f:data"]["f:key"], json!({}));
    let refused = story.refused("third", &data(json!({"key": "3", "other": "x"})));
    let expected =
        "Apply failed with 2 conflicts: conflicts with \"kubectl\" using v1:\n- .data.key\nconflicts with \"me\":\n- .data.key";
    assert_eq!(refused, expected);
}

#[test]
fn force_takes_the_fields() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1", "l": "1"})));
    story.try_apply("b", &data(json!({"k": "2"})), true).unwrap();
    assert_eq!(story.content(), data(json!({"k": "2", "l": "1"})));
    assert_eq!(story.owned(), json!({"a/Apply": {"f:data": {"f:l": {}}}, "b/Apply": {"f:data": {"f:k": {}}}}));
    story.try_apply("c", &data(json!({"l": "2"})), true).unwrap();
    assert_eq!(story.owned().as_object().unwrap().keys().collect::<Vec<_>>(), ["b/Apply", "c/Apply"]);
}

#[test]
fn what_is_given_up_goes_unless_another_owns_it() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1", "l": "1", "m": "1"})));
    story.apply("b", &data(json!({"l": "1"})));
    story.update("u", |object| object["data"]["n"] = json!("1"));
    story.apply("a", &data(json!({"m": "1"})));
    assert_eq!(story.content(), data(json!({"l": "1", "m": "1", "n": "1"})));
    story.apply("a", &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}));
    assert_eq!(story.content(), data(json!({"l": "1", "n": "1"})));
    assert_eq!(story.owned().as_object().unwrap().keys().collect::<Vec<_>>(), ["b/Apply", "u/Update"]);
    story.apply("b", &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}));
    assert_eq!(story.content(), data(json!({"n": "1"})));
}

#[test]
fn a_map_goes_with_its_last_entry_and_its_owner() {
    let labelled = |labels: Json| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "labels": labels}});
    let mut story = Story::of_config_map();
    story.apply("a", &labelled(json!({"k": "v"})));
    story.apply("a", &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}));
    assert_eq!(story.object(), json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}));
}

#[test]
fn members_of_lists_are_owned_one_by_one() {
    let mut story = Story::of_workload();
    story.apply("a", &pod(json!({"containers": [{"name": "c", "image": "1"}]})));
    story.apply("b", &pod(json!({"containers": [{"name": "d", "image": "1"}, {"name": "c", "args": ["x"]}]})));
    let containers = json!([{"name": "d", "image": "1"}, {"name": "c", "image": "1", "args": ["x"]}]);
    assert_eq!(story.content(), pod(json!({"containers": containers})));
    let conflict = story.refused("b", &pod(json!({"containers": [{"name": "c", "image": "2"}]})));
    let path = ".spec.template.spec.containers[name=\"c\"].image";
    assert_eq!(conflict, format!("Apply failed with 1 conflict: conflict with \"a\": {path}"));
    // b gives up its container whole, and of the other only what it had in it.
    story.apply("b", &pod(json!({})));
    assert_eq!(story.content(), pod(json!({"containers": [{"name": "c", "image": "1"}]})));
    let expected = json!({"f:containers": {r#"k:{"name":"c"}"#: {".": {}, "f:name": {}, "f:image": {}}}});
    assert_eq!(pod_fields(&story.owned()["a/Apply"]), expected);
}

#[test]
fn a_defaulted_key_is_part_of_the_member() {
    let mut story = Story::of_workload();
    let with = |port: Json| pod(json!({"containers": [{"name": "c", "ports": [port]}]}));
    story.apply("a", &with(json!({"containerPort": 80, "name": "http"})));
    let key = r#"k:{"containerPort":80,"protocol":"TCP"}"#;
    let ports = pod_fields(&story.owned()["a/Apply"])["f:containers"][r#"k:{"name":"c"}"#]["f:ports"].clone();
    assert_eq!(ports, json!({key: {".": {}, "f:containerPort": {}, "f:name": {}}}));
    // The server defaults what is stored; the next apply finds the same port.
    story.object = story.object.map(|mut object| {
        object["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"] = json!("TCP");
        object
    });
    story.apply("a", &with(json!({"containerPort": 80, "name": "web"})));
    let port = story.content()["spec"]["template"]["spec"]["containers"][0]["ports"].clone();
    assert_eq!(port, json!([{"containerPort": 80, "protocol": "TCP", "name": "web"}]));
    story.apply("b", &with(json!({"containerPort": 80, "protocol": "UDP"})));
    assert_eq!(story.content()["spec"]["template"]["spec"]["containers"][0]["ports"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_atomic_has_one_owner() {
    let mut story = Story::of_workload();
    story.apply("a", &pod(json!({"nodeSelector": {"a": "1"}})));
    assert_eq!(pod_fields(&story.owned()["a/Apply"]), json!({"f:nodeSelector": {}}));
    let conflict = story.refused("b", &pod(json!({"nodeSelector": {"b": "1"}})));
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"a\": .spec.template.spec.nodeSelector");
    story.apply("a", &pod(json!({"nodeSelector": {"c": "1"}})));
    assert_eq!(story.content(), pod(json!({"nodeSelector": {"c": "1"}})));
}

#[test]
fn sets_are_owned_by_value() {
    let with =
        |finalizers: Json| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "finalizers": finalizers}});
    let mut story = Story::of_config_map();
    story.apply("a", &with(json!(["f/a"])));
    story.apply("b", &with(json!(["f/b"])));
    assert_eq!(story.content(), with(json!(["f/a", "f/b"])));
    assert_eq!(story.owned()["b/Apply"], json!({"f:metadata": {"f:finalizers": {"v:\"f/b\"": {}}}}));
    story.apply("a", &with(json!([])));
    assert_eq!(story.content(), with(json!(["f/b"])));
    let twice = story.refused("c", &with(json!(["f", "f"])));
    let expected =
        "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [=\"f\"]";
    assert_eq!(twice, expected);
}

#[test]
fn configurations_that_are_not_of_the_schema_are_refused() {
    let mut story = Story::of_workload();
    let refused = story.refused("a", &spec(json!({"bogus": 1})));
    let object = "default/x; apps/v1, Kind=Deployment";
    assert_eq!(refused, format!("failed to create typed patch object ({object}): .spec.bogus: field not declared in schema"));
    let mut config = spec(json!({}));
    config["metadata"]["managedFields"] = json!([]);
    assert_eq!(story.refused("a", &config), "metadata.managedFields must be nil");
}

#[test]
fn an_object_from_before_belongs_to_its_past() {
    let mut story = Story::of_config_map();
    story.object = Some(data(json!({"k": "1"})));
    let conflict = story.refused("a", &data(json!({"k": "2"})));
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.k");
    story.apply("a", &data(json!({"l": "1"})));
    let expected = json!({"a/Apply": {"f:data": {"f:l": {}}}, "before-first-apply/Update": {"f:data": {".": {}, "f:k": {}}}});
    assert_eq!(story.owned(), expected);
}

#[test]
fn a_subresource_has_an_owner_of_its_own() {
    let mut story = Story::of_workload();
    story.apply("a", &spec(json!({"replicas": 1})));
    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "status": {"replicas": 1}});
    story.apply("a/status", &status);
    let expected = json!({"a/Apply": {"f:spec": {"f:replicas": {}}}, "a/Apply/status": {"f:status": {"f:replicas": {}}}});
    assert_eq!(story.owned(), expected);
    let mut other = status;
    other["status"]["replicas"] = json!(2);
    let conflict = story.refused("b/status", &other);
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"a\" with subresource \"status\": .status.replicas");
}

#[test]
fn kubectl_may_take_over_from_its_client_side_apply() {
    let last = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"k": "1"}}).to_string();
    let annotated = |value: &str| {
        let mut object = data(json!({"k": value}));
        object["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": last});
        object
    };
    let mut story = Story::of_config_map();
    story.update("kubectl-client-side-apply", |object| *object = annotated("1"));
    // Another manager has no such excuse.
    assert!(story.refused("helm", &data(json!({"k": "2"}))).contains("kubectl-client-side-apply"));
    story.apply("kubectl", &data(json!({"k": "2"})));
    assert_eq!(story.content()["data"], json!({"k": "2"}));
    let annotation = story.content()["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].clone();
    assert_eq!(annotation.as_str().unwrap(), format!("{}\n", data(json!({"k": "2"}))));
    // What somebody else changed since is no longer kubectl's.
    let mut story = Story::of_config_map();
    story.update("kubectl-client-side-apply", |object| *object = annotated("1"));
    story.update("editor", |object| object["data"]["k"] = json!("9"));
    let conflict = story.refused("kubectl", &data(json!({"k": "2"})));
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"editor\" using v1: .data.k");
}

#[test]
fn unreadable_managed_fields_of_the_live_object_stop_an_apply() {
    let mut story = Story::of_config_map();
    let mut object = data(json!({"k": "1"}));
    object["metadata"]["managedFields"] = json!([{"manager": "a", "operation": "Nothing"}]);
    story.object = Some(object);
    let expected = "failed to decode managed fields: operation must be `Apply` or `Update`";
    assert_eq!(story.refused("a", &data(json!({"k": "1"}))), expected);
}

#[test]
fn without_a_schema_the_values_say_what_they_are() {
    let mut story = Story::new(Schema::default(), "example.com/v1");
    let widget = |spec: Json| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": spec});
    story.apply("a", &widget(json!({"a": {"b": 1}, "l": [1, 2]})));
    story.apply("b", &widget(json!({"a": {"c": 2}})));
    assert_eq!(story.content(), widget(json!({"a": {"b": 1, "c": 2}, "l": [1, 2]})));
    let conflict = story.refused("b", &widget(json!({"l": [1, 2, 3]})));
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"a\": .spec.l");
    story.apply("a", &widget(json!({"l": {"now": "a map"}})));
    assert_eq!(story.content(), widget(json!({"a": {"c": 2}, "l": {"now": "a map"}})));
}

/// Would take minutes if members were searched for.
#[test]
fn long_lists_apply_in_time() {
    let env = |value: &str| -> Vec<Json> { (0..3000).map(|n| json!({"name": format!("E{n}"), "value": value})).collect() };
    let config = |value: &str| pod(json!({"containers": [{"name": "c", "env": env(value)}]}));
    let mut story = Story::of_workload();
    story.apply("a", &config("1"));
    story.apply("a", &config("2"));
    story.update("u", |object| object["spec"]["template"]["spec"]["containers"][0]["env"] = json!(env("3")));
    let conflict = story.refused("a", &config("4"));
    assert!(conflict.starts_with("Apply failed with 3000 conflicts: "));
}
