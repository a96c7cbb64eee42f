//! What an operator keeps from others stays kept: no answer, no log line, no error of start-up holds it.

use std::fs;

use super::support::{eventually, plimsoll, start};

const CANARY: &str = "c4n4ry";

/// Every leaf that may be secret is one.
fn config(dir: &std::path::Path) -> String {
    let token = dir.join("token");
    fs::write(&token, format!("{CANARY}-file\n")).unwrap();
    format!(
        "services:
  s:
    url: http://{CANARY}:{CANARY}@127.0.0.1:1/base?sig={CANARY}#{CANARY}
    headers: {{Authorization: Bearer {CANARY}, X-Api-Key: {CANARY}}}
    credentials: {{bearer: {{token: {CANARY}, scheme: {CANARY}}}}}
  t: {{url: 'http://127.0.0.1:1', credentials: {{bearer: {{token_path: {path}}}}}}}
keys:
  k: {{key: {CANARY}, private_key: {CANARY}, algorithm: HS256}}
bundles:
  b: {{service: s, resource: 'b.tgz?token={CANARY}', signing: {{keyid: k}}, polling: {{min_delay_seconds: 1, max_delay_seconds: 1}}}}
  c: {{service: t, polling: {{min_delay_seconds: 1, max_delay_seconds: 1}}}}
decision_logs: {{service: s, console: true, resource: '/logs?code={CANARY}', reporting: {{min_delay_seconds: 1, max_delay_seconds: 1}}}}
status: {{service: t, console: true}}
",
        path = token.display()
    )
}

#[tokio::test]
async fn no_answer_and_no_log_line_has_a_secret() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.yaml"), config(dir.path())).unwrap();
    let file = dir.path().join("config.yaml").display().to_string();
    let engine = start(dir, &["--config-file", &file]);
    engine.ask("POST", "/v1/data/a", "{}").await;
    eventually("it has tried the services", async || {
        let log = engine.log();
        ["decisions could not be sent", "status could not be sent"].iter().all(|part| log.contains(part)).then_some(())
    })
    .await;
    let paths = [
        "/",
        "/v1/config",
        "/v1/config?pretty",
        "/v1/status",
        "/v1/data",
        "/v1/policies",
        "/v1/query?q=data",
        "/v1/query?q=opa.runtime()",
        "/health?bundles&plugins",
        "/health/ready",
        "/metrics",
        "/plimsoll/v1/status",
        "/plimsoll/v1/placements",
    ];
    for path in paths {
        let answer = engine.get(path).await;
        assert!(!answer.text.contains(CANARY), "{path}: {}", answer.text);
    }
    let config = engine.get("/v1/config").await.json();
    assert_eq!(config["result"]["services"]["s"]["headers"]["X-Api-Key"], "[secret]");
    assert_eq!(config["result"]["bundles"]["b"]["resource"], "b.tgz?[secret]");
    let log = engine.log();
    let found = log.lines().find(|line| line.contains(CANARY));
    assert_eq!(found, None);
}

#[test]
fn errors_of_the_configuration_do_not_quote_values() {
    let table = [
        ("services: {s: {url: 'http://s', credentials: {bearer: c4n4ry}}}", "services.s.credentials.bearer"),
        ("services: {s: {url: 'http://s', credentials: c4n4ry}}", "services.s.credentials"),
        ("services: {s: {url: 'http://s', headers: c4n4ry}}", "services.s.headers"),
        ("services: {s: {url: 'c4n4ry://u:c4n4ry@s'}}", "services.s"),
        ("services: {s: {url: 'http://u:c4n4ry@'}}", "services.s"),
        ("services: {s: {url: 'http://s', response_header_timeout_seconds: c4n4ry}}", "response_header_timeout_seconds"),
        ("keys: {k: c4n4ry}", "keys.k"),
        ("keys: {k: {key: c4n4ry, algorithm: RS256}}", "keys.k"),
        ("keys: [c4n4ry]", "keys"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    for (config, part) in table {
        fs::write(&file, config).unwrap();
        let output = plimsoll(&["serve", "--addr=127.0.0.1:0", "--config-file", &file.display().to_string()]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && error.contains(part) && !error.contains(CANARY), "{config}: {error}");
    }
}
