use super::*;

const GOOD: &str = "package kubernetes.placement\n\nannotations[\"a\"] := \"b\" if input.x\n";

fn reasons(store: &Store) -> Vec<String> {
    store.load().not_ready.clone()
}

#[test]
fn t10_each_condition_is_named_and_falls_only_when_it_holds() {
    let options = StoreOptions { require_sources: vec!["host".into()], expect_files: true, ..StoreOptions::default() };
    let store = Store::new(options).unwrap();
    assert_eq!(
        reasons(&store),
        ["the policy directory has not been read yet", "required source `host` is not declared: is its `plimsoll sync` running?",]
    );
    store.policies_unreadable("files", "policies/: no such directory".into());
    assert_eq!(reasons(&store)[0], "policy set `files` cannot be read: policies/: no such directory");
    store.put_policies("files", modules(&[("bad.rego", "package a\n\np := ")])).unwrap_err();
    let refused = &reasons(&store)[0];
    assert!(refused.contains("policy set `files` has never been accepted (2 errors): bad.rego:"), "{refused}");
    store.put_policies("files", Vec::new()).unwrap();

    let optional = Kind { required: false, ..kind("v1/secrets") };
    let unreplicated = Kind { replicate: false, ..kind("v1/nodes") };
    let declare = Declare {
        instance: String::new(),
        kinds: vec![pods(), optional, unreplicated, clusters()],
        policies: true,
        ..Declare::default()
    };
    let session = store.declare("host", declare).unwrap().session;
    assert_eq!(
        reasons(&store),
        [
            "source `host` has not loaded v1/pods yet",
            "source `host` has not loaded cluster.karmada.io/v1alpha1/clusters yet",
            "source `host` has not sent its policies yet",
        ]
    );
    let world = World { store, session: session.clone() };
    world.replace(&pods(), &[]);
    world.replace(&clusters(), &[]);
    assert_eq!(reasons(&world.store), ["source `host` has not sent its policies yet"]);
    world.store.put_policies_of("host", Some(&session), Vec::new()).unwrap();
    assert!(world.store.load().ready(), "{:?}", reasons(&world.store));
}

#[test]
fn a_first_set_that_is_refused_is_waited_for_if_anybody_expects_it() {
    let bad = || modules(&[("bad.rego", "package")]);
    let store = Store::new(StoreOptions::default()).unwrap();
    assert!(store.load().ready(), "nothing was asked for");
    store.put_policies("a", bad()).unwrap_err();
    assert_eq!(reasons(&store).len(), 1, "policies were offered and none is in force");
    store.put_policies("b", Vec::new()).unwrap();
    assert!(store.load().ready(), "{:?}", reasons(&store));

    let options = StoreOptions { require_sources: vec!["c".into()], ..StoreOptions::default() };
    let store = Store::new(options).unwrap();
    store.put_policies("b", Vec::new()).unwrap();
    let declare = Declare { policies: true, ..Declare::default() };
    let session = store.declare("c", declare).unwrap().session;
    assert_eq!(reasons(&store), ["source `c` has not sent its policies yet"]);
    store.put_policies_of("c", Some(&session), bad()).unwrap_err();
    assert!(reasons(&store)[0].contains("policy set `c` has never been accepted"));
    store.put_policies_of("c", Some(&session), Vec::new()).unwrap();
    store.put_policies_of("c", Some(&session), bad()).unwrap_err();
    assert!(store.load().ready(), "the last good set, though empty, is in force");
}

#[test]
fn t02_unarmed_is_ready_and_armed_is_known_by_the_policies_alone() {
    let world = World::new(vec![]);
    let armed = || world.store.status(world.store.now(), &path("kubernetes/placement")).armed;
    world.policies("files", &[]).unwrap();
    assert!(world.store.load().ready() && !armed());
    world.policies("files", &[("helpers.rego", "package lib\n\nx := 1\n")]).unwrap();
    assert!(!armed());
    world.policies("files", &[("p.rego", GOOD)]).unwrap();
    assert!(armed());
    world.policies("files", &[]).unwrap();
    assert!(!armed());
}

#[test]
fn the_status_says_what_there_is_and_what_is_missing() {
    let options = StoreOptions { require_sources: vec!["host".into(), "absent".into()], ..StoreOptions::default() };
    let mut world = World { store: Store::new(options).unwrap(), session: String::new() };
    let targetless = Kind { place: true, required: false, ..kind("example.org/v1/things") };
    world.declare(vec![pods(), targetless]).unwrap();
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.policies("files", &[("p.rego", GOOD)]).unwrap();
    world.policies("files", &[("p.rego", "package")]).unwrap_err();

    let status = world.store.status(world.store.now(), &path("kubernetes/placement"));
    assert!(!status.ready && status.armed);
    assert_eq!(status.placement_path, "kubernetes/placement");
    assert!(status.digest.starts_with("sha256:"), "{}", status.digest);
    let files = &status.policies["files"];
    assert_eq!((files.modules["p.rego"].as_str(), files.errors.len()), ("v1", 1));
    let (host, absent) = (&status.sources["host"], &status.sources["absent"]);
    assert_eq!((host.required, host.declared, absent.required, absent.declared), (true, true, true, false));
    assert_eq!((host.kinds[0].loaded, host.kinds[0].objects, host.kinds[1].loaded), (true, 1, false));
    assert!(host.kinds[0].age_seconds.is_some() && host.kinds[1].age_seconds.is_none());
    for words in
        ["no fleet kind", "example.org/v1/things is not loaded", "things is placed but has no `target`", "policy set `files`"]
    {
        assert!(status.notes.iter().any(|note| note.contains(words)), "{words}: {:?}", status.notes);
    }
}

#[test]
fn a_source_that_nobody_requires_cannot_make_the_engine_unready() {
    let world = World::new(vec![pods(), clusters()]);
    assert!(world.store.load().ready(), "{:?}", reasons(&world.store));
    let declare = Declare { policies: true, kinds: vec![kind("v1/secrets")], ..Declare::default() };
    world.store.declare("guest", declare).unwrap();
    assert!(world.store.load().ready(), "{:?}", reasons(&world.store));
    let notes = world.store.status(world.store.now(), &[]).notes;
    assert!(notes.contains(&"v1/secrets is not loaded; source `guest` is not required".to_owned()), "{notes:?}");
}

#[test]
fn a_policy_that_reads_a_kind_that_is_not_loaded_decides_nothing() {
    let placement = |rest: &str| format!("package fleet.placement\n\nplacement := {{\"clusters\": [{rest}]}}\n");
    let optional = || Kind { required: false, ..kind("v1/secrets") };
    let unreplicated = || Kind { replicate: false, ..kind("v1/nodes") };
    let world = |required: bool, policy: &str| {
        let require_sources = if required { vec!["host".into()] } else { Vec::new() };
        let placement_path = path("fleet/placement");
        let options = StoreOptions { require_sources, placement_path, ..StoreOptions::default() };
        let mut world = World { store: Store::new(options).unwrap(), session: String::new() };
        world.declare(vec![pods(), optional(), unreplicated()]).unwrap();
        world.policies("files", &[("p.rego", policy), ("lib.rego", "package lib\n\nall := data.kubernetes.secrets\n")]).unwrap();
        world
    };
    let table = [
        (placement(""), None),
        (placement("n | some n; data.kubernetes.pods[_][n]"), Some("v1/pods")),
        (placement("n | some n; data.kubernetes.secrets.ns[n]"), Some("v1/secrets")),
        (placement("n | some n; data.lib.all.ns[n]"), Some("v1/secrets")),
        (placement("n | some n; data.kubernetes[input.kind][n]"), Some("v1/pods")),
        (placement("n | some n; data.kubernetes.nodes[n]"), None),
        ("package other\n\nx := data.kubernetes.pods\n".to_owned(), None),
    ];
    for (policy, expected) in &table {
        let mut world = world(false, policy);
        let missing = |world: &World| world.store.load().missing().join("; ");
        assert!(world.store.load().ready());
        assert_eq!(missing(&world).is_empty(), expected.is_none(), "{policy}: {}", missing(&world));
        assert!(missing(&world).contains(expected.unwrap_or_default()), "{policy}: {}", missing(&world));
        world.replace(&pods(), &[]);
        world.replace(&optional(), &[]);
        assert_eq!(missing(&world), "", "{policy}");
        world.declare(vec![pods(), optional(), unreplicated()]).unwrap();
        assert_eq!(missing(&world), "", "what stays loaded is not missing: {policy}");
    }
    // A required source gates by itself what is required, and only what is read of the rest.
    let world = world(true, &table[2].0);
    assert_eq!(world.store.load().not_ready, ["source `host` has not loaded v1/pods yet"]);
    world.replace(&pods(), &[]);
    assert!(world.store.load().ready() && world.store.load().missing()[0].contains("v1/secrets"));
}

#[test]
fn the_clusters_are_read_by_whatever_names_them() {
    let world = World::new(vec![clusters()]);
    assert!(world.store.load().missing().is_empty(), "no policy, no decision");
    world.policies("files", &[("p.rego", GOOD)]).unwrap();
    assert!(world.store.load().missing()[0].contains("clusters of source `host`"), "{:?}", world.store.load().missing());
    world.replace(&clusters(), &[]);
    assert!(world.store.load().missing().is_empty());
}

#[test]
fn a_kind_that_comes_without_an_object_is_news_to_what_reads_it() {
    let world = World::new(vec![pods()]);
    world
        .policies(
            "files",
            &[("p.rego", "package kubernetes.placement\n\nwarnings contains n if some n in data.kubernetes.pods\n")],
        )
        .unwrap();
    let before = world.store.load();
    world.replace(&pods(), &[]);
    assert!(!world.store.load().same_rules(&before), "what could not be decided now can");
}
