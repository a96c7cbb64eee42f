//! Sources: declare, replace, delta, and what may not be written beside them.

use plimsoll_contract::source::{Declared, Synced};
use serde_json::{Value as Json, json};

use super::support::{Answer, Engine, bare};

/// Declares a source of these kinds.
pub(crate) async fn declare(engine: &Engine, name: &str, kinds: Json) -> Declared {
    let body = json!({"instance": "test", "kinds": kinds}).to_string();
    let answer = engine.ask("PUT", &format!("/plimsoll/v1/sources/{name}"), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_value(answer.json()).unwrap()
}

/// Sends a sync body.
#[expect(clippy::too_many_arguments, reason = "one call says all there is to a sync")]
pub(crate) async fn sync(engine: &Engine, name: &str, session: &str, gvr: &str, mode: &str, lines: &[Json]) -> Answer {
    let header = json!({"session": session, "kind": gvr, "mode": mode});
    let body: String = std::iter::once(&header).chain(lines).map(|line| format!("{line}\n")).collect();
    engine.ask("POST", &format!("/plimsoll/v1/sources/{name}/sync"), body).await
}

pub(crate) fn clusters() -> Json {
    json!([{"gvr": "cluster.karmada.io/v1alpha1/clusters", "kind": "Cluster", "namespaced": false, "fleet": true}])
}

pub(crate) const CLUSTERS: &str = "cluster.karmada.io/v1alpha1/clusters";

pub(crate) fn cluster(name: &str) -> Json {
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": name, "uid": format!("u-{name}"), "resourceVersion": "1"}, "spec": {"region": "eu"},
    })
}

#[tokio::test]
async fn t02_a_required_source_gates_readiness_until_it_is_loaded() {
    let engine = bare(&["--require-source=fleet"]);
    let reasons = async || engine.get("/health/ready").await.text;
    assert!(reasons().await.contains("fleet"));
    let declared = declare(&engine, "fleet", clusters()).await;
    assert!(reasons().await.contains("clusters"), "{}", reasons().await);
    let answer = sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("a"), cluster("b")]).await;
    let synced: Synced = serde_json::from_value(answer.json()).unwrap();
    assert_eq!(synced.epoch, declared.epoch);
    let ready = engine.get("/health/ready").await;
    assert_eq!(ready.status, 200);
    assert!(ready.header("plimsoll-source-ages").starts_with("fleet=0."), "{ready:?}");
    let status = engine.get("/plimsoll/v1/status").await.json();
    assert_eq!((&status["ready"], &status["sources"]["fleet"]["kinds"][0]["objects"]), (&json!(true), &json!(2)));
}

#[tokio::test]
async fn replace_and_delta_make_the_state() {
    let engine = bare(&[]);
    let declared = declare(&engine, "fleet", clusters()).await;
    let early = sync(&engine, "fleet", &declared.session, CLUSTERS, "delta", &[]).await;
    assert_eq!(early.status, 400, "a delta needs a replace before it: {early:?}");
    let names = async || {
        let document = engine.get("/v1/data/kubernetes/clusters").await.json();
        document["result"].as_object().map(|members| members.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("a"), cluster("b")]).await;
    assert_eq!(names().await, ["a", "b"]);
    let changes = [json!({"put": cluster("c")}), json!({"remove": {"name": "a"}})];
    let delta = sync(&engine, "fleet", &declared.session, CLUSTERS, "delta", &changes).await;
    assert_eq!(delta.status, 200, "{delta:?}");
    assert_eq!(names().await, ["b", "c"]);
    let before = delta.json()["revision"].clone();
    let proof = sync(&engine, "fleet", &declared.session, CLUSTERS, "delta", &[]).await;
    assert_eq!(proof.json()["revision"], before, "a proof of freshness publishes nothing");
    sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("d")]).await;
    assert_eq!(names().await, ["d"], "t12: what is not listed is gone");
    let emptied = sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[]).await;
    assert_eq!((emptied.status, emptied.json()["code"].as_str()), (409, Some("fleet_held_back")), "{emptied:?}");
    assert_eq!(emptied.header("retry-after"), "5");
    assert_eq!(names().await, ["d"], "a fleet is not emptied at once");
    let status = engine.get("/plimsoll/v1/status").await.json();
    assert!(status["notes"].to_string().contains("held back"), "{status}");
}

#[tokio::test]
async fn a_bad_line_or_a_broken_body_applies_nothing() {
    let engine = bare(&[]);
    let declared = declare(&engine, "fleet", clusters()).await;
    let good = sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("a")]).await;
    let bad = sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("b"), json!({"no": "name"})]).await;
    assert_eq!(bad.status, 400, "{bad:?}");
    assert!(bad.json()["message"].as_str().unwrap().contains("line 3"), "{bad:?}");
    let header = json!({"session": declared.session, "kind": CLUSTERS, "mode": "replace"});
    let chunks = [Ok(format!("{header}\n{}\n", cluster("c"))), Err(std::io::Error::other("gone"))];
    let body = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let url = format!("{}/plimsoll/v1/sources/fleet/sync", engine.api);
    assert!(engine.client.post(url).body(body).send().await.is_err());
    let document = engine.get("/v1/data/kubernetes/clusters").await;
    assert!(document.json()["result"]["a"].is_object() && document.json()["result"]["c"].is_null());
    assert_eq!(document.header("plimsoll-revision"), good.json()["revision"].to_string());
}

#[tokio::test]
async fn a_newer_declare_ends_the_older_session() {
    let engine = bare(&[]);
    let old = declare(&engine, "fleet", clusters()).await;
    let new = declare(&engine, "fleet", clusters()).await;
    assert_eq!(sync(&engine, "fleet", &old.session, CLUSTERS, "replace", &[]).await.status, 409);
    assert_eq!(sync(&engine, "fleet", &new.session, CLUSTERS, "replace", &[]).await.status, 200);
    assert_eq!(sync(&engine, "other", &new.session, CLUSTERS, "replace", &[]).await.status, 404);
}

#[tokio::test]
async fn a_declaration_is_checked() {
    let engine = bare(&[]);
    let table = [
        ("fleet", r#"{"kinds":[],"kindz":[]}"#, "kindz"),
        ("fleet", "{", "cannot be read"),
        ("a%20b", r#"{"kinds":[]}"#, "name `a b`"),
        ("fleet", r#"{"kinds":[{"gvr":"v1/pods","target":"plimsoll.io/applied"}]}"#, "v1/pods: target: `plimsoll.io/applied`"),
        ("fleet", r#"{"kinds":[{"gvr":"v1/pods","target":"not a key"}]}"#, "v1/pods: target: `not a key`"),
        ("fleet", r#"{"kinds":[{"gvr":"v1/pods","prune":["/spec/x~2"]}]}"#, "v1/pods: prune: `/spec/x~2`"),
    ];
    for (name, body, part) in table {
        let answer = engine.ask("PUT", &format!("/plimsoll/v1/sources/{name}"), body).await;
        assert!(answer.status == 400 && answer.text.contains(part), "{answer:?}");
    }
}

#[tokio::test]
async fn t13_nobody_else_writes_below_a_source() {
    let engine = bare(&[]);
    let declared = declare(&engine, "fleet", clusters()).await;
    sync(&engine, "fleet", &declared.session, CLUSTERS, "replace", &[cluster("a")]).await;
    for (method, path) in [("PUT", "kubernetes/clusters/a"), ("DELETE", "kubernetes/clusters"), ("PUT", "kubernetes")] {
        let answer = engine.ask(method, &format!("/v1/data/{path}"), "{}").await;
        assert!(answer.status == 400 && answer.text.contains("fleet"), "{method} {path}: {answer:?}");
    }
    engine.put_data("kubernetes/other", &json!({})).await;
    assert!(engine.get("/v1/data/kubernetes/clusters/a").await.json()["result"].is_object());
}
