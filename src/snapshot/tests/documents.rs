use super::*;
use crate::rego::{Limits, Value};
use crate::snapshot::Snapshot;

fn shown(world: &World, at: &str) -> Option<Json> {
    let document = world.store.load().document(&path(at), None, &Limits::default()).unwrap();
    document.map(|document| document.to_json().unwrap())
}

#[test]
fn base_and_virtual_documents_are_one() {
    let world = World::new(vec![clusters()]);
    world
        .policies(
            "files",
            &[("p", "package a.b\n\nn := count(data.kubernetes.clusters)\nf(x) := x\nbig := data.limits.eu > 2\n")],
        )
        .unwrap();
    assert_eq!(shown(&world, "a/b"), Some(json!({})), "a kind that is not loaded is undefined, not empty");
    world.replace(&clusters(), &[object("", "c", 1, "x"), object("", "d", 1, "x")]);
    world.store.put_data(&path("limits"), json!({"eu": 3})).unwrap();
    world.store.put_data(&path("a/c"), json!([1, {"z": 2}])).unwrap();
    assert_eq!(shown(&world, "a"), Some(json!({"b": {"n": 2, "big": true}, "c": [1, {"z": 2}]})));
    assert_eq!(shown(&world, "a/b/n"), Some(json!(2)));
    assert_eq!(shown(&world, "a/c/1/z"), Some(json!(2)));
    assert_eq!(shown(&world, "limits"), Some(json!({"eu": 3})));
    assert_eq!(shown(&world, "kubernetes/clusters/c/metadata/labels/l"), Some(json!("x")));
    for missing in ["nope", "a/b/nope", "a/c/7", "limits/eu/x", "kubernetes/clusters/e"] {
        assert_eq!(shown(&world, missing), None, "{missing}");
    }
    let whole = shown(&world, "").unwrap();
    assert_eq!(whole["a"]["b"], json!({"n": 2, "big": true}));
    assert_eq!(whole["kubernetes"]["clusters"]["d"]["metadata"]["name"], json!("d"));
}

#[test]
fn input_reaches_the_policy() {
    let world = World::new(vec![]);
    world.policies("files", &[("p", "package a\n\nx := input.y\n")]).unwrap();
    let input = Value::from(json!({"y": [1]}));
    let snapshot = world.store.load();
    assert_eq!(snapshot.document(&path("a/x"), Some(&input), &Limits::default()).unwrap(), Some(json!([1]).into()));
    assert_eq!(snapshot.document(&path("a/x"), None, &Limits::default()).unwrap(), None);
}

#[test]
fn a_snapshot_never_changes() {
    let world = World::new(vec![clusters()]);
    world.policies("files", &[("p", "package a\n\nn := count(data.kubernetes.clusters)\n")]).unwrap();
    world.replace(&clusters(), &[object("", "c", 1, "")]);
    let old = world.store.load();
    world.delta(&clusters(), &[put("", "d", 1, "")]);
    world.policies("files", &[("p", "package a\n\nn := 9\n")]).unwrap();
    assert_eq!(old.document(&path("a/n"), None, &Limits::default()).unwrap(), Some(json!(1).into()));
    assert_eq!(shown(&world, "a/n"), Some(json!(9)));
    assert_eq!(old.document(&path("a/n"), None, &Limits::default()).unwrap(), Some(json!(1).into()));
}

#[test]
fn what_is_not_read_and_new_versions_bind_nothing_anew() {
    let world = World::new(vec![clusters(), pods()]);
    world.policies("files", &[("p", "package a\n\nn := count(data.kubernetes.clusters)\n")]).unwrap();
    world.replace(&clusters(), &[object("", "c", 1, "x")]);
    world.replace(&pods(), &[]);
    let first = world.store.load();
    let prepared = first.prepared().unwrap();
    let is_same = |now: &Snapshot| now.basis(&path("a")).version == first.basis(&path("a")).version;
    let same = |expected: bool, what: &str| {
        let now = world.store.load();
        assert_eq!(Arc::ptr_eq(&now.prepared().unwrap(), &prepared), expected, "{what}");
        assert!(is_same(&now), "{what}");
    };
    world.delta(&clusters(), &[put("", "c", 2, "x")]);
    same(true, "only the resourceVersion of what is read");
    let reads_all = first.policies.program.reads() == [Vec::<String>::new()];
    world.delta(&pods(), &[put("a", "x", 1, "")]);
    same(!reads_all, "what is not read");
    world.delta(&clusters(), &[put("", "c", 3, "y")]);
    same(false, "what is inside a cluster, of which the document reads that it is there");
    world.delta(&clusters(), &[put("", "d", 1, "x")]);
    assert!(!is_same(&world.store.load()), "what is read");
    assert_eq!(first.prepared().map(|p| Arc::ptr_eq(&p, &prepared)).ok(), Some(true), "an old snapshot keeps its own");
}

#[test]
fn readers_at_once_bind_once() {
    let world = World::new(vec![clusters()]);
    world.policies("files", &[("p", "package a\n\nn := count(data.kubernetes.clusters)\n")]).unwrap();
    world.replace(&clusters(), &[object("", "c", 1, "x")]);
    let snapshot = world.store.load();
    let bound: Vec<_> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8).map(|_| scope.spawn(|| snapshot.prepared().unwrap())).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert!(bound.iter().all(|one| Arc::ptr_eq(one, &bound[0])));
}

#[test]
fn writers_and_readers_at_once_lose_nothing_and_never_see_half() {
    let world = World::new(vec![clusters()]);
    world.policies("files", &[("p", "package a\n\nsame if data.pair.x == data.pair.y\n")]).unwrap();
    world.replace(&clusters(), &[]);
    world.store.put_data(&path("pair"), json!({"x": 0, "y": 0})).unwrap();
    let start = world.revision();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = &world.store;
            scope.spawn(move || {
                for i in 0..25 {
                    let both = json!({"x": [writer, i], "y": [writer, i]});
                    store.put_data(&path("pair"), both).unwrap();
                    store.put_data(&path(&format!("own/{writer}/{i}")), json!(i)).unwrap();
                }
            });
        }
        for _ in 0..2 {
            let world = &world;
            scope.spawn(move || {
                let mut last = 0;
                for _ in 0..20 {
                    let snapshot = world.store.load();
                    assert!(snapshot.revision >= last);
                    last = snapshot.revision;
                    assert_eq!(snapshot.document(&path("a/same"), None, &Limits::default()).unwrap(), Some(json!(true).into()));
                }
            });
        }
    });
    assert_eq!(world.revision(), start + 200, "every write has its own revision");
    let own = world.data("own").unwrap();
    assert!((0..4).all(|writer| own[writer.to_string()].as_object().unwrap().len() == 25));
}
