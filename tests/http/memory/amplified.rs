//! JSON that takes many times its text, at every endpoint that reads any.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{PEAK, decides, reviewer, status};
use crate::http::review::{Reviewer, review_v1};
use crate::http::sources::{CLUSTERS, cluster, clusters, declare, sync};
use crate::http::support::{Answer, replica_set};

/// Of each text, about.
const BYTES: usize = 2 << 20;

fn many(one: &str) -> String {
    format!("[{}]", vec![one; BYTES / (one.len() + 1)].join(","))
}

fn shapes() -> Vec<(&'static str, String)> {
    let wide = (0..BYTES / 11).map(|n| format!("\"k{n:06}\":0")).collect::<Vec<_>>().join(",");
    vec![
        ("small objects", many("{\"a\":0}")),
        ("empty arrays", many("[]")),
        ("numbers", many("0")),
        ("chains", many(&format!("{}0{}", "{\"a\":".repeat(90), "}".repeat(90)))),
        ("wide", format!("{{{wide}}}")),
        ("texts", many(&format!("\"{}\"", "x".repeat(100_000)))),
        ("escapes", many(&format!("\"{}\"", "\\u0041".repeat(10_000)))),
    ]
}

/// A review of it, beside its stored version.
async fn review(reviewer: &Reviewer, path: &str, shape: &str) -> Answer {
    let object =
        |text: &str| json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "placed"}, "spec": text});
    let body = review_v1("UPDATE", &object("NEW"), &object("OLD")).to_string();
    reviewer.send(path, body.replace("\"NEW\"", shape).replace("\"OLD\"", "1")).await
}

async fn line(reviewer: &Reviewer, session: &str, shape: &str) -> Answer {
    let engine = &reviewer.engine;
    let header = json!({"session": session, "kind": CLUSTERS, "mode": "replace"});
    let object = cluster("a").to_string().replace("\"eu\"", shape);
    engine.ask("POST", "/plimsoll/v1/sources/fleet/sync", format!("{header}\n{object}\n")).await
}

/// Every endpoint with a body.
async fn endpoints(reviewer: &Reviewer, session: &str, shape: &str) -> Vec<(&'static str, Answer)> {
    let engine = &reviewer.engine;
    let object = replica_set("placed").to_string().replace(":3}", &format!(":{shape}}}"));
    let input = |text: &str| format!("{{\"input\":{text}}}");
    let ask = async |name: &'static str, method: &str, path: &str, body: String| (name, engine.ask(method, path, body).await);
    let data = json!({"modules": {}, "data": {"d/data.json": format!("{{\"d\":{shape}}}")}}).to_string();
    let yaml = engine.client.post(format!("{}/v0/data/x", engine.api)).header("content-type", "application/yaml");
    vec![
        ("mutate", review(reviewer, "/mutate", shape).await),
        ("validate", review(reviewer, "/validate", shape).await),
        ask("v0 decision", "POST", "/v0/data/kubernetes/placement", object.clone()).await,
        ask("v1 decision", "POST", "/v1/data/kubernetes/placement", input(&object)).await,
        ask("v0", "POST", "/v0/data/x", shape.into()).await,
        ask("v1", "POST", "/v1/data/x", input(shape)).await,
        ("yaml", Answer::of(yaml.body(shape.to_owned()).send().await.unwrap()).await),
        ask("index", "POST", "/", shape.into()).await,
        ask("query", "POST", "/v1/query", format!("{{\"query\":\"input == 1\",\"input\":{shape}}}")).await,
        ask("put", "PUT", "/v1/data/big", shape.into()).await,
        ask("patch", "PATCH", "/v1/data", format!("[{{\"op\":\"add\",\"path\":\"/big\",\"value\":{shape}}}]")).await,
        ask("policy set", "PUT", "/plimsoll/v1/policies/p", data).await,
        ask("declare", "PUT", "/plimsoll/v1/sources/other", format!("{{\"kinds\":{shape}}}")).await,
        ("sync", line(reviewer, session, shape).await),
    ]
}

/// Answered, or refused with a code that says why.
fn code(name: &str, answer: &Answer) -> u64 {
    if !["mutate", "validate"].contains(&name) {
        return answer.status.into();
    }
    assert_eq!(answer.status, 200, "a refusal of a review is a verdict: {answer:?}");
    let response = &answer.json()["response"];
    assert_eq!(response["uid"], "705ab4f5-6393-11e8-b7cc-42010a800002");
    response["status"]["code"].as_u64().unwrap_or(200)
}

#[tokio::test]
async fn amplifying_shapes_are_refused_or_answered_within_the_budget() {
    let reviewer = reviewer();
    let session = declare(&reviewer.engine, "fleet", clusters()).await.session;
    let synced = sync(&reviewer.engine, "fleet", &session, CLUSTERS, "replace", &[cluster("a")]).await;
    assert_eq!(synced.status, 200, "{synced:?}");
    let mut codes: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (shape, text) in shapes() {
        for (endpoint, answer) in endpoints(&reviewer, &session, &text).await {
            let code = code(endpoint, &answer);
            assert!([200, 204, 400, 403, 404, 413].contains(&code), "{shape} at {endpoint}: {answer:?}");
            codes.insert((shape, endpoint), code);
        }
        decides(&reviewer, shape).await;
        let answer = reviewer.engine.ask("DELETE", "/v1/data/big", "").await;
        assert!([204, 404].contains(&answer.status), "{answer:?}");
    }
    let peak = status(&reviewer.engine, "VmHWM:");
    assert!(peak <= PEAK, "{} MiB at the peak, answers {codes:#?}", peak >> 20);
    // What is put never is a tree.
    assert_eq!(codes[&("small objects", "put")], 204, "{codes:#?}");
    for endpoint in ["mutate", "validate", "v0 decision", "v1 decision", "patch", "sync", "policy set", "declare"] {
        assert_eq!(codes[&("small objects", endpoint)], 413, "{endpoint}: {codes:#?}");
    }
    for endpoint in ["mutate", "v0 decision", "v1 decision", "put", "patch", "sync", "v0", "v1", "query"] {
        assert_ne!(codes[&("texts", endpoint)], 413, "{endpoint}: {codes:#?}");
    }
    let synced = sync(&reviewer.engine, "fleet", &session, CLUSTERS, "replace", &[cluster("a")]).await;
    assert_eq!(synced.status, 200, "{synced:?}");
}

#[tokio::test]
async fn many_at_once_are_told_to_come_back() {
    let reviewer = reviewer();
    let engine = &reviewer.engine;
    let list = format!("[{}]", vec!["{\"a\":0}"; 8_000].join(","));
    // Each fits; all of them do not.
    let object = replica_set("placed").to_string().replace(":3}", &format!(":{list}}}"));
    let url = format!("{}/v0/data/kubernetes/placement", engine.api);
    let asked: Vec<_> = (0..64).map(|_| tokio::spawn(engine.client.post(&url).body(object.clone()).send())).collect();
    let mut codes = BTreeMap::<u16, usize>::new();
    for answer in asked {
        let answer = Answer::of(answer.await.unwrap().unwrap()).await;
        let later = [429, 503].contains(&answer.status) && answer.header("retry-after") == "1";
        assert!(answer.status == 200 || later, "{answer:?}");
        *codes.entry(answer.status).or_default() += 1;
    }
    assert!(codes[&200] > 0, "{codes:?}");
    decides(&reviewer, "many at once").await;
    let peak = status(engine, "VmHWM:");
    assert!(peak <= PEAK, "{} MiB at the peak: {codes:?}", peak >> 20);
}

#[test]
fn the_shapes_are_json() {
    for (name, text) in shapes() {
        assert!(serde_json::from_str::<Json>(&text).is_ok(), "{name}");
    }
}
