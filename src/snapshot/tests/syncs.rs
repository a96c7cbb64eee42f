use proptest::prelude::*;

use super::*;
use crate::ingest::MAX_LINE;

#[test]
fn an_object_is_pruned_and_its_version_travels_beside_it() {
    let world = World::new(vec![Kind { prune: vec!["/status/seen".into()], ..pods() }]);
    let mut sent = object("ns", "p", 7, "x");
    sent["status"] = json!({"seen": 1, "phase": "Up"});
    world.replace(&pods(), &[sent]);
    let expected = json!({
        "apiVersion": "v1", "kind": "Some",
        "metadata": {"name": "p", "namespace": "ns", "labels": {"l": "x"}},
        "status": {"phase": "Up"},
    });
    assert_eq!(world.data("kubernetes/pods/ns/p"), Some(expected));
    let snapshot = world.store.load();
    let name = plimsoll_contract::source::ObjectName { namespace: "ns".into(), name: "p".into() };
    let leaf = snapshot.state.object(&pods(), &name).unwrap();
    assert_eq!((leaf.uid.as_ref(), leaf.resource_version.as_ref()), ("uid-p", "7"));
}

#[test]
fn t12_a_replace_derives_removals_and_a_delta_is_one_revision() {
    let world = World::new(vec![pods()]);
    let first = world.replace(&pods(), &[object("a", "x", 1, ""), object("a", "y", 2, ""), object("b", "z", 3, "")]);
    assert_eq!(world.names(&pods()), ["a/x@1", "a/y@2", "b/z@3"]);
    assert_eq!(world.delta(&pods(), &[put("a", "x", 4, ""), remove("b", "z"), put("c", "w", 5, "")]), first + 1);
    assert_eq!(world.names(&pods()), ["a/x@4", "a/y@2", "c/w@5"]);
    assert_eq!(world.replace(&pods(), &[object("a", "y", 2, "")]), first + 2);
    assert_eq!(world.names(&pods()), ["a/y@2"]);
    let source = &world.store.load().state.sources["host"];
    assert_eq!((source.kinds[0].loaded, source.kinds[0].objects), (true, 1));
}

#[test]
fn what_changes_nothing_publishes_nothing_but_proves_freshness() {
    let world = World::new(vec![pods()]);
    let objects = [object("a", "x", 1, ""), object("b", "y", 2, "")];
    let revision = world.replace(&pods(), &objects);
    let proofs = || world.store.load().state.sources["host"].kinds[0].proved.clone();
    let proved = proofs();
    proved.store(0, std::sync::atomic::Ordering::Relaxed);
    let watch = world.store.subscribe();
    for (mode, lines) in
        [("delta", vec![]), ("replace", objects.to_vec()), ("delta", vec![put("a", "x", 1, ""), remove("q", "q")])]
    {
        assert_eq!(world.sync(&pods(), mode, &lines).unwrap().revision, revision, "{mode} {lines:?}");
    }
    assert!(!watch.has_changed().unwrap());
    assert!(std::sync::Arc::ptr_eq(&proved, &proofs()), "all snapshots share the proof");
    let age = world.store.load().ages(Duration::from_secs(3600))[0].age_seconds.unwrap();
    assert!(age <= 3600.0, "{age}");
}

#[test]
fn a_proof_makes_a_source_younger_and_never_older() {
    let world = World::new(vec![pods(), Kind { required: false, ..kind("v1/secrets") }]);
    assert_eq!(world.store.load().ages(Duration::from_secs(9))[0].age_seconds, None, "before it is loaded");
    world.replace(&pods(), &[]);
    let snapshot = world.store.load();
    let kind = &snapshot.state.sources["host"].kinds[0];
    kind.prove(Duration::from_secs(5000));
    kind.prove(Duration::from_secs(4000));
    assert_eq!(snapshot.ages(Duration::from_secs(5010))[0].age_seconds, Some(10.0), "optional kinds do not count");
}

#[test]
fn changes_alone_prove_nothing() {
    let world = World::new(vec![pods()]);
    world.replace(&pods(), &[]);
    let proved = world.store.load().state.sources["host"].kinds[0].proved.clone();
    let at = |millis: u64| proved.store(millis, std::sync::atomic::Ordering::Relaxed);
    at(0);
    world.sync(&pods(), "delta", &[put("a", "x", 1, "")]).unwrap();
    assert_eq!(proved.load(std::sync::atomic::Ordering::Relaxed), 0, "an event may come late");
}

#[test]
fn a_bad_line_applies_nothing_and_is_named_by_its_number() {
    let mut world = World::new(vec![pods(), clusters()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.replace(&clusters(), &[]);
    let revision = world.revision();
    let good = object("a", "y", 2, "").to_string();
    let long = format!("{{\"metadata\":{{\"name\":\"{}\"}}}}", "x".repeat(MAX_LINE));
    let cases = [
        (&pods(), "replace", vec![good.clone(), "{\"metadata\":".into()], "line 3: the object cannot be read"),
        (&pods(), "replace", vec![good.clone(), "[]".into()], "line 3: an object is expected"),
        (&pods(), "replace", vec!["{}".into()], "line 2: `metadata` is missing"),
        (&pods(), "replace", vec![r#"{"metadata":{"namespace":"a"}}"#.into()], "line 2: `metadata.name` is missing"),
        (&pods(), "replace", vec![r#"{"metadata":{"name":"n"}}"#.into()], "line 2: `n` has no namespace"),
        (&clusters(), "replace", vec![good.clone()], "line 2: `y` has namespace `a`, but its kind is cluster-scoped"),
        (&pods(), "replace", vec![good.clone(), String::new(), long], "line 4: longer than 8 MiB"),
        (
            &pods(),
            "replace",
            vec![format!("{}1{}", "[".repeat(200), "]".repeat(200))],
            "line 2: the object cannot be read: recursion limit",
        ),
        (&pods(), "delta", vec![put("a", "x", 9, "").to_string(), r#"{"drop":1}"#.into()], "line 3: the change cannot be read"),
        (&pods(), "delta", vec![r#"{"remove":{"name":"n"}}"#.into()], "line 2: `n` has no namespace"),
        (&kind("v1/nodes"), "replace", vec![], "kind v1/nodes is not declared by source `host`"),
    ];
    for (kind, mode, lines, expected) in cases {
        let mut body = String::from_utf8(world.body(kind, mode, &[])).unwrap();
        body.push_str(&lines.join("\n"));
        let error = world.store.sync("host", body.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\nexpected: {expected}");
        assert_eq!(world.names(&pods()), ["a/x@1"]);
    }
    for (body, expected) in
        [("", "line 1: the header is missing"), ("{}", "line 1: the header cannot be read"), ("\n\n{\"session\":1}", "line 3: ")]
    {
        let error = world.store.sync("host", body.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(world.revision(), revision);
    world.declare(vec![pods(), kind("v1/nodes")]).unwrap();
    let error = world.sync(&kind("v1/nodes"), "delta", &[]).unwrap_err().to_string();
    assert!(error.contains("v1/nodes is not loaded: send a `replace`"), "{error}");
}

#[test]
fn half_a_body_is_never_seen() {
    let world = World::new(vec![pods()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    let revision = world.revision();
    let mut half = world.store.sync_body("host");
    half.feed(&world.body(&pods(), "replace", &[object("a", "y", 2, ""), object("a", "z", 2, "")])).unwrap();
    assert_eq!((world.revision(), world.names(&pods())), (revision, vec!["a/x@1".into()]));
    drop(half);
    assert_eq!((world.revision(), world.names(&pods())), (revision, vec!["a/x@1".into()]));
}

#[test]
fn a_change_during_a_replace_does_not_mix_with_it() {
    let world = World::new(vec![pods()]);
    world.replace(&pods(), &[object("a", "x", 1, ""), object("a", "y", 1, "")]);
    let mut slow = world.store.sync_body("host");
    slow.feed(&world.body(&pods(), "replace", &[object("a", "y", 2, "")])).unwrap();
    world.delta(&pods(), &[put("b", "z", 3, ""), remove("a", "y")]);
    slow.finish().unwrap();
    assert_eq!(world.names(&pods()), ["a/y@2"], "the replace is all objects");
    assert_eq!(world.store.load().state.sources["host"].kinds[0].objects, 1);
}

#[test]
fn an_ended_session_is_told_so_even_at_the_last_moment() {
    let mut world = World::new(vec![pods()]);
    let old = world.session.clone();
    let mut late = World { session: old.clone(), store: Store::new(StoreOptions::default()).unwrap() };
    std::mem::swap(&mut late.store, &mut world.store);
    let body = late.body(&pods(), "replace", &[object("a", "x", 1, "")]);
    let mut running = late.store.sync_body("host");
    running.feed(&body).unwrap();
    late.store.declare("host", Declare { instance: "newer".into(), kinds: vec![pods()], ..Declare::default() }).unwrap();
    assert!(matches!(running.finish(), Err(SyncError::SessionEnded { session, .. }) if session == old));
    assert!(matches!(late.store.sync("host", &body), Err(SyncError::SessionEnded { .. })));
    assert!(matches!(late.store.sync("other", &body), Err(SyncError::UnknownSource(name)) if name == "other"));
    assert!(late.names(&pods()).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_a_body_is_cut_it_is_the_same(cuts in prop::collection::vec(0..900usize, 0..8), newline: bool) {
        let world = World::new(vec![pods()]);
        let mut body = world.body(&pods(), "replace", &[object("a", "x", 1, "1"), object("b", "y", 2, "2"), object("b", "ü", 3, "3")]);
        if !newline {
            body.pop();
        }
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let mut sync = world.store.sync_body("host");
        for pair in cuts.windows(2) {
            sync.feed(&body[pair[0]..pair[1]]).unwrap();
        }
        sync.finish().unwrap();
        prop_assert_eq!(world.names(&pods()), ["a/x@1", "b/y@2", "b/ü@3"]);
    }
}

/// What the fleet is after each step: the version that altered it, and the one up to which it has been seen.
#[test]
fn the_fleet_knows_which_version_altered_it_and_how_far_it_was_seen() {
    let mut world = World::new(vec![clusters(), pods()]);
    let cluster = |version, label| object("", "c", version, label);
    let put = |version, label| json!({"put": cluster(version, label)});
    type Step = (&'static str, Vec<Json>, Version, Version, Version);
    type Version = Option<&'static str>;
    let steps: [Step; 10] = [
        ("replace", vec![cluster(5, "x")], Some("10"), Some("10"), Some("10")),
        ("delta", vec![put(11, "x")], Some("11"), Some("10"), Some("11")),
        ("delta", vec![put(12, "y")], Some("12"), Some("12"), Some("12")),
        ("delta", vec![], Some("20"), Some("12"), Some("20")),
        ("delta", vec![], Some("19"), Some("12"), Some("20")),
        ("replace", vec![cluster(12, "y")], Some("30"), Some("12"), Some("30")),
        ("replace", vec![cluster(12, "z")], Some("31"), Some("31"), Some("31")),
        ("replace", vec![cluster(12, "z")], Some("7"), Some("7"), Some("7")),
        ("delta", vec![put(12, "a")], None, None, None),
        ("replace", vec![cluster(12, "a")], Some("40"), Some("40"), Some("40")),
    ];
    for (step, (mode, lines, version, changed, proved)) in steps.into_iter().enumerate() {
        let mut header = json!({"session": world.session, "kind": clusters().gvr.to_string(), "mode": mode});
        if let Some(version) = version {
            header["resourceVersion"] = version.into();
        }
        let body: String = std::iter::once(&header).chain(&lines).map(|line| format!("{line}\n")).collect();
        world.store.sync("host", body.as_bytes()).unwrap();
        let snapshot = world.store.load();
        let (_, _, fleet) = snapshot.state.fleet_of().unwrap();
        let found = (fleet.changed.clone(), fleet.seen.now().proved);
        let text = |version: Option<plimsoll_contract::version::ResourceVersion>| version.map(String::from);
        assert_eq!((text(found.0).as_deref(), text(found.1).as_deref()), (changed, proved), "step {step}");
    }
    assert_eq!(world.store.load().state.seen_fleet(), None, "nobody knows of which cluster");
    let declare =
        |cluster: &str| Declare { kinds: vec![clusters(), pods()], cluster: Some(cluster.into()), ..Declare::default() };
    world.session = world.store.declare("host", declare("one")).unwrap().session;
    assert_eq!(world.store.load().state.seen_fleet(), None, "versions of another cluster are nothing here");
    let header = json!({"session": world.session, "kind": clusters().gvr.to_string(), "mode": "replace", "resourceVersion": "3"});
    world.store.sync("host", format!("{header}\n{}\n", cluster(1, "x")).as_bytes()).unwrap();
    world.store.declare("host", declare("one")).unwrap();
    let seen = world.store.load().state.seen_fleet().unwrap();
    assert_eq!((seen.source.as_str(), seen.cluster.as_str(), seen.changed.as_str()), ("host", "one", "3"));
}
