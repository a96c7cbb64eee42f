//! Writes other than apply.

use super::*;

#[test]
fn the_creator_owns_what_it_said_but_not_what_is_always_there() {
    let mut story = Story::of_workload();
    story.update("kubectl-create", |object| {
        *object = spec(json!({"replicas": 1, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}]}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}}))
    });
    let expected = json!({"f:spec": {
        "f:replicas": {},
        "f:selector": {},
        "f:strategy": {"f:type": {}, "f:rollingUpdate": {".": {}, "f:maxSurge": {}}},
        "f:template": {
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            "f:spec": {"f:containers": {r#"k:{"name":"c"}"#: {".": {}, "f:name": {}, "f:image": {}, "f:resources": {}}}},
        },
    }});
    assert_eq!(story.owned(), json!({"kubectl-create/Update": expected}));
}

#[test]
fn who_changes_a_field_owns_it_alone() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1", "l": "1"})));
    story.update("u", |object| object["data"]["k"] = json!("2"));
    assert_eq!(story.owned(), json!({"a/Apply": {"f:data": {"f:l": {}}}, "u/Update": {"f:data": {"f:k": {}}}}));
    story.update("v", |object| object["data"]["k"] = json!("3"));
    assert_eq!(story.owned(), json!({"a/Apply": {"f:data": {"f:l": {}}}, "v/Update": {"f:data": {"f:k": {}}}}));
}

#[test]
fn what_is_gone_has_no_owner() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1"})));
    story.apply("b", &data(json!({"k": "1", "l": "1"})));
    story.update("u", |object| {
        object["data"].as_object_mut().unwrap().remove("k");
    });
    assert_eq!(story.owned(), json!({"b/Apply": {"f:data": {"f:l": {}}}}));
}

#[test]
fn a_write_without_a_change_leaves_no_trace() {
    let mut story = Story::of_config_map();
    story.update("a", |object| *object = data(json!({"k": "1"})));
    let before = story.object();
    story.update("b", |_| {});
    assert_eq!(story.object(), before);
    story.update("b", |object| object["metadata"]["resourceVersion"] = json!("7"));
    assert_eq!(story.object()["metadata"]["managedFields"], before["metadata"]["managedFields"]);
}

#[test]
fn a_writers_second_change_joins_its_first() {
    let mut story = Story::of_config_map();
    story.update("a", |object| *object = data(json!({"k": "1"})));
    story.update("a", |object| object["data"]["l"] = json!("2"));
    assert_eq!(story.owned(), json!({"a/Update": {"f:data": {".": {}, "f:k": {}, "f:l": {}}}}));
    assert_eq!(story.object()["metadata"]["managedFields"][0]["time"], json!("2027-01-15T08:02:00Z"));
}

#[test]
fn a_nameless_writer_is_unknown() {
    let mut story = Story::of_config_map();
    story.update("", |object| *object = data(json!({"k": "1"})));
    assert_eq!(story.owned().as_object().unwrap().keys().collect::<Vec<_>>(), ["unknown/Update"]);
}

#[test]
fn the_client_may_correct_and_reset_the_entries() {
    let mut story = Story::of_config_map();
    story.apply("a", &data(json!({"k": "1"})));
    story.update("u", |object| object["metadata"]["managedFields"][0]["manager"] = json!("b"));
    assert_eq!(story.owned(), json!({"b/Apply": {"f:data": {"f:k": {}}}}));
    for nothing in
        [json!(null), json!("garbage"), json!([{"operation": "Update"}]), json!([{"manager": "x", "operation": "Nope"}])]
    {
        story.update("u", |object| object["metadata"]["managedFields"] = nothing);
        assert_eq!(story.owned(), json!({"b/Apply": {"f:data": {"f:k": {}}}}));
    }
    for reset in [json!([]), json!([{}])] {
        let mut story = Story { object: story.object.clone(), ..Story::of_config_map() };
        story.update("u", |object| object["metadata"]["managedFields"] = reset);
        assert_eq!(story.object(), data(json!({"k": "1"})));
        // From then on nothing is tracked, until somebody applies.
        story.update("u", |object| object["data"]["k"] = json!("2"));
        assert_eq!(story.object(), data(json!({"k": "2"})));
    }
}

#[test]
fn a_subresource_cannot_touch_the_entries() {
    let mut story = Story::of_workload();
    story.apply("a", &spec(json!({"replicas": 1})));
    story.update("c/status", |object| {
        object["metadata"]["managedFields"] = json!([]);
        object["status"] = json!({"replicas": 1, "conditions": [{"type": "Ready", "status": "True"}]});
    });
    let condition = json!({".": {}, "f:type": {}, "f:status": {}});
    let status = json!({"f:replicas": {}, "f:conditions": {".": {}, r#"k:{"type":"Ready"}"#: condition}});
    let expected = json!({"a/Apply": {"f:spec": {"f:replicas": {}}}, "c/Update/status": {"f:status": status}});
    assert_eq!(story.owned(), expected);
}

#[test]
fn the_oldest_of_many_updaters_become_one() {
    let mut story = Story::of_config_map();
    story.apply("applier", &data(json!({"x": "0"})));
    for number in 0..13 {
        story.update(&format!("u{number:02}"), |object| object["data"][format!("k{number:02}")] = json!("1"));
    }
    let owned = story.owned();
    let names: Vec<&String> = owned.as_object().unwrap().keys().collect();
    let expected: Vec<String> = ["ancient-changes/Update", "applier/Apply"]
        .map(String::from)
        .into_iter()
        .chain((4..13).map(|number| format!("u{number:02}/Update")))
        .collect();
    assert_eq!(names, expected.iter().collect::<Vec<_>>());
    let ancient = json!({"f:data": {"f:k00": {}, "f:k01": {}, "f:k02": {}, "f:k03": {}}});
    assert_eq!(owned["ancient-changes/Update"], ancient);
}

#[test]
fn who_owned_a_part_owns_the_whole_when_the_schema_says_so() {
    let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"},
        "spec": {"template": {"spec": {"nodeSelector": {"a": "1", "b": "2"}}}}});
    let mut story = Story::new(Schema::default(), "apps/v1");
    story.apply("a", &object);
    let selector = |story: &Story| pod_fields(&story.owned()["a/Apply"])["f:nodeSelector"].clone();
    assert_eq!(selector(&story), json!({".": {}, "f:a": {}, "f:b": {}}));
    story.schema = workload();
    story.update("u", |object| object["spec"]["replicas"] = json!(1));
    assert_eq!(selector(&story), json!({}));
    let conflict = story.refused("b", &pod(json!({"nodeSelector": {"c": "3"}})));
    assert_eq!(conflict, "Apply failed with 1 conflict: conflict with \"a\": .spec.template.spec.nodeSelector");
}

#[test]
fn deep_values_are_owned_as_a_whole() {
    let mut story = Story::new(Schema::default(), "example.com/v1");
    let deep = (0..125).fold(json!(1), |below, _| json!({"a": below}));
    story.update("u", |object| *object = json!({"spec": deep}));
    let text = story.object().to_string();
    assert!(serde_json::from_str::<Json>(&text).is_ok(), "what is stored can be read back");
}
