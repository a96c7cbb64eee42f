//! A decision log in several places at once: each has every event, and the same of it.

use std::fs;

use serde_json::{Value as Json, json};

use super::service::Service;
use super::support::plimsoll;

const POLICY: &str = "package a\n\nallow if input.user == \"bob\"\n\nconflict := input.ns[_]\n\nsecret := {\"n\": input.n}\n";
const LOG: &str = "package system.log\n\nmask contains \"/input/password\"\n\nmask contains \"/result/n\"\n\ndrop if input.path == \"a/dropped\"\n";

fn config(service: &Service) -> String {
    let url = &service.url;
    format!(
        "services: {{s: {{url: '{url}'}}}}\nlabels: {{region: eu}}\ndecision_logs:\n  service: s\n  console: true\n  plugin: file_logger\n  \
         reporting: {{min_delay_seconds: 0, max_delay_seconds: 1}}\n\
         plugins: {{file_logger: {{path: decisions.log}}}}\n"
    )
}

/// What OPA's console adds to an event.
fn without_the_logger(mut line: Json) -> Json {
    let fields = line.as_object_mut().unwrap();
    assert_eq!(fields.remove("msg"), Some(json!("Decision Log")));
    assert_eq!(fields.remove("level"), Some(json!("info")));
    assert_eq!(fields.remove("type"), Some(json!("openpolicyagent.org/decision_logs")));
    assert_eq!(fields.remove("time"), fields.get("timestamp").cloned());
    line
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn without_error(mut event: Json) -> Json {
    event.as_object_mut().unwrap().remove("error");
    event
}

#[tokio::test]
async fn the_console_the_file_and_the_service_have_the_same_events() {
    let service = Service::start();
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("config.yaml", config(&service).as_str()), ("a.rego", POLICY), ("log.rego", LOG)] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let engine = plimsoll(dir, &["--config-file=config.yaml", "--policies=a.rego", "--policies=log.rego"]);
    let asks = [
        ("/v1/data/a/allow", r#"{"input": {"user": "bob", "password": "hidden", "text": "a\nb \u0000 é"}}"#),
        ("/v1/data/a/none", "{}"),
        ("/v1/data/a/secret", r#"{"input": {"n": 7}}"#),
        ("/v1/data/a/conflict", r#"{"input": {"ns": [1, 2]}}"#),
        ("/v1/data/a/dropped", "{}"),
        ("/v1/query", r#"{"query": "x := data.a.allow"}"#),
    ];
    for (path, body) in asks {
        engine.ask("POST", path, body).await.unwrap();
    }
    let sent = service.eventually("5 events", |state| (state.events.len() >= 5).then(|| state.events.clone())).await;
    let dir = engine.end();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let (file, log) = (read("decisions.log"), read("log"));
    let told: Vec<_> = lines(&log).into_iter().filter(|line| line["msg"] == "Decision Log").map(without_the_logger).collect();
    let kept = lines(&file);
    assert_eq!(kept.len(), file.lines().count(), "nothing else is in the file: {file}");
    assert_eq!(sent, kept);
    // OPA's console has errors as text.
    let without_errors = |events: &[Json]| events.iter().cloned().map(without_error).collect::<Vec<_>>();
    assert_eq!(without_errors(&told), without_errors(&kept));
    let conflict = "rule data.a.conflict produced conflicting values:\n  1 at a.rego:5\n  2 at a.rego:5";
    assert_eq!(told[3]["error"], format!("a.rego:5: eval_conflict_error: {conflict}"));
    let paths: Vec<_> = kept.iter().map(|event| event["path"].as_str().unwrap_or_default()).collect();
    assert_eq!(paths, ["a/allow", "a/none", "a/secret", "a/conflict", ""]);
    assert_eq!(kept[0]["erased"], json!(["/input/password"]), "{}", kept[0]);
    assert!(kept[3]["error"].is_object() && !log.contains("hidden") && !file.contains("hidden"), "{file}\n{log}");
}
