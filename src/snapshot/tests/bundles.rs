//! Data that comes with sets: whose it is, and that all of it counts or none.

use super::*;
use crate::snapshot::{Bundle, Document, Offer, bundle_set};

fn document(at: &str, value: Json) -> Document {
    Document { path: path(at), value: value.into(), origin: format!("file {at}") }
}

fn bundle(name: &str, roots: &[&str], texts: &[(&str, &str)], documents: Vec<Document>) -> Offer {
    let roots = roots.iter().map(|root| (*root).to_owned()).collect();
    let manifest = json!({"revision": "r"});
    let bundle = Bundle { name: name.into(), revision: "r".into(), roots, manifest, ..Bundle::default() };
    Offer { modules: modules(texts), documents, bundle: Some(bundle) }
}

fn messages(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bundle_owns_its_roots_until_it_goes() {
    let world = World::new(vec![pods()]);
    world.store.put_data(&path("a/old"), json!(1)).unwrap();
    world.store.put_data(&path("c"), json!(1)).unwrap();
    let offer =
        |value: u32| bundle("b", &["a"], &[("p.rego", "package a.p\n\nx := data.a.v")], vec![document("a", json!({"v": value}))]);
    world.store.put_set(&bundle_set("b"), offer(1)).unwrap();
    assert_eq!(world.data("a"), Some(json!({"v": 1})), "what was there before is gone");
    assert_eq!(world.data("system/bundles/b/manifest/revision"), Some(json!("r")));
    for (at, part) in [("a/v", "path a/v is owned by bundle \"b\""), ("a", "owned by bundle"), ("", "document root")] {
        let error = world.store.put_data(&path(at), json!({})).unwrap_err().to_string();
        assert!(error.contains(part), "{at}: {error}");
    }
    world.store.put_data(&path("c"), json!(2)).unwrap();
    let revision = world.revision();
    world.store.put_set(&bundle_set("b"), offer(1)).unwrap();
    assert_eq!(world.revision(), revision, "the same again changes nothing");
    world.store.put_set(&bundle_set("b"), offer(2)).unwrap();
    assert_eq!((world.data("a/v"), world.revision()), (Some(json!(2)), revision + 1));
    assert!(world.store.remove_policies(&bundle_set("b")).unwrap());
    assert_eq!((world.data("a"), world.data("system/bundles/b"), world.data("c")), (None, None, Some(json!(2))));
}

#[test]
fn roots_that_overlap_are_refused_by_name() {
    let mut world = World::new(vec![pods()]);
    world.store.put_set(&bundle_set("one"), bundle("one", &["a/b"], &[], vec![])).unwrap();
    world.store.put_set("files", Offer { documents: vec![document("d/e", json!(1))], ..Offer::default() }).unwrap();
    let table: [(&[&str], &str); 6] = [
        (&["a"], "bundle \"one\" has \"a/b\""),
        (&["a/b/c"], "bundle \"one\""),
        (&[""], "bundle \"one\""),
        (&["kubernetes"], "source `host`"),
        (&["kubernetes/pods/x"], "source `host`"),
        (&["d"], "file d/e"),
    ];
    for (roots, part) in table {
        let errors = world.store.put_set(&bundle_set("two"), bundle("two", roots, &[], vec![])).unwrap_err();
        assert!(messages(&errors).contains(part), "{roots:?}: {errors:?}");
    }
    let errors =
        world.store.put_set("more", Offer { documents: vec![document("a/b/x", json!(1))], ..Offer::default() }).unwrap_err();
    assert!(messages(&errors).contains("owned by bundle \"one\""), "{errors:?}");
    world.store.put_set(&bundle_set("k"), bundle("k", &["kubernetes/clusters"], &[], vec![])).unwrap();
    let error = world.declare(vec![pods(), clusters()]).unwrap_err().to_string();
    assert!(error.contains("bundle \"k\""), "{error}");
}

#[test]
fn a_module_outside_the_roots_is_refused_and_nothing_of_the_bundle_counts() {
    let world = World::new(vec![pods()]);
    let offer = bundle("b", &["a"], &[("p.rego", "package b\n\nx := 1")], vec![document("a", json!({"v": 1}))]);
    let errors = world.store.put_set(&bundle_set("b"), offer).unwrap_err();
    assert!(messages(&errors).contains("do not permit 'package b' in module 'p.rego'"), "{errors:?}");
    let broken = bundle("b", &["a"], &[("p.rego", "package a\n\nx := nothing(1)")], vec![document("a", json!({"v": 1}))]);
    world.store.put_set(&bundle_set("b"), broken).unwrap_err();
    assert_eq!(world.data("a"), None);
    let hidden = bundle("b", &["a"], &[("p.rego", "package a\n\nv := 1")], vec![document("a", json!({"v": 1}))]);
    let errors = world.store.put_set(&bundle_set("b"), hidden).unwrap_err();
    assert!(messages(&errors).contains("conflicting rule for data path a/v"), "{errors:?}");
}

#[test]
fn data_beside_policies_follows_its_files_and_leaves_the_rest_alone() {
    let world = World::new(vec![pods()]);
    let offer = |documents: Vec<Document>| Offer { documents, ..Offer::default() };
    world.store.put_data(&path("a/api"), json!(1)).unwrap();
    world.store.put_set("files", offer(vec![document("a/x", json!(1)), document("b/y", json!(1))])).unwrap();
    world.store.put_set("files", offer(vec![document("a/x", json!(2))])).unwrap();
    assert_eq!((world.data("a"), world.data("b")), (Some(json!({"api": 1, "x": 2})), None));
    let errors = world.store.put_set("files", offer(vec![document("kubernetes/pods/x", json!(1))])).unwrap_err();
    assert!(messages(&errors).contains("source `host`"), "{errors:?}");
    let errors = world.store.put_set("maps", offer(vec![document("a", json!({}))])).unwrap_err();
    assert!(messages(&errors).contains("comes from file a/x"), "{errors:?}");
}

#[test]
fn a_source_does_not_replicate_into_data_of_policies() {
    let mut world = World::new(vec![]);
    let documents = vec![document("kubernetes/pods/x", json!(1))];
    world.store.put_set("files", Offer { documents, ..Offer::default() }).unwrap();
    let error = world.declare(vec![pods()]).unwrap_err().to_string();
    assert!(
        error.contains("into data.kubernetes.pods, where the policy set `files` has data (file kubernetes/pods/x)"),
        "{error}"
    );
    assert_eq!(world.data("kubernetes/pods/x"), Some(json!(1)));
    world.store.put_set("files", Offer::default()).unwrap();
    world.declare(vec![pods()]).unwrap();
}

#[test]
fn an_expected_bundle_is_awaited() {
    let store = Store::new(StoreOptions { expect_bundles: vec!["b".into()], ..StoreOptions::default() }).unwrap();
    assert!(store.load().not_ready[0].contains("bundle `b`"));
    store.policies_unreadable(&bundle_set("b"), "gone".into());
    assert!(store.load().not_ready[0].contains("gone"));
    store.put_set(&bundle_set("b"), bundle("b", &["a"], &[], vec![])).unwrap();
    assert!(store.load().ready());
}

#[test]
fn a_bundle_and_modules_in_its_roots_never_stand_together_unseen() {
    let store = Store::new(StoreOptions { local_bundles: vec!["here".into()], ..StoreOptions::default() }).unwrap();
    store.put_policies("files", modules(&[("f.rego", "package a.b\n\nx := 1")])).unwrap();
    store.put_module("put.rego", "package c\n\nx := 1".into()).unwrap();
    let table = [("a", "'f.rego'"), ("a/b", "'f.rego'"), ("", "'f.rego'"), ("c", "'put.rego'")];
    for (root, module) in table {
        let errors = store.put_set("bundle/far", bundle("far", &[root], &[], Vec::new())).unwrap_err();
        assert!(messages(&errors).contains(module) && messages(&errors).contains("far"), "{root}: {errors:?}");
    }
    store.put_set("bundle/far", bundle("far", &["a/b/c", "d"], &[], Vec::new())).unwrap();
    let inside = modules(&[("f.rego", "package d.e\n\nx := 1")]);
    let errors = store.put_policies("files", inside.clone()).unwrap_err();
    assert!(messages(&errors).contains("root \"d\" has package d.e"), "{errors:?}");
    assert!(store.remove_policies("bundle/far").unwrap());
    store.put_set("bundle/here", bundle("here", &["d"], &[], Vec::new())).unwrap();
    store.put_policies("files", inside).unwrap();
}
