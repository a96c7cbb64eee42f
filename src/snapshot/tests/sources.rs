use super::*;
use crate::state::WriteError;

#[test]
fn t10_an_engine_that_restarts_has_another_epoch_and_forgets_every_session() {
    let world = World::new(vec![pods()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    assert!(world.store.load().ready());
    let declare = || Declare { instance: String::new(), kinds: vec![pods()], ..Declare::default() };

    let options = StoreOptions { require_sources: vec!["host".into()], ..StoreOptions::default() };
    let restarted = Store::new(options).unwrap();
    assert_ne!(world.store.load().epoch, restarted.load().epoch);
    assert!(!restarted.load().ready());
    let body = world.body(&pods(), "delta", &[]);
    assert!(matches!(restarted.sync("host", &body), Err(SyncError::UnknownSource(_))));

    let declared = restarted.declare("host", declare()).unwrap();
    assert_eq!(declared.epoch, restarted.load().epoch.to_string());
    assert!(matches!(restarted.sync("host", &body), Err(SyncError::SessionEnded { .. })));
    assert!(!restarted.load().ready(), "declared is not loaded");
    let loading = World { store: restarted, session: declared.session };
    assert!(loading.sync(&pods(), "delta", &[]).is_err(), "nothing is current before it is loaded");
    loading.replace(&pods(), &[]);
    assert!(loading.store.load().ready());
}

#[test]
fn a_newer_session_keeps_what_is_replicated_as_before() {
    let mut world = World::new(vec![pods(), clusters()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.replace(&clusters(), &[object("", "c", 1, "")]);
    // Only repair differs: nothing is loaded again.
    let suggest = Kind { mode: plimsoll_contract::kind::Mode::Auto, place: true, ..pods() };
    world.declare(vec![suggest.clone(), clusters()]).unwrap();
    assert!(world.store.load().ready());
    assert_eq!((world.names(&pods()), world.names(&clusters())), (vec!["a/x@1".into()], vec!["/c@1".into()]));
    assert_eq!(world.store.load().state.kind(&pods().gvr), Some(&suggest));

    // Pruned differently: what is there is not what was asked for.
    world.declare(vec![Kind { prune: vec!["/spec".into()], ..pods() }, clusters()]).unwrap();
    assert!(!world.store.load().state.sources["host"].kinds[0].loaded);
    assert_eq!((world.data("kubernetes/pods"), world.names(&clusters())), (None, vec!["/c@1".into()]));
}

#[test]
fn t13_a_kind_that_is_no_longer_declared_takes_only_its_own_with_it() {
    let mut world = World::new(vec![pods(), clusters()]);
    world.store.put_data(&path("limits/eu"), json!(3)).unwrap();
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.replace(&clusters(), &[object("", "c", 1, "")]);
    world.declare(vec![clusters()]).unwrap();
    assert_eq!(world.data("kubernetes/pods"), None);
    assert_eq!((world.names(&clusters()), world.data("limits")), (vec!["/c@1".into()], Some(json!({"eu": 3}))));
}

#[test]
fn what_others_wrote_makes_room_for_a_source() {
    let world = Store::new(StoreOptions::default()).unwrap();
    world.put_data(&path("kubernetes/pods"), json!({"a": {"x": {}}})).unwrap();
    let mut world = World { store: world, session: String::new() };
    world.declare(vec![pods()]).unwrap();
    assert_eq!(world.data("kubernetes/pods"), None);
}

#[test]
fn t18_two_kinds_with_one_plural_are_refused_by_both_names_and_the_option() {
    let knative = kind("serving.knative.dev/v1/services");
    let core = kind("v1/services");
    let store = Store::new(StoreOptions::default()).unwrap();
    let declare =
        |name: &str, kinds: Vec<Kind>| store.declare(name, Declare { instance: String::new(), kinds, ..Declare::default() });
    let refused = |error: SyncError, words: &[&str]| {
        let text = error.to_string();
        assert!(matches!(error, SyncError::Invalid(_)) && words.iter().all(|word| text.contains(word)), "{text}");
    };
    let names = ["v1/services", "serving.knative.dev/v1/services", "data.kubernetes.services", "`path`"];
    refused(declare("a", vec![core.clone(), knative.clone()]).unwrap_err(), &names);
    declare("a", vec![core.clone()]).unwrap();
    refused(declare("b", vec![knative.clone()]).unwrap_err(), &names);
    assert!(store.load().state.sources.get("b").is_none());
    declare("b", vec![Kind { path: Some("knative".into()), ..knative }]).unwrap();
    declare("a", vec![core.clone()]).unwrap();

    refused(
        declare("c", vec![Kind { path: Some("other".into()), ..core.clone() }]).unwrap_err(),
        &["declared twice", "`c`", "`a`"],
    );
    let fleet = |name: &str| Kind { fleet: true, ..kind(name) };
    refused(declare("c", vec![fleet("v1/x"), fleet("v1/y")]).unwrap_err(), &["v1/x", "v1/y", "`fleet: true`"]);
    refused(declare("c", vec![Kind { path: Some("a/b".into()), ..kind("v1/x") }]).unwrap_err(), &["v1/x", "`a/b`"]);
    refused(declare("c", vec![Kind { prune: vec!["spec".into()], ..kind("v1/x") }]).unwrap_err(), &["v1/x", "`spec`"]);
}

#[test]
fn only_a_source_writes_where_it_replicates() {
    let world = World::new(vec![pods()]);
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    let revision = world.revision();
    let owned = |result: Result<(), WriteError>, at: &str| match result {
        Err(WriteError::Owned { path, source_name }) => {
            assert_eq!((path.as_str(), source_name.as_str()), ("kubernetes/pods", "host"), "{at}")
        }
        other => panic!("{at}: {other:?}"),
    };
    for at in ["", "kubernetes", "kubernetes/pods", "kubernetes/pods/a", "kubernetes/pods/a/x/metadata"] {
        owned(world.store.put_data(&path(at), json!({})), at);
        owned(world.store.delete_data(&path(at)), at);
        let op = crate::state::PatchOp { op: "add".into(), path: at.into(), value: Some(json!({}).into()) };
        owned(world.store.patch_data(&[], &[op]), at);
    }
    assert_eq!(world.revision(), revision);
    world.store.put_data(&path("kubernetes/podsecurity"), json!({})).unwrap();
    let op = crate::state::PatchOp { op: "add".into(), path: "/other".into(), value: Some(json!({}).into()) };
    world.store.patch_data(&path("kubernetes"), &[op]).unwrap();
}

#[test]
fn a_data_write_that_changes_nothing_publishes_nothing() {
    let world = World::new(vec![]);
    world.store.put_data(&path("a/b"), json!({"c": [1]})).unwrap();
    let revision = world.revision();
    world.store.put_data(&path("a"), json!({"b": {"c": [1]}})).unwrap();
    assert!(world.store.delete_data(&path("a/nope")).is_err());
    assert_eq!(world.revision(), revision);
    world.store.delete_data(&path("a/b")).unwrap();
    assert_eq!((world.revision(), world.data("a")), (revision + 1, Some(json!({}))));
}

#[test]
fn exempt_namespaces_are_names_and_not_without_end() {
    let store = Store::new(StoreOptions::default()).unwrap();
    let declare = |exempt_namespaces: Vec<String>| {
        store.declare("host", Declare { kinds: vec![pods()], exempt_namespaces, ..Declare::default() }).map(drop)
    };
    let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
    declare(names(1_000)).unwrap();
    let kept = |store: &Store| store.load().state.sources["host"].exempt_namespaces.len();
    for (wrong, expected) in
        [(names(1_001), "1001"), (vec!["team=infra".into()], "`team=infra`"), (vec!["x".repeat(1 << 20)], "xxx`")]
    {
        let error = declare(wrong).unwrap_err().to_string();
        assert!(error.contains(expected) && error.len() < 200, "{error}");
        assert_eq!(kept(&store), 1_000, "what is refused changes nothing");
    }
    declare(vec!["a".into(), "a".into()]).unwrap();
    assert_eq!(kept(&store), 1);
}
