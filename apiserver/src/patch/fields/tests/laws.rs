//! What holds for any configuration.

use proptest::prelude::*;

use super::*;
use crate::patch::testing::any_json;

/// Any configuration of the small workload; who applies it owns something.
fn any_config() -> impl Strategy<Value = Json> {
    let value = || prop_oneof![Just("1"), Just("2")];
    let labels = prop::collection::btree_map("[ab]", value(), 1..3);
    let env = prop::collection::btree_map("[AB]", value(), 1..3);
    let ports = prop::collection::btree_map(80..82i64, "[xy]", 1..3);
    let container =
        (prop::option::of(value()), prop::option::of(env), prop::option::of(ports)).prop_map(|(image, env, ports)| {
            let mut container = json!({});
            if let Some(image) = image {
                container["image"] = json!(image);
            }
            if let Some(env) = env {
                container["env"] = env.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            }
            if let Some(ports) = ports {
                container["ports"] = ports.iter().map(|(port, name)| json!({"containerPort": port, "name": name})).collect();
            }
            container
        });
    let containers = prop::collection::btree_map("[cd]", container, 1..3);
    (labels, prop::option::of(1..3i64), prop::option::of(containers), prop::option::of(value())).prop_map(
        |(labels, replicas, containers, selected)| {
            let mut config = spec(json!({}));
            config["metadata"]["labels"] = json!(labels);
            if let Some(replicas) = replicas {
                config["spec"]["replicas"] = json!(replicas);
            }
            if let Some(selected) = selected {
                config["spec"]["template"]["spec"]["nodeSelector"] = json!({"s": selected});
            }
            if let Some(containers) = containers {
                let named = containers.into_iter().map(|(name, mut container)| {
                    container["name"] = json!(name);
                    container
                });
                config["spec"]["template"]["spec"]["containers"] = named.collect();
            }
            config
        },
    )
}

proptest! {
    #[test]
    fn applying_twice_is_applying_once(configs in prop::collection::vec(any_config(), 1..4)) {
        let mut story = Story::of_workload();
        for config in &configs {
            story.try_apply("a", config, true).unwrap();
        }
        let once = story.object();
        story.apply("a", configs.last().unwrap());
        prop_assert_eq!(story.object(), once);
    }

    /// The last configuration alone says what there is, when nobody else wrote.
    #[test]
    fn the_only_applier_gets_what_it_last_said(first in any_config(), last in any_config()) {
        let mut story = Story::of_workload();
        story.apply("a", &first);
        story.apply("a", &last);
        let mut fresh = Story::of_workload();
        fresh.apply("a", &last);
        prop_assert_eq!(story.owned(), fresh.owned());
        for pointer in ["/metadata/labels", "/spec/replicas", "/spec/template/spec/nodeSelector"] {
            let found = |story: &Story| story.content().pointer(pointer).cloned();
            prop_assert_eq!(found(&story), found(&fresh), "{}", pointer);
        }
    }

    #[test]
    fn a_conflict_changes_nothing_and_force_has_none(first in any_config(), second in any_config()) {
        let mut story = Story::of_workload();
        story.apply("a", &first);
        let refused = story.try_apply("b", &second, false);
        if let Err(error) = refused {
            prop_assert!(matches!(error, PatchError::Conflicts(_)));
            story.try_apply("b", &second, true).unwrap();
        }
        let once = story.object();
        story.apply("b", &second);
        prop_assert_eq!(story.object(), once);
    }

    /// Every entry that an update leaves owns only what is there.
    #[test]
    fn owners_own_what_exists(first in any_config(), second in any_config(), third in any_config()) {
        let mut story = Story::of_workload();
        story.apply("a", &first);
        story.try_apply("b", &second, true).unwrap();
        story.update("u", |object| {
            let managed = object["metadata"]["managedFields"].take();
            *object = third.clone();
            object["metadata"]["managedFields"] = managed;
        });
        let of = super::super::shape::Type::root(&story.schema);
        let there = super::super::remove::with_named_parents(&super::super::collect::fields_of(&story.content(), of), of);
        for (owner, fields) in owned(&story.object()) {
            let fields = super::super::v1::decode(&fields).unwrap();
            let lost: Vec<String> = fields.difference(&there).paths().iter().map(ToString::to_string).collect();
            prop_assert!(lost.is_empty(), "{} owns {:?}", owner, lost);
        }
    }

    #[test]
    fn nothing_panics(live in any_json(), config in any_json(), managed in any_json()) {
        let mut story = Story::of_workload();
        let mut object = spec(live);
        object["metadata"]["managedFields"] = managed;
        story.object = Some(object);
        let _ = story.try_apply("a", &spec(config.clone()), true);
        let _ = story.try_apply("a", &config, true);
        story.update("u", |object| *object = config);
        let mut free = Story::new(Schema::default(), "v1");
        let _ = free.try_apply("a", &story.object(), true);
    }
}
