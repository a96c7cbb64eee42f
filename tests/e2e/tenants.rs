//! What a tenant with rights on one placed kind tries to get around policy, and what honest controllers and tools do beside it.

use plimsoll_contract::annotations::{Applied, AppliedKey, digest};
use serde_json::{Value as Json, json};

use super::policies;
use super::support::eventually::eventually;
use super::support::fixtures::{
    APPLIED, HOLD, PREFERENCES, annotated, annotation, clusters_in, deployment, pci_replica_set, replica_set,
};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: a_forged_record_neither_hides_a_value_nor_keeps_it,
        removing_the_record_by_hand_gains_nothing;
    real: an_asserted_owner_exempts_nobody_and_a_controllers_child_is_left_alone,
        what_is_kept_comes_back_after_a_put_and_nothing_else_does,
        an_object_that_is_being_deleted_takes_no_other_placement,
        each_side_alone_holds_the_line,
        what_scale_changes_is_swept,
        hold_is_for_members_where_reviews_ask;
}

const TENANT: &str = "--as=tenant";
/// The account of a controller of kube-controller-manager; RBAC gives it ReplicaSets.
const CONTROLLER: &str = "--as=system:serviceaccount:kube-system:deployment-controller";
const WISH: &str = r#"{"clusters":{"gamma":{"weight":1}},"rebalance":true}"#;

fn world(on: Server, policy: &'static str, engine: &[&str]) -> Option<World> {
    let world = World::start(on, &Setup { policies: &[("pci.rego", policy)], engine, ..Setup::default() })?;
    world.admit_tenant();
    Some(world)
}

/// Sends an object as somebody.
fn send(world: &World, verb: &[&str], who: &str, object: &Json) -> Result<String, String> {
    let mut arguments = verb.to_vec();
    arguments.extend([who, "-n", &world.namespace, "-f", "-"]);
    world.kubectl.try_run_with(&arguments, &object.to_string())
}

/// A value of the tenant's own, with a record that calls it ours.
fn forged(world: &World, object: Json, kind: &str) -> Json {
    let policy = world.engine.status()["digest"].as_str().unwrap().to_owned();
    let entry = AppliedKey { was: None, sum: digest(WISH) };
    let record = Applied { kind: kind.into(), mac: None, policy, keys: [(PREFERENCES.to_owned(), entry)].into(), fleet: None };
    annotated(annotated(object, PREFERENCES, WISH), APPLIED, &record.encode())
}

fn owned(mut object: Json, api_version: &str, uid: &str) -> Json {
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": api_version, "kind": "Deployment", "name": "shop", "uid": uid, "controller": true}]);
    object
}

fn an_asserted_owner_exempts_nobody_and_a_controllers_child_is_left_alone(on: Server) {
    let Some(world) = world(on, policies::PCI, &[]) else { return };
    world.create(&deployment("shop"));
    let uid = world.get("deployment/shop")["metadata"]["uid"].as_str().unwrap().to_owned();
    let owners = [("apps/v1", uid.as_str()), ("apps/v1beta1", uid.as_str()), ("apps/v1", "00000000-0000-0000-0000-000000000000")];
    for (at, (version, uid)) in owners.into_iter().enumerate() {
        for (who, placed) in [(TENANT, true), (CONTROLLER, false)] {
            let name = format!("web-{at}-{placed}");
            let object = owned(pci_replica_set(&name), version, uid);
            send(&world, &["create"], who, &object).unwrap();
            let stored = world.get(&format!("rs/{name}"));
            let clusters = clusters_in(&stored, PREFERENCES);
            assert_eq!(clusters.is_some(), placed, "{who} {version} {uid}: {clusters:?}");
        }
    }
    // What the tenant made is not forgotten when the fleet changes, whatever owner it claims.
    world.certify("beta", true);
    for at in 0..owners.len() {
        world.await_clusters(&format!("rs/web-{at}-true"), PREFERENCES, &["alpha", "beta"]);
    }
    let honest = world.get("rs/web-0-false");
    assert_eq!((annotation(&honest, PREFERENCES), annotation(&honest, APPLIED)), (None, None), "it follows its owner");
    // A reference that comes later is a change of intent, by whomever but a controller.
    world.create(&replica_set("late"));
    let mut late = world.get("rs/late");
    late["metadata"]["annotations"] = json!({"requires-pci": "true"});
    let late = owned(late, "apps/v1", &uid);
    send(&world, &["replace"], TENANT, &late).unwrap();
    assert_eq!(clusters_in(&world.get("rs/late"), PREFERENCES).unwrap(), ["alpha", "beta"]);
}

fn a_forged_record_neither_hides_a_value_nor_keeps_it(on: Server) {
    let Some(world) = world(on, policies::PCI_IF_ANY, &[]) else { return };
    let who = if on == Server::Real { TENANT } else { "--request-timeout=30s" };
    for (at, kind) in ["ReplicaSet", "", "Deployment"].into_iter().enumerate() {
        // No opinion: policy was not shown the value, so it is not stored as if policy had given it.
        let name = format!("free-{at}");
        send(&world, &["create"], who, &forged(&world, replica_set(&name), kind)).unwrap();
        eventually("the forged record is gone", || {
            let stored = world.get(&format!("rs/{name}"));
            if annotation(&stored, APPLIED).is_none() { Ok(()) } else { Err(stored["metadata"].clone()) }
        });
        let row = eventually("decided", || world.engine.find_placement(&world.namespace, &name));
        assert!(row.get("unproven").is_none(), "{row}");
        // An opinion: it wins.
        let name = format!("pci-{at}");
        send(&world, &["create"], who, &forged(&world, pci_replica_set(&name), kind)).unwrap();
        assert_eq!(clusters_in(&world.get(&format!("rs/{name}")), PREFERENCES).unwrap(), ["alpha"]);
    }
    if on == Server::Real {
        assert_eq!(annotation(&world.get("rs/free-0"), PREFERENCES), None, "released at once");
    }
    updates_do_no_better(&world, who);
}

/// Every way to change an object that exists, with a record made up.
fn updates_do_no_better(world: &World, who: &str) {
    world.create(&pci_replica_set("web"));
    let ways: [(&str, &[&str]); 3] = [
        ("apply", &["apply"]),
        ("server-side apply", &["apply", "--server-side", "--force-conflicts", "--field-manager=tenant"]),
        ("replace", &["replace"]),
    ];
    for (name, verb) in ways {
        send(world, verb, who, &forged(world, pci_replica_set("web"), "ReplicaSet")).unwrap();
        world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
        let row = world.engine.placement(&world.namespace, "web");
        assert!(row.get("unproven").is_none(), "{name}: {row}");
    }
}

fn removing_the_record_by_hand_gains_nothing(on: Server) {
    let Some(world) = world(on, policies::PCI_IF_ANY, &[]) else { return };
    world.create(&pci_replica_set("web"));
    let before = annotation(&world.get("rs/web"), PREFERENCES).unwrap().to_owned();
    eventually("the sweep knows it", || world.engine.find_placement(&world.namespace, "web"));
    world.kubectl.run(&["annotate", "-n", &world.namespace, "rs/web", &format!("{APPLIED}-")]);
    eventually("the record is back", || {
        let stored = world.get("rs/web");
        let record = annotation(&stored, APPLIED).and_then(|text| Applied::parse(text).ok());
        match record {
            Some(record) if record.keys[PREFERENCES].was.is_none() => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
    assert_eq!(annotation(&world.get("rs/web"), PREFERENCES), Some(before.as_str()));
    // Policy still decides it, so it moves with the fleet: the value never became the developer's wish.
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
}

fn what_is_kept_comes_back_after_a_put_and_nothing_else_does(on: Server) {
    let Some(world) = world(on, policies::PCI_IF_ANY, &[]) else { return };
    world.create(&pci_replica_set("web"));
    let placed = world.get("rs/web");
    let (value, record) =
        (annotation(&placed, PREFERENCES).unwrap().to_owned(), annotation(&placed, APPLIED).unwrap().to_owned());
    world.certify("alpha", false);
    world.await_event(&world.namespace, "rs/web", "PlacementKept");

    // GitOps sends the manifest as it is in its repository, by PUT: what it drops comes back, since it asks for the same.
    send(&world, &["replace"], TENANT, &pci_replica_set("web")).unwrap();
    let after = world.get("rs/web");
    assert_eq!((annotation(&after, PREFERENCES), annotation(&after, APPLIED)), (Some(value.as_str()), Some(record.as_str())));
    // A forged value beside the same intent does not take its place.
    send(&world, &["replace"], TENANT, &forged(&world, pci_replica_set("web"), "ReplicaSet")).unwrap();
    assert_eq!(annotation(&world.get("rs/web"), PREFERENCES), Some(value.as_str()));
    // A restore makes a new object, which has no past.
    let export = world.get("rs/web");
    world.kubectl.run(&["delete", "-n", &world.namespace, "rs/web"]);
    let mut restored = pci_replica_set("web");
    restored["metadata"]["annotations"] = export["metadata"]["annotations"].clone();
    send(&world, &["create"], TENANT, &restored).unwrap();
    let restored = world.get("rs/web");
    assert_eq!((annotation(&restored, PREFERENCES), annotation(&restored, APPLIED)), (None, None));
    // Another intent is let go.
    world.certify("alpha", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
    world.certify("alpha", false);
    eventually("kept again", || {
        let row = world.engine.find_placement(&world.namespace, "web")?;
        if row["kept"] == true { Ok(()) } else { Err(row.to_string()) }
    });
    world.kubectl.run(&["label", "-n", &world.namespace, "rs/web", "touched=true"]);
    assert_eq!(annotation(&world.get("rs/web"), PREFERENCES), None, "let go");
}

fn an_object_that_is_being_deleted_takes_no_other_placement(on: Server) {
    let Some(world) = world(on, policies::PCI, &[]) else { return };
    let mut web = pci_replica_set("web");
    web["metadata"]["finalizers"] = json!(["example.io/guard"]);
    world.create(&web);
    let stored = world.get("rs/web");
    let value = annotation(&stored, PREFERENCES).unwrap().to_owned();
    world.kubectl.run(&["delete", "-n", &world.namespace, "rs/web", "--wait=false"]);
    for change in [json!({PREFERENCES: WISH}), json!({PREFERENCES: null, APPLIED: null}), json!({HOLD: "true"})] {
        let patch = json!({"metadata": {"annotations": change}}).to_string();
        world.kubectl.run(&["patch", TENANT, "-n", &world.namespace, "rs/web", "--type=merge", "-p", &patch]);
        let now = world.get("rs/web");
        assert_eq!((annotation(&now, PREFERENCES), annotation(&now, HOLD)), (Some(value.as_str()), None), "{patch}");
        assert!(annotation(&now, APPLIED).is_some(), "{patch}");
    }
    // A finalizer's controller sends its copy without what it does not know, and is not held up.
    let mut copy = world.get("rs/web");
    copy["metadata"]["finalizers"] = json!([]);
    copy["metadata"]["annotations"] = json!({"requires-pci": "true"});
    send(&world, &["replace"], TENANT, &copy).unwrap();
    eventually("the object is gone", || match world.kubectl.try_get(&world.namespace, "rs/web") {
        Err(_) => Ok(()),
        Ok(object) => Err(object),
    });
}

fn each_side_alone_holds_the_line(on: Server) {
    let Some(world) = world(on, policies::PCI_IF_ANY, &[]) else { return };
    let mut leaving = pci_replica_set("leaving");
    leaving["metadata"]["finalizers"] = json!(["example.io/guard"]);
    world.create(&leaving);
    world.kubectl.run(&["delete", "-n", &world.namespace, "rs/leaving", "--wait=false"]);
    // The mutating side alone: what is made up is taken off.
    let object = forged(&world, replica_set("free"), "ReplicaSet");
    world.kubectl.run(&["delete", "validatingwebhookconfiguration", "plimsoll"]);
    send(&world, &["create"], TENANT, &object).unwrap();
    let stored = world.get("rs/free");
    assert_eq!((annotation(&stored, PREFERENCES), annotation(&stored, APPLIED)), (None, None));
    world.kubectl.run(&["delete", "-n", &world.namespace, "rs/free"]);
    // The validating side alone.
    world.connect();
    world.kubectl.run(&["delete", "mutatingwebhookconfiguration", "plimsoll"]);
    let refused = eventually("the mutating side is not asked", || {
        let answer = send(&world, &["create", "--dry-run=server"], TENANT, &object);
        answer.err().ok_or("it was created")
    });
    assert!(refused.contains(PREFERENCES), "{refused}");
    let patch = json!({"metadata": {"annotations": {PREFERENCES: WISH}}}).to_string();
    let arguments = ["patch", TENANT, "-n", &world.namespace, "rs/leaving", "--type=merge", "-p", &patch];
    let refused = world.kubectl.try_run(&arguments).unwrap_err();
    assert!(refused.contains("being deleted"), "{refused}");
    world.kubectl.run(&[
        "patch",
        "-n",
        &world.namespace,
        "rs/leaving",
        "--type=merge",
        "-p",
        r#"{"metadata":{"finalizers":null}}"#,
    ]);
}

/// As many clusters as replicas: a decision that `/scale`, which passes no webhook of ours, makes old.
const BY_REPLICAS: &str = r#"package kubernetes.placement

placement := {"clusters": array.slice(["alpha", "beta", "gamma"], 0, input.spec.replicas)}
"#;

fn what_scale_changes_is_swept(on: Server) {
    let Some(world) = world(on, BY_REPLICAS, &[]) else { return };
    world.create(&replica_set("web"));
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta", "gamma"]);
    world.kubectl.run(&["scale", TENANT, "-n", &world.namespace, "rs/web", "--replicas=1"]);
    world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
}

fn hold_is_for_members_where_reviews_ask(on: Server) {
    let Some(world) = world(on, policies::PCI, &["--hold=groups:operators"]) else { return };
    world.create(&pci_replica_set("web"));
    let hold = |who: &[&str], value: &str| {
        let mut arguments = vec!["annotate", "--overwrite", "-n", &world.namespace, "rs/web"];
        let change = format!("{HOLD}{value}");
        arguments.extend(who);
        arguments.push(&change);
        world.kubectl.try_run(&arguments)
    };
    let refused = hold(&[TENANT], "=true").unwrap_err();
    assert!(refused.contains("operators") || refused.contains("plimsoll-hold"), "{refused}");
    // As on an API server that has no admission policies.
    world.kubectl.run(&["delete", "validatingadmissionpolicybinding", "plimsoll-hold"]);
    eventually("a member may hold", || hold(&[TENANT, "--as-group=operators"], "=true"));
    hold(&[TENANT, "--as-group=operators"], "-").unwrap();
    let refused = hold(&[TENANT], "=true").unwrap_err();
    assert!(refused.contains("only members of `operators`"), "{refused}");
    hold(&[TENANT, "--as-group=operators"], "=true").unwrap();
    world.certify("beta", true);
    world.await_event(&world.namespace, "rs/web", "PlacementHeld");
    hold(&[TENANT], "-").unwrap();
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
}
