//! What one request may cost, and that it costs the others nothing.

use std::time::Duration;

use super::support::{bare, engine, replica_set};

/// Takes far longer than any limit here.
const SLOW: &str = "package kubernetes.placement
annotations[\"example.com/n\"] := count([1 | some i in numbers.range(1, 3000); some j in numbers.range(1, 3000); i * j == 7])
";

#[tokio::test]
async fn bodies_are_bounded() {
    let engine = bare(&[]);
    let large = format!("\"{}\"", "x".repeat(8 << 20));
    for path in ["/v0/data/a", "/v1/data/a"] {
        let answer = engine.ask("POST", path, large.clone()).await;
        assert!(answer.status == 400 && answer.text.contains("request body too large: 8 MiB exceeds"), "{path}: {answer:?}");
    }
    let put = engine.ask("PUT", "/v1/data/a", large).await;
    assert_eq!(put.status, 204, "writes may be larger: {put:?}");
}

#[tokio::test]
async fn depth_is_bounded() {
    let engine = bare(&[]);
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let table =
        [("PUT", "/v1/data/a", deep(10_000)), ("POST", "/v0/data/a", deep(300)), ("POST", "/v1/data/a", input(&deep(300)))];
    for (method, path, body) in table {
        let answer = engine.ask(method, path, body).await;
        assert!(answer.status == 400 && answer.text.contains("nested too deeply"), "{method} {path}: {answer:?}");
    }
    assert_eq!(engine.ask("PUT", "/v1/data/a", deep(60)).await.status, 204);
}

fn input(text: &str) -> String {
    format!(r#"{{"input":{text}}}"#)
}

#[tokio::test]
async fn a_line_of_a_sync_is_bounded() {
    let engine = bare(&[]);
    let declared = super::sources::declare(&engine, "fleet", super::sources::clusters()).await;
    let mut large = super::sources::cluster("a");
    large["spec"]["x"] = "x".repeat(8 << 20).into();
    let session = &declared.session;
    let answer = super::sources::sync(&engine, "fleet", session, super::sources::CLUSTERS, "replace", &[large]).await;
    assert!(answer.status == 400 && answer.text.contains("8 MiB"), "{answer:?}");
}

#[tokio::test]
async fn a_slow_policy_ends_at_its_limit_and_delays_no_health_check() {
    let engine = engine(&[("slow.rego", SLOW)], &["--eval-timeout=1s", "--annotation-keys=example.com/n"]);
    let url = format!("{}/v0/data/kubernetes/placement", engine.api);
    let slow: Vec<_> = (0..8).map(|_| tokio::spawn(engine.client.post(&url).body(replica_set("x").to_string()).send())).collect();
    // Health is answered while every worker is busy; a deadline, not a measurement.
    let health = engine.client.get(format!("{}/health/live", engine.api)).timeout(Duration::from_secs(10));
    assert_eq!(health.send().await.unwrap().status(), 200);
    for answer in slow {
        let status = answer.await.unwrap().unwrap().status().as_u16();
        assert!([500, 503].contains(&status), "{status}: stopped at its limit, or refused after waiting too long");
    }
}
