//! Two engines of one fleet, of which one lags: it does not undo what the other one wrote, and nobody gains by saying so.

use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, Applied, REPLICA_SET_PREFERENCES as KEY, SeenFleet};
use plimsoll_contract::version::ResourceVersion;
use serde_json::{Value as Json, json};

use super::federation::{Federation, SIDECAR, TENANT, cluster, replica_set, without_annotations};
use crate::decision::Config;
use crate::decision::testing::Fixed;
use crate::snapshot::Freshness;

/// `eu` is one cluster until version 100, then another one.
fn before() -> Vec<Json> {
    vec![cluster("e1", "eu")]
}

fn after() -> Vec<Json> {
    vec![cluster("e2", "eu")]
}

fn federation(version: &str, clusters: &[Json], keys: bool) -> Federation {
    let record_keys = keys.then(|| std::sync::Arc::new(Fixed::of("k")) as _);
    let config = Config { sidecars: [SIDECAR.to_owned()].into(), record_keys, ..Config::default() };
    let federation = Federation::with(config);
    federation.fleet_at(version, clusters);
    federation
}

fn lagging(keys: bool) -> Federation {
    federation("90", &before(), keys)
}

fn ahead(keys: bool) -> Federation {
    federation("100", &after(), keys)
}

fn wish() -> Json {
    without_annotations(&replica_set("eu", &json!({})))
}

fn at(mut object: Json, version: &str) -> Json {
    object["metadata"]["resourceVersion"] = version.into();
    object
}

fn placed_on(object: &Json) -> Vec<String> {
    let text = object["metadata"]["annotations"][KEY].as_str().unwrap_or("{}");
    let preferences: Json = serde_json::from_str(text).unwrap();
    preferences["clusters"].as_object().map(|clusters| clusters.keys().cloned().collect()).unwrap_or_default()
}

fn record(object: &Json) -> Applied {
    Applied::parse(object["metadata"]["annotations"][APPLIED].as_str().unwrap()).unwrap()
}

fn with_record(mut object: Json, change: impl FnOnce(&mut Applied)) -> Json {
    let mut applied = record(&object);
    change(&mut applied);
    object["metadata"]["annotations"][APPLIED] = applied.encode().into();
    object
}

fn seen(changed: &str, cluster: &str) -> Option<SeenFleet> {
    let resource = plimsoll_contract::kind::Gvr::try_from("fleet.example.com/v1/clusters".to_owned()).unwrap();
    Some(SeenFleet {
        source: "host".into(),
        cluster: cluster.into(),
        resource,
        changed: ResourceVersion::parse(changed).unwrap(),
    })
}

fn scaled(mut object: Json) -> Json {
    object["spec"]["replicas"] = 7.into();
    object
}

/// The object as the engine that lags placed it, and as the leader's sidecar repairs it.
fn old_and_repaired(keys: bool) -> (Json, Json) {
    let old = at(lagging(keys).write(TENANT, &wish(), None).unwrap(), "95");
    let better = ahead(keys).write(TENANT, &wish(), None).unwrap();
    assert_eq!((placed_on(&old), placed_on(&better)), (vec!["e1".to_owned()], vec!["e2".to_owned()]));
    assert_eq!(record(&better).fleet, seen("100", "one"));
    (old, better)
}

#[test]
fn what_a_better_informed_engine_repairs_is_not_undone() {
    for keys in [false, true] {
        let (old, repaired) = old_and_repaired(keys);
        let lagging = lagging(keys);
        let stored = lagging.write(SIDECAR, &at(repaired.clone(), "95"), Some(&old)).unwrap();
        assert_eq!(placed_on(&stored), ["e2"], "keys: {keys}");
        // The fleet is seen: now it is this engine's own decision, and the same.
        lagging.fleet_at("101", &after());
        assert_eq!(placed_on(&lagging.write(SIDECAR, &repaired, Some(&old)).unwrap()), ["e2"]);
        lagging.fleet_at("110", &before());
        assert_eq!(placed_on(&lagging.write(SIDECAR, &repaired, Some(&old)).unwrap()), ["e1"], "the fleet is another one by now");
    }
}

#[test]
fn a_mac_is_as_good_as_a_sidecar_and_a_tenants_word_is_not() {
    let (old, repaired) = old_and_repaired(true);
    assert_eq!(placed_on(&lagging(true).write(TENANT, &at(repaired.clone(), "95"), Some(&old)).unwrap()), ["e2"]);
    let (old, repaired_unsigned) = old_and_repaired(false);
    let cases = [
        ("no mac", repaired_unsigned.clone()),
        ("a huge version", with_record(repaired_unsigned.clone(), |record| record.fleet = seen("99999999999999999999", "one"))),
        ("another cluster's mac", with_record(repaired.clone(), |record| record.fleet = seen("100", "two"))),
        ("a changed version", with_record(repaired.clone(), |record| record.fleet = seen("101", "one"))),
        ("an old version", with_record(repaired.clone(), |record| record.fleet = seen("80", "one"))),
    ];
    for (name, forged) in cases {
        for previous in [None, Some(&old)] {
            let stored = lagging(true).write(TENANT, &at(forged.clone(), "95"), previous).unwrap();
            assert_eq!(placed_on(&stored), ["e1"], "{name}, previous: {}", previous.is_some());
            assert_eq!(record(&stored).fleet, seen("90", "one"), "{name}");
        }
    }
}

#[test]
fn what_is_stored_stays_whatever_a_tenant_does_with_it() {
    let stored = at(old_and_repaired(false).1, "120");
    let lagging = lagging(false);
    let kept = lagging.write(TENANT, &scaled(stored.clone()), Some(&stored)).unwrap();
    let undecided = Applied { policy: String::new(), ..record(&stored) };
    assert_eq!((placed_on(&kept), record(&kept)), (vec!["e2".to_owned()], undecided.clone()), "scaled");
    let replaced = lagging.write(TENANT, &scaled(at(wish(), "120")), Some(&stored)).unwrap();
    assert_eq!((placed_on(&replaced), record(&replaced)), (vec!["e2".to_owned()], undecided), "dropped by a PUT");
    let dropped = lagging.write(TENANT, &at(wish(), "120"), Some(&stored)).unwrap();
    assert_eq!((placed_on(&dropped), record(&dropped)), (vec!["e2".to_owned()], record(&stored)), "the wish is the same");
    let mut wished = stored.clone();
    wished["metadata"]["annotations"][KEY] = r#"{"clusters":{"e1":{}}}"#.into();
    let refused = lagging.write(TENANT, &wished, Some(&stored)).unwrap_err();
    assert!(refused.code == 409 && refused.message.contains("version 100 of the fleet"), "{refused:?}");
    let mut held = stored.clone();
    held["metadata"]["annotations"][plimsoll_contract::annotations::HOLD] = "true".into();
    let kept = lagging.write(TENANT, &held, Some(&stored)).unwrap();
    let hold = |object: &Json| object["metadata"]["annotations"][plimsoll_contract::annotations::HOLD].clone();
    assert_eq!((placed_on(&kept), hold(&kept)), (vec!["e2".to_owned()], "true".into()), "a hold is the tenant's own");
}

#[test]
fn an_engine_that_is_out_of_sight_admits_no_new_wish_by_leaving_it_to_others() {
    let stored = at(old_and_repaired(false).1, "120");
    let freshness = Freshness { stale_after: Duration::from_nanos(1), ..Freshness::default() };
    let blind = Federation::believing(freshness, Config::default());
    blind.fleet_at("90", &before());
    let mut relabelled = wish();
    relabelled["metadata"]["labels"]["region"] = "us".into();
    for (name, object) in [("as it is", scaled(stored.clone())), ("by a PUT", scaled(at(wish(), "120"))), ("new", relabelled)] {
        let refused = blind.write(TENANT, &object, Some(&stored)).unwrap_err();
        assert!(refused.code == 503 && refused.message.contains("last proved current"), "{name}: {refused:?}");
    }
}

/// One that policy no longer has an opinion about, in the end: the change came by an engine that could not judge it.
#[test]
fn a_wish_that_nobody_decided_is_not_taken_for_decided() {
    let stored = at(old_and_repaired(false).1, "120");
    let mut other = stored.clone();
    other["metadata"]["labels"]["region"] = "nowhere".into();
    let kept = at(lagging(false).write(TENANT, &other, Some(&stored)).unwrap(), "121");
    assert_eq!(placed_on(&kept), ["e2"]);
    // A new engine that remembers nothing.
    let mut fresh = ahead(false);
    fresh.fleet_at("130", &after());
    let row = fresh.swept(&kept, 1).unwrap();
    assert!(!row.kept && row.patch.get(KEY) == Some(&None), "{row:?}");
}

#[test]
fn a_stored_record_that_is_younger_than_its_object_is_void() {
    let forged = at(with_record(old_and_repaired(false).1, |record| record.fleet = seen("99999999999999999999", "one")), "120");
    let stored = lagging(false).write(TENANT, &scaled(forged.clone()), Some(&forged)).unwrap();
    assert_eq!(placed_on(&stored), ["e1"]);
    let older = at(old_and_repaired(false).1, "99");
    assert_eq!(placed_on(&lagging(false).write(TENANT, &scaled(older.clone()), Some(&older)).unwrap()), ["e1"], "restored");
}

#[test]
fn the_holders_policies_win_and_only_while_it_holds_the_lease() {
    let (here, old) = (lagging(false), at(lagging(false).write(TENANT, &wish(), None).unwrap(), "95"));
    let by_others =
        at(with_record(old_and_repaired(false).1, |record| (record.policy, record.fleet) = ("other".into(), None)), "95");
    assert_eq!(
        placed_on(&here.write(SIDECAR, &by_others, Some(&old)).unwrap()),
        ["e1"],
        "nobody says that they are the holder's"
    );
    for holder in ["", "here"] {
        here.led_by(holder, "other");
        assert_eq!(placed_on(&here.write(SIDECAR, &by_others, Some(&old)).unwrap()), ["e1"], "the holder is `{holder}`");
    }
    here.led_by("there", "other");
    assert_eq!(placed_on(&here.write(SIDECAR, &by_others, Some(&old)).unwrap()), ["e2"]);
    assert_eq!(placed_on(&here.write(TENANT, &by_others, Some(&old)).unwrap()), ["e1"], "a tenant's word");
    assert_eq!(placed_on(&here.write(TENANT, &scaled(by_others.clone()), Some(&by_others)).unwrap()), ["e2"], "as stored");
    here.led_by("there", &record(&old).policy);
    assert_eq!(placed_on(&here.write(SIDECAR, &by_others, Some(&old)).unwrap()), ["e1"], "ours lead");
}

/// Its sidecar died while it held the Lease, and policies changed: the Lease names that one until it is over.
#[test]
fn an_engine_does_not_take_a_former_sidecar_of_its_own_for_another_engines() {
    let (mut here, old) = (lagging(false), at(lagging(false).write(TENANT, &wish(), None).unwrap(), "95"));
    let by_others =
        at(with_record(old_and_repaired(false).1, |record| (record.policy, record.fleet) = ("other".into(), None)), "95");
    for instance in ["second", "third", "third"] {
        here.declared_by(instance);
        for (holder, expected) in [("here", "e1"), (instance, "e1"), ("there", "e2")] {
            here.led_by(holder, "other");
            let stored = here.write(SIDECAR, &by_others, Some(&old)).unwrap();
            assert_eq!(placed_on(&stored), [expected], "the holder is `{holder}`, the sidecar `{instance}`");
            let scaled = here.write(TENANT, &scaled(by_others.clone()), Some(&by_others)).unwrap();
            assert_eq!(placed_on(&scaled), [expected], "as stored, the holder is `{holder}`, the sidecar `{instance}`");
        }
    }
}

#[test]
fn what_was_decided_by_one_that_knows_less_is_to_be_tried_again() {
    let less = lagging(false).write(TENANT, &wish(), None).unwrap();
    let refused = ahead(false).validate(TENANT, &less, None).unwrap_err();
    assert!(refused.code == 409 && refused.message.contains("on version 90 of the fleet, which is at 100"), "{refused:?}");
    let mut foreign = less.clone();
    foreign["metadata"]["annotations"].as_object_mut().unwrap().remove(APPLIED);
    let refused = ahead(false).validate(TENANT, &foreign, None).unwrap_err();
    assert!(refused.code == 403 && refused.message.contains("another webhook"), "{refused:?}");
}

#[test]
fn a_sweep_leaves_alone_what_it_has_not_seen_the_reason_of() {
    let stored = at(old_and_repaired(false).1, "120");
    let mut lagging = lagging(false);
    let row = lagging.swept(&stored, 1).unwrap();
    assert_eq!((row.outcome.name(), row.patch.is_empty()), ("stale", true), "{row:?}");
    lagging.fleet_at("100", &after());
    let row = lagging.swept(&stored, 1).unwrap();
    assert!(row.outcome.name() != "stale" && row.patch.is_empty(), "{row:?}");
    lagging.fleet_at("130", &before());
    assert!(!lagging.swept(&stored, 1).unwrap().patch.is_empty());
    let mut other = super::ahead::lagging(false);
    let forged = with_record(stored, |record| record.fleet = seen("121", "one"));
    assert!(!other.swept(&forged, 1).unwrap().patch.is_empty(), "younger than the object");
}

#[test]
fn where_records_are_signed_a_sweep_believes_no_other() {
    let (signed, unsigned) = (at(old_and_repaired(true).1, "120"), at(old_and_repaired(false).1, "120"));
    assert_eq!(lagging(true).swept(&signed, 1).unwrap().outcome.name(), "stale");
    let row = lagging(true).swept(&unsigned, 1).unwrap();
    assert!(row.outcome.name() != "stale" && !row.patch.is_empty(), "{row:?}");
    let altered = with_record(signed, |record| record.fleet = seen("119", "one"));
    assert!(!lagging(true).swept(&altered, 1).unwrap().patch.is_empty(), "it keeps itself ahead of what is seen");
}
