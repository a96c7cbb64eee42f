//! One configuration, one policy, one request: what Plimsoll logs and what real OPA logs, field by field.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::archive::bundle;
use super::service::Service;
use super::support::{DEADLINE, Engine, opa, plimsoll};

const MASK: &str = "package system.log\n\nmask contains \"/input/password\"\n\nmask contains {\"op\": \"upsert\", \"path\": \"/input/user\", \"value\": \"***\"}\n\ndrop if input.path == \"a/p/dropped\"";
const RULES: &str = "package a.p\n\nallow if input.user == \"bob\"\n\nobject := {\"n\": 1, \"in\": input.user}\n\ndropped := 1";

fn config(service: &Service) -> String {
    let url = &service.url;
    format!(
        "services: {{s: {{url: '{url}'}}}}\nlabels: {{region: eu}}\nbundles: {{main: {{service: s}}}}\ndecision_logs:\n  service: s\n  \
         request_context: {{http: {{headers: [X-Team]}}}}\n  reporting: {{min_delay_seconds: 1, max_delay_seconds: 1}}\n"
    )
}

fn service() -> Service {
    let service = Service::start();
    let manifest = json!({"revision": "r1", "roots": ["a", "system/log"]}).to_string();
    service.offer("/bundles/main", bundle(&[(".manifest", &manifest), ("a/p.rego", RULES), ("log.rego", MASK)]), "e1");
    service
}

/// The same requests to both; the events in order.
async fn events(engine: &Engine, service: &Service) -> Vec<Json> {
    engine.becomes("a/p/dropped", &json!(1)).await;
    let asks = [
        ("POST", "/v1/data/a/p/allow", r#"{"input": {"user": "bob", "password": "hidden", "n": [1, 2]}}"#),
        ("POST", "/v1/data/a/p/none", r#"{"input": {"user": "eve"}}"#),
        ("POST", "/v0/data/a/p/object", r#"{"user": "bob"}"#),
        ("GET", "/v1/data/a/p/object", ""),
        ("POST", "/v1/data/a/p/dropped", "{}"),
        ("POST", "/v1/data/a%2Fb/c%20d", "{}"),
        ("POST", "/v1/query", r#"{"query": "x := data.a.p.dropped"}"#),
    ];
    let mut ids = Vec::new();
    for (method, path, body) in asks {
        let (_, answer) = engine.ask(method, path, body).await.unwrap();
        ids.extend(answer["decision_id"].as_str().map(str::to_owned));
    }
    assert_eq!(ids.len(), 5, "every v1 data answer has an id");
    let wanted = |event: &Json| event["path"] != "a/p/dropped";
    let deadline = Instant::now() + DEADLINE;
    loop {
        let found: Vec<Json> = service.with(|state| state.events.iter().filter(|event| wanted(event)).cloned().collect());
        if found.len() >= 6 {
            assert!(found.iter().any(|event| event["decision_id"] == ids[0].as_str()));
            return found;
        }
        assert!(Instant::now() < deadline, "{found:?}\n{}", engine.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What differs from run to run; and what only we say.
fn settled(mut event: Json) -> Json {
    let fields = event.as_object_mut().unwrap();
    for volatile in ["decision_id", "timestamp", "requested_by", "metrics", "req_id"] {
        let value = fields.insert(volatile.into(), "present".into());
        assert!(value.is_some(), "{volatile} is missing: {fields:?}");
    }
    let labels = fields["labels"].as_object_mut().unwrap();
    assert!(labels.remove("id").is_some() && labels.remove("version").is_some());
    fields.remove("custom");
    // OPA writes its syntax tree out; ours is the text as it was asked.
    if fields.get("query").is_some_and(|query| query == "assign(x, data.a.p.dropped)") {
        fields.insert("query".into(), "x := data.a.p.dropped".into());
    }
    for list in ["erased", "masked"] {
        if let Some(list) = fields.get_mut(list).and_then(Json::as_array_mut) {
            list.sort_by_key(Json::to_string);
        }
    }
    event
}

#[tokio::test]
async fn both_log_the_same() {
    let (theirs, ours) = (service(), service());
    let dir = |service: &Service| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.yaml"), config(service)).unwrap();
        dir
    };
    let ours_engine = plimsoll(dir(&ours), &["--config-file", "config.yaml"]);
    let mine = events(&ours_engine, &ours).await;
    for event in &mine {
        assert_eq!(event["custom"]["plimsoll"]["revision"], 1, "{event}");
        assert!(!event.to_string().contains("hidden"), "{event}");
    }
    let mine: Vec<Json> = mine.into_iter().map(settled).collect();
    let Some(opa_engine) = opa(dir(&theirs), &["--config-file", "config.yaml"]) else { return };
    let real: Vec<Json> = events(&opa_engine, &theirs).await.into_iter().map(settled).collect();
    for (mine, real) in mine.iter().zip(&real) {
        let names = |event: &Json| event.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(mine), names(real), "\n{mine}\n{real}");
        assert_eq!(mine, real);
    }
    let headers = |service: &Service| {
        let upload = service.with(|state| state.requests.iter().find(|(what, _)| what == "POST /logs").cloned()).unwrap();
        ["content-type", "content-encoding"].map(|name| upload.1.get(name).cloned())
    };
    assert_eq!(headers(&ours), headers(&theirs));
}
