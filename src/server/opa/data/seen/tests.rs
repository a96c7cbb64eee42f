//! What is answered where it came in is, byte for byte, what is answered elsewhere.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::budget::Budget;
use crate::decision::Config;
use crate::decision::testing::Fixed;
use crate::placements::Reconciler;
use crate::rego::Module;
use crate::server::Settings;
use crate::server::auth::Authentication;
use crate::server::opa::data::answer::Api;
use crate::server::opa::data::body;
use crate::server::opa::data::explain::Explain;
use crate::server::opa::data::query::evaluate;
use crate::snapshot::{Store, StoreOptions};

const POLICY: &str = r#"
package kubernetes.placement

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": {}} if input.spec.place == true

errors contains "closed" if input.metadata.labels.region == "closed"

warnings contains sprintf("%v", [input.spec.shown])
"#;

fn engine(config: Config) -> Engine {
    let store = Arc::new(Store::new(StoreOptions::default()).unwrap());
    store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
    let table = Arc::clone(Reconciler::new(Arc::clone(&store.load().epoch), Arc::new(config.clone())).table());
    let budget = Arc::new(Budget::new(None));
    Engine::start((store, table), config, Authentication::Off, Settings::default(), budget).unwrap()
}

fn query(engine: &Engine, body: &str) -> Query {
    let (path, input) = (engine.config.placement_path.clone(), Some(bytes::Bytes::copy_from_slice(body.as_bytes())));
    Query { path, input, api: Api::V0, decides: true, explain: Explain::default(), labels: false }
}

fn object(labels: &Json, spec: &str) -> String {
    let object = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": "HERE",
        "metadata": {"name": "a", "namespace": "shop", "uid": "u", "labels": labels}});
    object.to_string().replace("\"HERE\"", spec)
}

/// With the spec of an object that is answered at once, in both ways, after it was evaluated.
#[test]
fn answers_are_the_same_at_once_and_after_all() {
    let specs = [
        (r#"{"place": true, "shown": [1, "ü"], "more": {"b": [1]}}"#, true),
        (r#"{"place": true, "place": false, "shown": null}"#, true),
        (r#"{"place": false}"#, true),
        (r#"{"place": 1, "shown": 1.50, "other": 1e2}"#, true),
        (r#"{"more": 0.1}"#, true),
        (r#"[]"#, true),
        (r#"{"more": 18446744073709551616}"#, false),
        (r#"{"more": "\ud800"}"#, false),
        (r#"{"more": 01}"#, false),
        (r#"{"place": true"#, false),
    ];
    for config in [Config::default(), Config { record_keys: Some(Arc::new(Fixed::of("k"))), ..Config::default() }] {
        let engine = engine(config);
        for (labels, (spec, is_seen)) in
            [json!({}), json!({"region": "closed"})].into_iter().flat_map(|labels| specs.map(|spec| (labels.clone(), spec)))
        {
            let query = query(&engine, &object(&labels, spec));
            let answered = |found: &Found| body::v0(found, &query.path, false).unwrap();
            let evaluated = evaluate(&engine, &query, false);
            let seen = seen(&engine, &query, usize::MAX);
            assert_eq!((evaluated.is_ok(), seen.is_some()), (is_seen, is_seen), "{spec}");
            if let (Ok(evaluated), Some(seen)) = (evaluated, seen) {
                assert_eq!(answered(&seen), answered(&evaluated), "{spec}");
            }
        }
    }
}

#[test]
fn only_what_is_stored_or_unusual_is_read_as_a_whole() {
    let engine = engine(Config::default());
    let is_skimmed = |body: &str| {
        let query = query(&engine, body);
        evaluate(&engine, &query, false).unwrap();
        skimmed(&engine, &engine.store.load(), &query).is_some()
    };
    assert!(is_skimmed(&object(&json!({}), r#"{"place": true}"#)));
    assert!(!is_skimmed(&object(&json!({}), r#"{"place": 0.5}"#)));
    assert!(!is_skimmed(r#"{"kind": "ReplicaSet", "metadata": {}}"#), "no object to place");
}
