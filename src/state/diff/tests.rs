use std::collections::BTreeMap;

use plimsoll_contract::kind::Gvr;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::state::ROOT;
use crate::state::load::{Change, Load};

fn row(namespaced: bool) -> Kind {
    let gvr = Gvr { group: String::new(), version: "v1".into(), resource: "pods".into() };
    Kind { namespaced, ..Kind::new(gvr, "Pod") }
}

/// Content and resourceVersion by name.
type World = BTreeMap<(u8, u8), (u8, u8)>;

fn leaf((content, version): (u8, u8)) -> Leaf {
    Leaf { resource_version: version.to_string().into(), ..Leaf::new(&json!({"v": content})) }
}

fn name(namespaced: bool, (namespace, name): (u8, u8)) -> ObjectName {
    match namespaced {
        true => ObjectName { namespace: namespace.to_string(), name: name.to_string() },
        false => ObjectName { namespace: String::new(), name: format!("{namespace}-{name}") },
    }
}

fn world() -> impl Strategy<Value = World> {
    prop::collection::btree_map((0..3u8, 0..40u8), (0..3u8, 0..2u8), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_changed_objects_are_those_that_differ(old in world(), new in world(), namespaced: bool, by_delta: bool) {
        let row = row(namespaced);
        let mut before = State::default();
        let mut load = Load::new(&row, None);
        old.iter().for_each(|(n, v)| load.put(name(namespaced, *n), leaf(*v)));
        before.tree.swap(&row, load.finish());

        let mut after = before.clone();
        let objects = if by_delta {
            let gone = old.keys().filter(|n| !new.contains_key(n)).map(|n| Change { name: name(namespaced, *n), leaf: None });
            let put = new.iter().map(|(n, v)| Change { name: name(namespaced, *n), leaf: Some(leaf(*v)) });
            old.len().saturating_add_signed(after.tree.apply(&row, gone.chain(put).collect()))
        } else {
            let mut load = Load::new(&row, before.objects_of(&row));
            new.iter().for_each(|(n, v)| load.put(name(namespaced, *n), leaf(*v)));
            after.tree.swap(&row, load.finish())
        };
        prop_assert_eq!(objects, new.len());
        prop_assert_eq!(after.objects(&row).count(), new.len());

        let mut expected: Vec<_> = old.keys().chain(new.keys()).filter(|n| old.get(n) != new.get(n)).map(|n| {
            let same = matches!((old.get(n), new.get(n)), (Some(a), Some(b)) if a.0 == b.0);
            (name(namespaced, *n), new.get(n).map(|v| leaf(*v)), same)
        }).collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        expected.dedup();
        let changed = after.changed_objects(&before, &row).into_iter();
        let changed: Vec<_> = changed.map(|c| (c.name, c.now.map(|leaf| leaf.as_ref().clone()), c.same_json)).collect();
        prop_assert_eq!(changed, expected);

        let (a, b) = (before.tree.get(&[ROOT, "pods"]).unwrap(), after.tree.get(&[ROOT, "pods"]).unwrap());
        let content = |world: &World| world.iter().map(|(n, v)| (*n, v.0)).collect::<Vec<_>>();
        prop_assert_eq!(same_json(a, b), content(&old) == content(&new));
    }
}

#[test]
fn a_kind_that_came_or_went_as_a_whole_is_all_changed() {
    let row = row(true);
    let (none, mut some) = (State::default(), State::default());
    let mut load = Load::new(&row, None);
    load.put(name(true, (1, 2)), leaf((1, 1)));
    some.tree.swap(&row, load.finish());
    let came = some.changed_objects(&none, &row);
    assert_eq!((came.len(), came[0].now.is_some()), (1, true));
    let went = none.changed_objects(&some, &row);
    assert_eq!((went.len(), went[0].now.is_some()), (1, false));
    assert!(none.changed_objects(&none, &row).is_empty());
}
