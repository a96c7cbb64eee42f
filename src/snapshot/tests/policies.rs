use super::*;

fn rule(package: &str, body: &str) -> String {
    format!("package {package}\n\n{body}\n")
}

#[test]
fn a_bad_set_leaves_the_last_good_one_in_force() {
    let world = World::new(vec![]);
    world.policies("files", &[("p.rego", &rule("a", "p := 1"))]).unwrap();
    let before = world.store.load();
    let errors = world.policies("files", &[("p.rego", &rule("a", "p := 2")), ("q.rego", &rule("a", "q := "))]).unwrap_err();
    assert!(errors.iter().all(|error| error.location.file == "q.rego" && error.location.row >= 3), "{errors:?}");
    let after = world.store.load();
    assert!(after.ready() && after.same_rules(&before));
    assert_eq!(after.policies.sets["files"].errors, errors);
    assert_eq!(after.document(&path("a/p"), None, &crate::rego::Limits::default()).unwrap(), Some(json!(1).into()));

    // The same refusal again is no news; the good set offered again takes the errors away.
    world.policies("files", &[("p.rego", &rule("a", "p := 2")), ("q.rego", &rule("a", "q := "))]).unwrap_err();
    assert_eq!(world.revision(), after.revision);
    world.policies("files", &[("p.rego", &rule("a", "p := 1"))]).unwrap();
    assert_eq!(world.revision(), after.revision + 1);
    assert!(world.store.load().policies.sets["files"].errors.is_empty());
    assert!(Arc::ptr_eq(&world.store.load().policies.program, &before.policies.program));
}

#[test]
fn an_identical_set_is_no_news() {
    let world = World::new(vec![]);
    let (a, b) = (("a.rego", rule("a", "p := 1")), ("b.rego", rule("b", "p := 1")));
    let revision = world.policies("files", &[(a.0, &a.1), (b.0, &b.1)]).unwrap();
    assert_eq!(world.policies("files", &[(b.0, &b.1), (a.0, &a.1)]).unwrap(), revision);
    assert!(world.store.policies_unreadable("files", "gone".into()), "news");
    let snapshot = world.store.load();
    assert!(snapshot.ready(), "what was read once stays in force");
    assert_eq!((snapshot.revision, snapshot.policies.sets["files"].unreadable.as_deref()), (revision + 1, Some("gone")));
    assert!(!world.store.policies_unreadable("files", "gone".into()), "said before");
    assert_eq!(world.revision(), revision + 1);
    world.policies("files", &[(a.0, &a.1), (b.0, &b.1)]).unwrap();
    assert_eq!(world.store.load().policies.sets["files"].unreadable, None);
}

#[test]
fn sets_are_compiled_together_and_refused_apart() {
    let world = World::new(vec![]);
    world.policies("files", &[("lib.rego", &rule("lib", "double(x) := x * 2"))]).unwrap();
    world.policies("host", &[("p.rego", &rule("p", "x := data.lib.double(2)"))]).unwrap();
    let shown = || world.store.load().document(&path("p/x"), None, &crate::rego::Limits::default()).unwrap();
    assert_eq!(shown(), Some(json!(4).into()));
    // Good alone, bad together: the set that comes second is refused.
    world.policies("files", &[]).unwrap_err();
    assert_eq!(shown(), Some(json!(4).into()));
    world.store.remove_policies("host").unwrap();
    assert!(!world.store.remove_policies("host").unwrap());
    world.policies("files", &[]).unwrap();
    assert_eq!(shown(), None);
}

#[test]
fn two_sets_may_use_one_key() {
    let world = World::new(vec![]);
    world.policies("files", &[("p.rego", &rule("a", "p := 1"))]).unwrap();
    world.policies("host", &[("p.rego", &rule("b", "p := 2")), ("q.rego", "package c\n\np = x { x := 3 }\n")]).unwrap();
    let status = world.store.status(world.store.now(), &[]);
    assert_eq!(status.policies["files"].modules["p.rego"], "v1");
    let host = &status.policies["host"].modules;
    assert_eq!((host["p.rego"].as_str(), host["q.rego"].as_str()), ("v1", "v0"));
    let document = world.store.load().document(&[], None, &crate::rego::Limits::default()).unwrap();
    assert_eq!(document, Some(json!({"a": {"p": 1}, "b": {"p": 2}, "c": {"p": 3}}).into()));
    let accepted = world.store.put_policies("host", modules(&[("q.rego", "package c\n\np = x { x := 3 }\n")])).unwrap();
    assert_eq!(accepted.notes, ["q.rego is read as Rego v0"]);
}

#[test]
fn the_digest_is_that_of_the_texts() {
    let digest = |sets: &[(&str, &str, &str)]| {
        let world = World::new(vec![]);
        for (set, key, text) in sets {
            world.policies(set, &[(key, text)]).unwrap();
        }
        world.store.load().policies.digest.clone()
    };
    let (a, b) = (rule("a", "p := 1"), rule("b", "p := 1"));
    let both = digest(&[("files", "a.rego", &a), ("host", "b.rego", &b)]);
    assert_eq!(both, digest(&[("x", "1.rego", &b), ("y", "2.rego", &a)]));
    assert_ne!(both, digest(&[("files", "a.rego", &a)]));
    assert_ne!(both, digest(&[]));
}

#[test]
fn t11_only_the_holder_of_the_session_sends_a_sources_policies() {
    let store = Store::new(StoreOptions::default()).unwrap();
    let declare = |policies| store.declare("host", Declare { policies, ..Declare::default() }).unwrap().session;
    store.put_policies_of("host", None, Vec::new()).unwrap();
    let (old, new) = (declare(true), declare(true));
    for session in [None, Some(old.as_str())] {
        let error = store.put_policies_of("host", session, Vec::new()).unwrap_err();
        assert!(matches!(error, PolicyError::Session(SyncError::SessionEnded { .. })), "{error}");
    }
    store.put_policies_of("host", Some(&new), Vec::new()).unwrap();
    let error = store.put_policies_of("host", Some(&new), modules(&[("x", "package")])).unwrap_err();
    assert!(matches!(error, PolicyError::Rejected(errors) if errors.len() == 1));
}

#[test]
fn a_rule_and_data_never_share_a_path() {
    let world = World::new(vec![]);
    world.policies("files", &[("p1", "package x.y\n\np := 1\nq contains \"a\"\n")]).unwrap();
    let put = |at: &str, value: Json| world.store.put_data(&path(at), value).map_err(|e| e.to_string());
    let one = |line: u32, of: &str| {
        Err(format!("1 error occurred: p1:{line}: rego_compile_error: conflicting rule for data path {of} found"))
    };
    assert_eq!(put("x/y/p", json!(1)), one(3, "x/y/p"));
    assert_eq!(put("x/y/p/z", json!(1)), one(3, "x/y/p"));
    assert_eq!(put("x/y", json!({"q": 1, "r": 2})), one(4, "x/y/q"));
    assert_eq!(put("", json!({"x": {"y": {"p": 1}}})), one(3, "x/y/p"));
    let both = put("x", json!(3)).unwrap_err();
    assert!(both.starts_with("2 errors occurred:\np1:3: ") && both.contains("\np1:4: "), "{both}");
    assert_eq!(world.data("x"), None, "nothing was written");
    put("x/y/r", json!({"q": 1})).unwrap();

    let conflict = |text: &str| world.policies("more", &[("p2", text)]).unwrap_err();
    for (text, of) in [
        ("package x.y.r\n\nq := 1\n", "x/y/r/q"),
        ("package x.y.r.q\n\nz := 1\n", "x/y/r/q/z"),
        ("package x.y\n\nr[k] := 1 if some k in [1]\n", "x/y/r"),
    ] {
        let errors = conflict(text);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0].code.as_str(), errors[0].location.row), ("rego_compile_error", 3));
        assert_eq!(errors[0].message, format!("conflicting rule for data path {of} found"));
    }
    world.policies("more", &[("p2", "package x.y.r\n\nz := 1\n")]).unwrap();
}

#[test]
fn a_rule_never_stands_where_a_source_replicates() {
    let mut world = World::new(vec![pods()]);
    let errors = world.policies("files", &[("p", "package kubernetes\n\npods := {}\n")]).unwrap_err();
    assert!(errors[0].message.contains("kubernetes/pods") && errors[0].message.contains("source `host`"), "{errors:?}");
    world.policies("files", &[("p", "package kubernetes.clusters.c\n\nx := 1\n")]).unwrap();
    world.declare(vec![clusters()]).unwrap();
    world.replace(&clusters(), &[object("", "d", 1, "")]);
    // The object has no such member: as in OPA both are seen.
    world.delta(&clusters(), &[put("", "c", 1, "")]);
    let mut with = object("", "c", 2, "");
    with["x"] = json!(1);
    let error = world.sync(&clusters(), "delta", &[json!({"put": with})]).unwrap_err().to_string();
    assert!(error.contains("conflicting rule for data path kubernetes/clusters/c/x found"), "{error}");
    world.policies("files", &[("p", "package kubernetes\n\nlist := []\n")]).unwrap();
    let error = world.declare(vec![kind("v1/list")]).unwrap_err().to_string();
    assert!(error.contains("data.kubernetes.list") && error.contains("p:3") && error.contains("`path`"), "{error}");
}

#[test]
fn sets_that_may_contradict_each_other_are_accepted_and_each_module_is_told_of_the_other() {
    let world = World::new(vec![]);
    let accepted = |name: &str, all: &[(&str, &str)]| world.store.put_policies(name, modules(all)).unwrap().warnings;
    let (eu, us) = (rule("a", "p.k := \"eu\" if input.x"), rule("a", "p.k := \"us\" if input.y"));
    assert_eq!(accepted("host", &[("ns/eu/p.rego", &eu)]), []);
    let said = |warnings: Vec<Diagnostic>| -> Vec<(String, String)> {
        for warning in &warnings {
            assert!(warning.code == "eval_conflict_error" && warning.message.contains(&warning.details[0]), "{warning:?}");
        }
        warnings.into_iter().map(|warning| (warning.location.to_string(), warning.message)).collect()
    };
    let other = |place: &str| {
        format!("data.a.p.k may have another value at {place}: where both apply to an object, there is no decision about it")
    };
    let both = accepted("host", &[("ns/eu/p.rego", &eu), ("ns/us/p.rego", &us)]);
    let expected =
        [("ns/eu/p.rego:3:1".to_owned(), other("ns/us/p.rego:3:1")), ("ns/us/p.rego:3:1".to_owned(), other("ns/eu/p.rego:3:1"))];
    assert_eq!(said(both), expected);
    // Of another set with a module of the same name only its own is told.
    assert_eq!(accepted("host", &[("ns/eu/p.rego", &eu)]), []);
    let own = accepted("zone", &[("ns/eu/p.rego", &us)]);
    assert_eq!(said(own), [("ns/eu/p.rego:3:1".to_owned(), other("ns/eu/p.rego:3:1"))]);
}

#[test]
fn only_another_digest_makes_the_policies_new() {
    let options = StoreOptions { letting_go_after: Duration::from_secs(3600), ..StoreOptions::default() };
    let mut world = World { store: Store::new(options).unwrap(), session: String::new() };
    world.declare(vec![pods()]).unwrap();
    let (first, second) = (rule("a", "p := 1"), rule("a", "p := 2"));
    let since = |world: &World| world.store.load().unchanged_since;
    for text in [&first, &second, &first] {
        let before = world.store.now();
        world.policies("files", &[("p.rego", text)]).unwrap();
        let changed = since(&world);
        assert!(changed >= before && world.store.informed().0.grace == Some(Duration::from_secs(3600)));
        // The same again, another set refused, what moves a file, and what the sources say: no news.
        world.policies("files", &[("p.rego", text)]).unwrap();
        world.policies("files", &[("p.rego", "package")]).unwrap_err();
        world.policies("files", &[("q.rego", text)]).unwrap();
        world.replace(&pods(), &[object("a", "x", 1, text)]);
        assert_eq!(since(&world), changed);
    }
    let before = world.store.now();
    assert_eq!(world.store.remove_policies("files"), Ok(true));
    assert!(since(&world) >= before, "no policy at all is another set as well");
}

#[test]
fn nothing_waits_without_a_time_to_wait() {
    let world = World::new(vec![]);
    world.policies("files", &[("p.rego", &rule("a", "p := 1"))]).unwrap();
    assert_eq!((world.store.informed().0.grace, world.store.grace_left(&world.store.load())), (None, Duration::ZERO));
}
