//! Who may ask, and start-up options that would let in too many.

use std::fs;

use super::support::{Engine, bare, eventually, plimsoll, start};

async fn status(engine: &Engine, method: &str, path: &str, token: &str) -> u16 {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = engine.client.request(method, format!("{}{path}", engine.api)).body("{}");
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    request.send().await.unwrap().status().as_u16()
}

fn with_tokens() -> Engine {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("read"), "reader\n").unwrap();
    fs::write(dir.path().join("write"), "writer\n").unwrap();
    let option = |name: &str| format!("--{name}-token-file={}", dir.path().join(name).display());
    let args = [option("read"), option("write"), "--diagnostic-addr=127.0.0.1:0".to_owned()];
    start(dir, &args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[tokio::test]
async fn tokens_tell_readers_from_writers() {
    let engine = with_tokens();
    // Method, path; then what a stranger, a reader and a writer get.
    let table = [
        ("GET", "/health", [200, 200, 200]),
        ("GET", "/health/live", [200, 200, 200]),
        ("GET", "/health/ready", [200, 200, 200]),
        ("GET", "/metrics", [401, 200, 200]),
        ("GET", "/v1/data", [401, 200, 200]),
        ("POST", "/v1/data", [401, 200, 200]),
        ("POST", "/v0/data", [401, 200, 200]),
        ("PUT", "/v1/data/a", [401, 403, 204]),
        ("PATCH", "/v1/data/a", [401, 403, 400]),
        ("DELETE", "/v1/data/a", [401, 403, 204]),
        ("GET", "/plimsoll/v1/status", [401, 200, 200]),
        ("GET", "/plimsoll/v1/placements", [401, 200, 200]),
        ("GET", "/plimsoll/v1/why", [401, 400, 400]),
        ("POST", "/plimsoll/v1/why", [401, 400, 400]),
        ("PUT", "/plimsoll/v1/sources/s", [401, 403, 400]),
        ("DELETE", "/plimsoll/v1/sources/s", [401, 403, 404]),
        ("POST", "/plimsoll/v1/sources/s/sync", [401, 403, 400]),
        ("PUT", "/plimsoll/v1/policies/s", [401, 403, 400]),
        ("POST", "/plimsoll/v1/policies/s/check", [401, 400, 400]),
        ("POST", "/v1/%64ata", [401, 403, 200]),
        ("GET", "/nothing", [401, 404, 404]),
        ("POST", "/nothing", [401, 403, 404]),
    ];
    for (method, path, expected) in table {
        for (token, expected) in ["", "reader", "writer"].into_iter().zip(expected) {
            assert_eq!(status(&engine, method, path, token).await, expected, "{method} {path} as `{token}`");
        }
        assert_eq!(status(&engine, method, path, "wrong").await, expected[0], "{method} {path} with a wrong token");
    }
    let refused = engine.get("/v1/data").await;
    assert_eq!((refused.header("www-authenticate"), &refused.json()["code"]), ("Bearer", &"unauthorized".into()));
    assert!(!engine.log().contains("reader") && !engine.log().contains("writer"), "secrets are not logged");
}

#[tokio::test]
async fn tokens_are_read_again() {
    let engine = with_tokens();
    fs::write(engine.path().join("write"), "writer\nnewer\n").unwrap();
    eventually("the new token is known", async || (status(&engine, "PUT", "/v1/data/a", "newer").await == 204).then_some(()))
        .await;
    assert_eq!(status(&engine, "PUT", "/v1/data/a", "writer").await, 204, "both at once, for rotation");
    fs::write(engine.path().join("write"), "newer\n").unwrap();
    eventually("the old one is not", async || (status(&engine, "PUT", "/v1/data/a", "writer").await == 401).then_some(())).await;
}

#[tokio::test]
async fn the_diagnostic_listener_has_health_and_metrics_only() {
    let engine = with_tokens();
    let diagnostic = engine.diagnostic.clone().unwrap();
    let table = [
        ("/health", 200),
        ("/health/live", 200),
        ("/health/ready", 200),
        ("/metrics", 200),
        ("/v1/data", 404),
        ("/v0/data", 404),
        ("/plimsoll/v1/status", 404),
        ("/plimsoll/v1/placements", 404),
        ("/plimsoll/v1/why", 404),
        ("/mutate", 404),
    ];
    for (path, expected) in table {
        let found = engine.client.get(format!("{diagnostic}{path}")).send().await.unwrap().status();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn t20_bad_options_are_clear_errors_with_exit_code_1() {
    let missing = "/nonexistent/file";
    let table: [(&[&str], &str); 10] = [
        (&["serve", "--polices=x"], "--polices"),
        (&["serve", "--addr=0.0.0.0:0"], "--authentication=off"),
        (&["serve", "--addr=nonsense"], "--addr"),
        (&["serve", "--authentication=token"], "--read-token-file"),
        (&["serve", "--write-token-file=/nonexistent/file"], missing),
        (&["serve", "--review-addr=127.0.0.1:0"], "--review-cert-file"),
        (&["serve", "--addr=127.0.0.1:0", "--tls-cert-file=/nonexistent/file", "--tls-private-key-file=k"], missing),
        (&["serve", "--eval-timeout=5"], "5"),
        (&["serve", "--placement-path=/a"], "/a"),
        (&["frobnicate"], "frobnicate"),
    ];
    for (args, part) in table {
        let output = plimsoll(args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
        assert!(error.contains(part) && !error.contains("panicked"), "{args:?}: {error}");
    }
    for args in [["--help"], ["--version"]] {
        assert_eq!(plimsoll(&args).output().unwrap().status.code(), Some(0), "{args:?}");
    }
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let engine = bare(&[]);
    let address = engine.api.strip_prefix("http://").unwrap();
    let output = plimsoll(&["serve", &format!("--addr={address}")]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains(address), "{error}");
}
