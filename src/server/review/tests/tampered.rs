//! Records as somebody may have made them past the webhooks: the sweep and the reviews agree on what becomes of them.

use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, REPLICA_SET_PREFERENCES as KEY, digest};
use serde_json::{Value as Json, json};

use super::federation::{Federation, TENANT, cluster, owned, replica_set, without_annotations};
use crate::decision::mac::KeySource;
use crate::decision::testing::Fixed;
use crate::decision::{Config, Unproven};

/// What somebody may have made of an object's annotations past the webhooks.
fn tampered(digest_of_policy: &str) -> Vec<(&'static str, Json)> {
    let (ours, wish) = (r#"{"clusters":{"e1":{}}}"#, r#"{"clusters":{"mine":{}}}"#);
    let record = |kind: &str, was: Option<&str>, value: &str| {
        let entry = AppliedKey { was: was.map(Into::into), sum: digest(value) };
        let keys = [(KEY.to_owned(), entry)].into();
        Applied { kind: kind.into(), mac: None, policy: digest_of_policy.into(), keys, fleet: None }.encode()
    };
    let marker = |kind: &str| Applied { kind: kind.into(), ..Applied::default() }.encode();
    vec![
        ("none", json!({})),
        ("ours-alone", json!({KEY: ours})),
        ("wish", json!({KEY: wish})),
        ("forged", json!({KEY: wish, APPLIED: record("ReplicaSet", None, wish)})),
        ("forged-copy", json!({KEY: wish, APPLIED: record("Deployment", None, wish)})),
        ("hides-a-wish", json!({KEY: ours, APPLIED: record("ReplicaSet", Some(wish), ours)})),
        ("superseded", json!({KEY: wish, APPLIED: record("ReplicaSet", None, ours)})),
        ("record-alone", json!({APPLIED: record("ReplicaSet", Some(wish), ours)})),
        ("unreadable", json!({KEY: wish, APPLIED: "nonsense"})),
        ("empty", json!({APPLIED: marker("ReplicaSet")})),
        ("empty-copy", json!({APPLIED: marker("Deployment")})),
    ]
}

/// Every tampering x owner x region, as stored objects.
fn tampered_objects(policy: &str) -> Vec<Json> {
    let mut objects = Vec::new();
    for (owner, region) in ["none", "d", "gone"].into_iter().flat_map(|owner| ["eu", "us", "mars"].map(|region| (owner, region)))
    {
        for (name, annotations) in tampered(policy) {
            let mut object = replica_set(region, &annotations);
            let name = format!("{name}.{owner}.{region}");
            (object["metadata"]["name"], object["metadata"]["uid"]) = (json!(name), json!(name));
            if owner != "none" {
                object = owned(object);
                object["metadata"]["ownerReferences"][0]["uid"] = json!(owner);
            }
            objects.push(object);
        }
    }
    objects
}

#[test]
fn what_the_sweep_writes_the_reviews_leave_as_it_is_and_then_nothing_is_left() {
    for (unproven, signs) in
        [Unproven::Keep, Unproven::Release].into_iter().flat_map(|way| [false, true].map(|signs| (way, signs)))
    {
        let record_keys: Option<Arc<dyn KeySource>> = if signs { Some(Arc::new(Fixed::of("k"))) } else { None };
        let mut federation = Federation::with(Config { unproven, record_keys, ..Config::default() });
        let policy = federation.engine.store.load().policies.digest.clone();
        let tampered = tampered_objects(&policy);
        for remembers in [false, true] {
            // Where it remembers, every object was as policy wanted it before somebody tampered with it.
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("e1", "eu"), cluster("u1", "us")]);
            let clean: Vec<Json> = tampered.iter().map(without_annotations).collect();
            let settled = if remembers { federation.repaired(&clean) } else { Vec::new() };
            federation.rows(&settled, 1);
            federation.mirror("fleet.example.com/v1/clusters", &[cluster("u1", "us"), cluster("u2", "us")]);
            let written = federation.repaired(&tampered);
            let left: Vec<_> = federation.rows(&written, 1).into_iter().filter(|row| !row.patch.is_empty()).collect();
            assert!(left.is_empty(), "{unproven:?}, signs: {signs}, remembers: {remembers}: {left:?}");
            federation.rows(&[], 1);
        }
    }
}

#[test]
fn what_a_tenant_writes_is_decided_alike_by_the_reviews_and_by_every_later_sweep() {
    let mut federation = Federation::with(Config { unproven: Unproven::Release, ..Config::default() });
    let policy = federation.engine.store.load().policies.digest.clone();
    let clusters = [cluster("e1", "eu"), cluster("u1", "us")];
    federation.mirror("fleet.example.com/v1/clusters", &clusters);
    let objects = tampered_objects(&policy);
    let created: Vec<Json> = objects.iter().map(|object| federation.write(TENANT, object, None).unwrap()).collect();
    settled(&mut federation, &created, "created");
    // Every object becomes every other one of its region, owners included.
    for step in [7, 29] {
        let turned = objects.iter().cycle().skip(step * 3);
        let change = |(stored, other): (&Json, &Json)| {
            let mut new = other.clone();
            for field in ["name", "uid", "labels"] {
                new["metadata"][field] = stored["metadata"][field].clone();
            }
            federation.write(TENANT, &new, Some(stored)).unwrap()
        };
        let changed: Vec<Json> = created.iter().zip(turned).map(change).collect();
        settled(&mut federation, &changed, &format!("changed by {step}"));
    }
}

/// One resync, and each object has a row, on which nothing is left to write; what policy has an opinion about is so.
fn settled(federation: &mut Federation, stored: &[Json], name: &str) {
    let rows = federation.rows(stored, 1);
    for object in stored {
        let (called, region) = (&object["metadata"]["name"], object["metadata"]["labels"]["region"].as_str());
        let row = rows.iter().find(|row| row.name == *called);
        let row = row.unwrap_or_else(|| panic!("{name}: nobody decides {object}"));
        assert!(row.patch.is_empty() && !row.unproven, "{name}: {called}: {row:?}");
        let placed = object["metadata"]["annotations"][KEY].as_str();
        match region {
            Some("eu") => assert_eq!(placed, Some(r#"{"clusters":{"e1":{}}}"#), "{name}: {called}"),
            Some("us") => assert_eq!(placed, Some(r#"{"clusters":{"u1":{}}}"#), "{name}: {called}"),
            _ => (),
        }
    }
}
