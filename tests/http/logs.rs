//! What is logged of requests: one event is one line, whatever they bring; and a decision log that is told to fail, fails.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use super::review::{Reviewer, review_v1};
use super::support::{Engine, eventually, replica_set, start};

/// A line that was never logged, what erases the one before on a terminal, and what turns text around.
const EVIL: &str = "x\n2026-01-01T00:00:00.000000Z  WARN forged: all is well\r\u{1b}[2K\u{9b}1A\u{7f}\u{202e}\u{2066}\u{2028}y";

/// Fails with what the object brings.
const LOUD: &str = "package kubernetes.placement\n\nannotations[input.metadata.name] := input.metadata.annotations.a\n\nannotations[input.metadata.name] := \"other\"\n\nerrors contains input.metadata.name\n";

fn hidden(c: char) -> bool {
    c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c) || c == '\u{2028}'
}

async fn provoke(reviewer: &Reviewer) {
    let mut object = replica_set(EVIL);
    object["metadata"]["annotations"] = json!({"a": EVIL});
    let evil = percent(EVIL);
    reviewer.engine.ask("POST", "/v0/data/kubernetes/placement", object.to_string()).await;
    reviewer.engine.ask("PUT", &format!("/v1/policies/{evil}"), format!("package a\n\np if {EVIL}")).await;
    reviewer.engine.ask("PUT", &format!("/plimsoll/v1/policies/{evil}"), json!({"policies": {EVIL: EVIL}}).to_string()).await;
    reviewer.engine.ask("PUT", &format!("/plimsoll/v1/sources/{evil}"), json!({"kinds": [{"gvr": EVIL}]}).to_string()).await;
    reviewer.engine.ask("POST", "/v1/query", json!({"query": EVIL}).to_string()).await;
    reviewer.ask("/mutate", &review_v1("CREATE", &object, &Json::Null)).await;
    reviewer.ask(&format!("/mutate?timeout={evil}"), &review_v1("CREATE", &object, &Json::Null)).await;
    let mut review = review_v1("CREATE", &object, &Json::Null);
    review["apiVersion"] = EVIL.into();
    reviewer.ask("/mutate", &review).await;
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn whatever_a_request_brings_one_event_is_one_line_of_text() {
    let reviewer = Reviewer::start(&[("loud.rego", LOUD)], &["--log-format=text"]);
    provoke(&reviewer).await;
    let log = reviewer.engine.log();
    assert!(log.contains("WARN forged"), "something of it was logged");
    for line in log.lines() {
        assert!(line.starts_with("20") && line.contains("Z ") && !line.starts_with("2026-01-01T"), "{line:?}");
        assert!(!line.contains(hidden), "{line:?}");
    }
}

#[tokio::test]
async fn and_one_line_of_json() {
    let reviewer = Reviewer::start(&[("loud.rego", LOUD)], &["--log-format=json"]);
    provoke(&reviewer).await;
    let log = reviewer.engine.log();
    assert!(log.contains("WARN forged"), "something of it was logged");
    for line in log.lines() {
        assert!(serde_json::from_str::<Json>(line).is_ok() && !line.contains(hidden), "{line:?}");
    }
}

fn with_a_decision_log(full: &str, path: &str) -> Engine {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("inner")).unwrap();
    let config = format!("decision_logs: {{plugin: file_logger}}\nplugins: {{file_logger: {{path: {path}}}}}\n");
    fs::write(dir.path().join("config.yaml"), config).unwrap();
    start(dir, &["--config-file=config.yaml", &format!("--decision-log-full={full}")])
}

async fn counted(engine: &Engine) -> (f64, f64) {
    let text = engine.get("/metrics").await.text;
    let count = |series: &str| text.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok()).unwrap();
    (count("plimsoll_decision_log_events_total{sink=\"file\"}"), count("plimsoll_decision_log_dropped_total{reason=\"file\"}"))
}

#[tokio::test]
async fn a_decision_log_that_is_told_to_fail_fails_and_comes_back() {
    let engine = with_a_decision_log("fail", "inner/log");
    let (inner, path) = (engine.path().join("inner"), engine.path().join("inner/log"));
    assert_eq!(engine.ask("POST", "/v1/data/a", "{}").await.status, 200);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1, "it is there when the answer is");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_dir_all(&inner).unwrap();
    for path in ["/v1/data/a", "/v0/data/a", "/v1/query?q=1"] {
        let method = if path.contains('?') { "GET" } else { "POST" };
        let answer = engine.ask(method, path, "{}").await;
        assert!(answer.status == 500 && answer.text.contains("could not be logged"), "{path}: {answer:?}");
    }
    assert_eq!(engine.get("/health").await.status, 200);
    fs::create_dir(&inner).unwrap();
    assert_eq!(engine.ask("POST", "/v1/data/a", "{}").await.status, 200);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert_eq!(counted(&engine).await, (2.0, 3.0));
    let full = with_a_decision_log("fail", "/dev/full");
    assert_eq!(full.ask("POST", "/v1/data/a", "{}").await.status, 500, "the disk is full");
}

#[tokio::test]
async fn a_decision_log_that_is_not_told_to_fail_counts() {
    let engine = with_a_decision_log("drop", "/dev/full");
    for _ in 0..7 {
        assert_eq!(engine.ask("POST", "/v1/data/a", "{}").await.status, 200);
    }
    eventually("they are counted", async || (counted(&engine).await == (0.0, 7.0)).then_some(())).await;
}
