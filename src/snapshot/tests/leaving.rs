use std::time::Duration;

use super::*;

const READS_PODS: &str = "package kubernetes.placement\n\nwarnings contains n if data.kubernetes.pods[_][n].x\n";
const READS_FLEET: &str = "package kubernetes.placement\n\nwarnings contains n if data.kubernetes.clusters[n].x\n";

/// One pod and one cluster are loaded.
fn world(policy: &str) -> World {
    let world = World::new(vec![pods(), clusters()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.replace(&clusters(), &[object("", "c", 1, "")]);
    world.policies("files", &[("p.rego", policy)]).unwrap();
    world
}

fn stale(world: &World) -> Vec<String> {
    let later = world.store.now() + Duration::from_secs(120);
    world.store.load().stale(later, Duration::from_secs(60))
}

#[test]
fn what_policies_read_leaves_by_no_declaration() {
    let mut world = world(READS_PODS);
    world.declare(vec![clusters()]).unwrap();
    assert_eq!(world.names(&pods()), ["a/x@1"]);
    assert!(world.store.load().ready() && world.store.load().missing().is_empty());
    // The clusters are proved again; nobody speaks for the pods.
    world.store.load().state.sources["host"].kinds[0].prove(world.store.now() + Duration::from_secs(120));
    let said = stale(&world);
    assert!(
        said.len() == 1 && said[0].contains("v1/pods of source `host`") && said[0].contains("no longer declares"),
        "{said:?}"
    );
    let error = world.sync(&pods(), "delta", &[]).unwrap_err().to_string();
    assert!(error.contains("v1/pods is not declared"), "{error}");
    assert!(world.store.put_data(&path("kubernetes/pods/a"), json!({})).is_err(), "it is still the source's");
    let status = world.store.status(world.store.now(), &[]);
    let left = status.sources["host"].kinds.iter().find(|kind| kind.gvr == pods().gvr).unwrap();
    assert_eq!((left.required, left.loaded, left.objects), (false, true, 1));
    assert!(status.notes.iter().any(|note| note.contains("v1/pods of source `host` stays")), "{:?}", status.notes);

    // Again and again, and then it is listed again: loaded as it stands.
    world.declare(vec![]).unwrap();
    assert_eq!((world.names(&pods()), world.names(&clusters())), (vec!["a/x@1".into()], vec!["/c@1".into()]));
    world.declare(vec![pods(), clusters()]).unwrap();
    assert!(world.store.load().state.sources["host"].left.is_empty());
    world.delta(&pods(), &[put("a", "y", 2, "")]);
    assert_eq!(world.names(&pods()), ["a/x@1", "a/y@2"]);
}

#[test]
fn what_nobody_reads_any_more_leaves_with_the_next_declaration() {
    let mut world = world(READS_PODS);
    world.declare(vec![clusters()]).unwrap();
    world.policies("files", &[("p.rego", READS_FLEET)]).unwrap();
    world.declare(vec![clusters()]).unwrap();
    assert_eq!((world.data("kubernetes/pods"), world.names(&clusters())), (None, vec!["/c@1".into()]));
}

#[test]
fn the_fleet_stays_unless_another_takes_its_place() {
    let mut world = world(READS_PODS);
    world.declare(vec![pods()]).unwrap();
    assert_eq!(world.names(&clusters()), ["/c@1"]);
    assert_eq!(world.store.load().state.fleet(), Some(&clusters()), "placements may name its clusters and no others");
    let members = Kind { namespaced: false, fleet: true, ..kind("example.org/v1/members") };
    world.declare(vec![pods(), members.clone()]).unwrap();
    assert_eq!((world.data("kubernetes/clusters"), world.store.load().state.fleet()), (None, Some(&members)));
}

#[test]
fn a_kind_that_is_loaded_in_another_way_stays_until_it_is() {
    let mut world = world(READS_PODS);
    let pruned = || Kind { prune: vec!["/spec".into()], ..pods() };
    world.declare(vec![pruned(), clusters()]).unwrap();
    assert_eq!(world.names(&pods()), ["a/x@1"]);
    assert!(world.store.load().missing().is_empty(), "decided by what was there");
    world.store.load().state.sources["host"].kinds[1].prove(world.store.now() + Duration::from_secs(120));
    assert!(stale(&world).iter().any(|why| why.contains("v1/pods")), "not for ever");
    assert!(world.sync(&pruned(), "delta", &[]).is_err(), "changes of what is pruned otherwise fit nothing");
    world.replace(&pruned(), &[object("a", "z", 3, "")]);
    assert_eq!(world.names(&pods()), ["a/z@3"]);
    assert!(world.store.load().state.sources["host"].left.is_empty());
    world.delta(&pruned(), &[]);

    // What lies elsewhere in the tree cannot stand in for it.
    let flat = Kind { namespaced: false, ..pods() };
    world.declare(vec![flat, clusters()]).unwrap();
    assert_eq!(world.data("kubernetes/pods"), None);
    assert!(world.store.load().missing()[0].contains("v1/pods"), "by name: {:?}", world.store.load().missing());
}

#[test]
fn another_source_takes_over_what_was_left() {
    let mut world = world(READS_PODS);
    world.declare(vec![clusters()]).unwrap();
    let declare = Declare { kinds: vec![pods()], ..Declare::default() };
    let session = world.store.declare("other", declare).unwrap().session;
    assert_eq!(world.data("kubernetes/pods"), None);
    assert!(world.store.load().missing()[0].contains("v1/pods of source `other`"), "{:?}", world.store.load().missing());
    let header = json!({"session": session, "kind": "v1/pods", "mode": "replace"});
    world.store.sync("other", header.to_string().as_bytes()).unwrap();
    assert!(world.store.load().missing().is_empty());
}

#[test]
fn a_source_that_is_deleted_takes_its_objects_and_its_session_with_it() {
    let world = world(READS_PODS);
    world.policies("host", &[("lib.rego", "package lib\n\nx := 1\n")]).unwrap();
    world.store.put_data(&path("limits"), json!(3)).unwrap();
    world.store.withdraw("host", false).unwrap();
    assert_eq!((world.data("kubernetes"), world.data("limits")), (Some(json!({})), Some(json!(3))));
    assert!(world.store.load().state.sources.is_empty());
    assert!(world.store.load().policies.sets.contains_key("host"), "policies stay unless they are asked for");
    let ended = world.sync(&pods(), "replace", &[]).unwrap_err();
    assert!(matches!(ended, SyncError::SessionEnded { .. }), "{ended}");
    let elsewhere = world.store.sync("other", &world.body(&pods(), "replace", &[])).unwrap_err();
    assert!(matches!(elsewhere, SyncError::UnknownSource(_)), "{elsewhere}");
    let late = world.store.put_policies_of("host", Some(&world.session), Vec::new());
    assert!(matches!(late, Err(PolicyError::Session(SyncError::SessionEnded { .. }))), "{late:?}");
    assert!(matches!(world.store.withdraw("host", true), Err(WithdrawError::Unknown(SyncError::UnknownSource(_)))));
    world.store.put_data(&path("kubernetes/pods"), json!({})).unwrap();
}

#[test]
fn with_its_policies_a_source_goes_in_one_revision_or_not_at_all() {
    let world = world(READS_PODS);
    world.policies("host", &[("lib.rego", "package lib\n\nf(x) := x\n")]).unwrap();
    world.policies("files", &[("p.rego", "package p\n\nx := data.lib.f(1)\n")]).unwrap();
    let before = world.revision();
    assert!(matches!(world.store.withdraw("host", true), Err(WithdrawError::Rejected(_))));
    assert_eq!((world.revision(), world.names(&pods())), (before, vec!["a/x@1".into()]));
    world.policies("files", &[("p.rego", READS_FLEET)]).unwrap();
    let before = world.revision();
    world.store.withdraw("host", true).unwrap();
    assert_eq!(world.revision(), before + 1);
    assert!(!world.store.load().policies.sets.contains_key("host") && world.store.load().state.sources.is_empty());
}
