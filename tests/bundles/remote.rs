//! Bundles from a service.

use serde_json::{Value as Json, json};

use super::archive::bundle;
use super::service::Service;
use super::signed::{tampered, with_a_secret};
use super::support::{Engine, opa_binary, plimsoll};

const POLLING: &str = "polling: {min_delay_seconds: 0, max_delay_seconds: 1}";

fn of(revision: &str, value: u32) -> Vec<u8> {
    let manifest = json!({ "revision": revision, "roots": ["a"] }).to_string();
    let data = json!({ "x": value }).to_string();
    bundle(&[(".manifest", &manifest), ("a/data.json", &data), ("a/p.rego", "package a.p\n\ndouble := data.a.x * 2")])
}

fn config(service: &Service, more: &str, keys: &Json) -> String {
    let url = &service.url;
    format!(
        "services: {{s: {{url: '{url}'}}}}\nbundles: {{main: {{service: s, {POLLING}{more}}}}}\nkeys: {keys}\nstatus: {{service: s}}\n"
    )
}

fn engine(dir: tempfile::TempDir, config: &str) -> Engine {
    std::fs::write(dir.path().join("config.yaml"), config).unwrap();
    plimsoll(dir, &["--config-file", "config.yaml"])
}

/// Waits until the status of the bundle is that: it follows what it tells of.
async fn status_becomes(engine: &Engine, member: &str, expected: &str) {
    let look = async || {
        engine.ask("GET", "/v1/status", "").await.map_or(Json::Null, |(_, body)| body["result"]["bundles"]["main"].clone())
    };
    engine.eventually(&format!("status {member} {expected}"), async || look().await[member] == expected).await;
}

#[tokio::test]
async fn news_are_fetched_once_and_the_last_good_one_survives_bad_ones_and_restarts() {
    let service = Service::start();
    service.offer("/bundles/main", of("r1", 1), "e1");
    let text = config(&service, ", persist: true", &json!({}));
    let engine_1 = engine(tempfile::tempdir().unwrap(), &text);
    engine_1.becomes("a/p/double", &json!(2)).await;
    status_becomes(&engine_1, "active_revision", "r1").await;
    service.offer("/bundles/main", of("r2", 2), "e2");
    engine_1.becomes("a/p/double", &json!(4)).await;
    // A bundle that is broken, one that does not compile, and a server that is away: all leave r2 in force.
    service.offer("/bundles/main", bundle(&[("a/p.rego", "package a.p\n\np if undefined_function(1)")]), "e3");
    engine_1.says("undefined_function").await;
    service.offer("/bundles/main", b"rubbish".to_vec(), "e4");
    engine_1.says("could not read").await;
    service.with(|state| state.away = true);
    engine_1.says("HTTP 503").await;
    assert_eq!(engine_1.document("a/p/double").await, json!(4));
    status_becomes(&engine_1, "code", "bundle_error").await;
    // Of what was wrong before, nothing is said any more.
    let set = async || engine_1.ask("GET", "/plimsoll/v1/status", "").await.unwrap().1["policies"]["bundle/main"].clone();
    let is_told = async || {
        let set = set().await;
        set["errors"].as_array().is_none_or(Vec::is_empty) && set["unreadable"].as_str().is_some_and(|why| why.contains("503"))
    };
    engine_1.eventually("the set tells of the server", is_told).await;
    // A new process without a server has it from the disk.
    let dir = engine_1.end();
    let engine_2 = engine(dir, &text);
    engine_2.becomes("a/p/double", &json!(4)).await;
    let known = service.with(|state| {
        state.requests.iter().filter(|(_, headers)| headers.get("if-none-match").is_some_and(|tag| tag == "e1")).count()
    });
    assert!(known > 0, "what is known is not sent again");
    let reports = service.with(|state| state.reports.clone());
    assert!(reports.iter().any(|report| report["bundles"]["main"]["active_revision"] == "r2"), "{reports:?}");
    assert!(reports.iter().all(|report| report["labels"]["id"].is_string() && report["plugins"]["bundle"].is_object()));
}

#[tokio::test]
async fn a_delta_changes_data_and_keeps_modules() {
    let service = Service::start();
    service.offer("/bundles/main", of("r1", 1), "e1");
    let engine = engine(tempfile::tempdir().unwrap(), &config(&service, "", &json!({})));
    engine.becomes("a/p/double", &json!(2)).await;
    let patch = json!({"data": [
        {"op": "replace", "path": "/a/x", "value": 5},
        {"op": "upsert", "path": "/a/new/y", "value": [1]},
        {"op": "upsert", "path": "/a/new/y/-", "value": 2},
    ]});
    let manifest = json!({"revision": "r2", "roots": ["a"]}).to_string();
    service.offer("/bundles/main", bundle(&[(".manifest", &manifest), ("patch.json", &patch.to_string())]), "e2");
    engine.becomes("a/p/double", &json!(10)).await;
    assert_eq!(engine.document("a/new").await, json!({"y": [1, 2]}));
    status_becomes(&engine, "type", "delta").await;
    let patch = json!({"data": [{"op": "remove", "path": "/a/none"}]}).to_string();
    service.offer("/bundles/main", bundle(&[(".manifest", &manifest), ("patch.json", &patch)]), "e3");
    engine.says("document does not exist").await;
    assert_eq!(engine.document("a/p/double").await, json!(10));
}

#[tokio::test]
async fn a_tampered_bundle_leaves_the_last_good_one_in_force_also_after_a_restart_and_on_disk() {
    let Some(opa) = opa_binary() else { return };
    let good = with_a_secret(&opa, "a-shared-secret");
    let service = Service::start();
    service.offer("/bundles/main", good.clone(), "e1");
    let keys = json!({"global": {"key": "a-shared-secret", "algorithm": "HS256"}});
    let text = config(&service, ", persist: true, signing: {keyid: global}", &keys);
    let first = engine(tempfile::tempdir().unwrap(), &text);
    first.becomes("a/p/double", &json!(6)).await;
    status_becomes(&first, "active_revision", "signed").await;
    service.offer("/bundles/main", tampered(&good), "e2");
    first.says("digest mismatch").await;
    service.offer("/bundles/main", of("unsigned", 9), "e3");
    first.says("missing .signatures.json").await;
    assert_eq!(first.document("a/p/double").await, json!(6), "last good in force");
    // A new process, to which the server offers nothing but the unsigned one: the good one is on the disk.
    let second = engine(first.end(), &text);
    second.becomes("a/p/double", &json!(6)).await;
    second.says("missing .signatures.json").await;
    assert_eq!(second.document("a/p/double").await, json!(6));
    // Nor is the disk trusted.
    let dir = second.end();
    let kept = dir.path().join(".opa/bundles/main/bundle.tar.gz");
    assert_eq!(std::fs::read(&kept).unwrap(), good);
    std::fs::write(&kept, tampered(&good)).unwrap();
    service.with(|state| state.away = true);
    let third = engine(dir, &text);
    third.says("digest mismatch").await;
    third.says("HTTP 503").await;
    assert_eq!(third.document("a/p/double").await, Json::Null);
    assert_eq!(third.ask("GET", "/health?bundles", "").await.unwrap().0, 500);
}

#[tokio::test]
async fn a_server_that_holds_requests_back_is_asked_again_at_once() {
    let service = Service::start();
    service.with(|state| state.long_polling = true);
    service.offer("/bundles/main", of("r1", 1), "e1");
    // Were it not for long polling, the second request came after an hour.
    let url = &service.url;
    let polling = "{min_delay_seconds: 3600, max_delay_seconds: 3600, long_polling_timeout_seconds: 20}";
    let text = format!("services: {{s: {{url: '{url}'}}}}\nbundles: {{main: {{service: s, polling: {polling}}}}}\n");
    let engine = engine(tempfile::tempdir().unwrap(), &text);
    engine.becomes("a/p/double", &json!(2)).await;
    service.offer("/bundles/main", of("r2", 2), "e2");
    engine.becomes("a/p/double", &json!(4)).await;
    let asked = service.with(|state| state.requests.clone());
    let header = |at: usize, name: &str| asked[at].1.get(name).cloned().unwrap_or_default();
    assert_eq!(header(0, "prefer"), "modes=snapshot,delta;wait=20");
    assert_eq!((header(1, "prefer").as_str(), header(1, "if-none-match").as_str()), ("modes=snapshot,delta;wait=20", "e1"));
}
