//! What policy needs not be evaluated for is answered where the request came in: as it would be elsewhere, and counted once.

use plimsoll_contract::annotations::{APPLIED, HOLD, REPLICA_SET_PREFERENCES as KEY};
use proptest::prelude::{Strategy, any};
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use super::federation::{CONTROLLER, Federation, POLICY, SIDECAR, TENANT, owned, replica_set};
use crate::server::review::judge::{Judge, Undecided};

fn review(operation: &str, user: &str, namespace: &str, objects: [Option<&Json>; 2]) -> Json {
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
        "uid": "r", "kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"},
        "resource": {"group": "apps", "version": "v1", "resource": "replicasets"}, "namespace": namespace,
        "operation": operation, "userInfo": {"username": user}, "object": objects[0], "oldObject": objects[1],
    }})
}

/// Where objects have somewhere to run; what may run nowhere is told why, which takes longer.
fn placing() -> Federation {
    let federation = Federation::start();
    federation.policy(&POLICY.replace("{name: {} |", "{name: {\"weight\": 1} |"));
    federation
}

fn object() -> impl Strategy<Value = Json> {
    let note = select(vec![
        json!({}),
        json!({KEY: r#"{"clusters":{"e1":{}}}"#}),
        json!({APPLIED: "nonsense"}),
        json!({HOLD: "true"}),
        json!({"example.com/note": "1"}),
    ]);
    let region = select(vec!["eu", "us", "mars", "closed"]);
    (region, note, any::<[u8; 2]>()).prop_map(|(region, note, [owner, deleted])| {
        let mut object = replica_set(region, &note);
        if owner % 5 == 0 {
            object = owned(object);
        }
        if deleted % 6 == 0 {
            object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        object
    })
}

#[test]
fn random_reviews_are_answered_the_same_both_ways() {
    let federation = placing();
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let operation = select(vec!["CREATE", "UPDATE", "UPDATE", "DELETE"]);
    let user = select(vec![TENANT, SIDECAR, CONTROLLER]);
    let namespace = select(vec!["shop", "shop", "shop", "kube-system", ""]);
    let judge = select(vec![Judge::Mutate, Judge::Validate]);
    let brief = std::cell::Cell::new(0);
    let strategy = (operation, user, namespace, judge, [object(), object()]);
    let checked = runner.run(&strategy, |(operation, user, namespace, judge, [new, old])| {
        let old = (operation != "CREATE").then_some(&old);
        let review = review(operation, user, namespace, [Some(&new).filter(|_| operation != "DELETE"), old]);
        federation.judged(judge, &review);
        brief.set(brief.get() + usize::from(federation.asked(judge, &review, true).is_ok()));
        Ok(())
    });
    checked.unwrap();
    assert!(brief.get() > 300, "{}", brief.get());
}

#[test]
fn a_seen_review_is_counted_once_and_another_one_not_at_all() {
    let federation = placing();
    let counted = || {
        let text = federation.engine.metrics.render(&federation.engine).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("plimsoll_decisions_total"));
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>()
    };
    let create = review("CREATE", TENANT, "shop", [Some(&replica_set("eu", &json!({}))), None]);
    assert_eq!(federation.asked(Judge::Mutate, &create, true), Err(Undecided::Long), "nobody has asked for this");
    assert!(counted().abs() < 0.5);
    let verdict = federation.asked(Judge::Mutate, &create, false).unwrap();
    assert_eq!(federation.asked(Judge::Mutate, &create, true), Ok(verdict));
    assert!((counted() - 2.0).abs() < 0.5);
}
