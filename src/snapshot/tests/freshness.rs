use std::time::Duration;

use plimsoll_contract::status::OnStale;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const READS_PODS: &str = "package kubernetes.placement\n\nwarnings contains n if data.kubernetes.pods[_][n].x\n";

fn world(required: bool, policy: &str, kinds: Vec<Kind>) -> World {
    let require_sources = if required { vec!["host".into()] } else { Vec::new() };
    let placement_path = path("kubernetes/placement");
    let options = StoreOptions { require_sources, placement_path, ..StoreOptions::default() };
    let mut world = World { store: Store::new(options).unwrap(), session: String::new() };
    world.policies("files", &[("p.rego", policy)]).unwrap();
    world.declare(kinds.clone()).unwrap();
    for kind in &kinds {
        world.replace(kind, &[]);
    }
    world
}

#[test]
fn only_what_decisions_depend_on_makes_them_stale() {
    let optional = || Kind { required: false, ..pods() };
    let other = "package other\n\nx := data.kubernetes.pods\n";
    let table = [
        ("required, not read", true, other, vec![pods()], Some("v1/pods of source `host`")),
        ("required source, optional kind", true, other, vec![optional()], None),
        ("the same, read", true, READS_PODS, vec![optional()], Some("v1/pods of source `host`")),
        ("not required, not read", false, other, vec![pods()], None),
        ("not required, read", false, READS_PODS, vec![pods()], Some("v1/pods of source `host`")),
        ("not required, the fleet", false, READS_PODS, vec![clusters()], Some("clusters of source `host`")),
        ("the fleet without a policy", false, other, vec![clusters()], None),
    ];
    for (name, required, policy, kinds, expected) in table {
        let world = world(required, policy, kinds);
        let (snapshot, now) = (world.store.load(), world.store.now());
        assert!(snapshot.stale(now, MINUTE).is_empty() && !snapshot.is_stale("host", now, MINUTE), "{name}");
        let later = now + MINUTE * 2;
        let stale = snapshot.stale(later, MINUTE).join("; ");
        assert_eq!(stale.is_empty(), expected.is_none(), "{name}: {stale}");
        assert!(stale.contains(expected.unwrap_or_default()), "{name}: {stale}");
        assert!(expected.is_none() || (stale.contains("120.") && stale.contains("--stale-after is 60 s")), "{name}: {stale}");
        assert!(snapshot.is_stale("host", later, MINUTE), "{name}: a silent source is stale by name");
        let status = world.store.status(later, &path("kubernetes/placement"));
        assert_eq!((status.stale.join("; "), status.sources["host"].stale), (stale, true), "{name}");
        assert_eq!((status.stale_after_seconds, status.on_stale), (60.0, OnStale::Deny));
    }
}

#[test]
fn an_old_snapshot_sees_newer_proofs() {
    let world = world(true, READS_PODS, vec![pods(), clusters()]);
    let (snapshot, later) = (world.store.load(), world.store.now() + MINUTE * 2);
    assert_eq!(snapshot.stale(later, MINUTE).len(), 1, "one sentence for each source");
    for source in world.store.load().state.sources.values() {
        source.kinds.iter().for_each(|kind| kind.prove(later));
    }
    assert!(snapshot.stale(later, MINUTE).is_empty());
}

#[test]
fn one_kind_that_is_silent_is_not_hidden_by_the_others() {
    let world = world(true, READS_PODS, vec![pods(), clusters()]);
    let (snapshot, later) = (world.store.load(), world.store.now() + MINUTE * 2);
    snapshot.state.sources["host"].kinds[1].prove(later);
    let stale = snapshot.stale(later, MINUTE);
    assert!(stale.len() == 1 && stale[0].contains("v1/pods"), "{stale:?}");
}

#[test]
fn a_proof_is_as_old_as_the_request_for_what_it_proves() {
    let world = world(true, READS_PODS, vec![pods()]);
    let proved = |header: Json, began: Duration| {
        let kind = world.store.load().state.sources["host"].kinds[0].clone();
        kind.proved.store(0, std::sync::atomic::Ordering::Relaxed);
        let mut sync = world.store.sync_body("host").begun(began);
        sync.feed(header.to_string().as_bytes()).unwrap();
        sync.finish().unwrap();
        Duration::from_millis(kind.proved.load(std::sync::atomic::Ordering::Relaxed))
    };
    let header = json!({"session": world.session, "kind": "v1/pods", "mode": "delta"});
    let began = Duration::from_secs(100);
    assert_eq!(proved(header.clone(), began), began, "not when it was worked on");
    let mut listed = header;
    listed["listedMillisAgo"] = 30_000.into();
    assert_eq!(proved(listed.clone(), began), Duration::from_secs(70));
    listed["listedMillisAgo"] = u64::MAX.into();
    assert_eq!(proved(listed, began), Duration::ZERO);
}

#[test]
fn what_was_declared_and_never_came_is_silent_too() {
    let mut world = World::new(vec![]);
    world.declare(vec![pods()]).unwrap();
    let (snapshot, now) = (world.store.load(), world.store.now());
    assert!(!snapshot.is_stale("host", now, MINUTE));
    assert!(snapshot.is_stale("host", now + MINUTE * 2, MINUTE));
    assert!(!snapshot.is_stale("nobody", now + MINUTE * 2, MINUTE));
}
