//! `serve -b`.

use serde_json::json;

use super::archive::bundle;
use super::support::plimsoll;

const MANIFEST: &str = r#"{"revision": "r1", "roots": ["a", "rules"]}"#;

#[tokio::test]
async fn a_tarball_and_a_directory_are_in_force_until_they_change_for_the_worse() {
    let dir = tempfile::tempdir().unwrap();
    let rule = "package rules\n\nsum := data.a.x + data.b.y";
    let first = bundle(&[(".manifest", MANIFEST), ("a/data.json", r#"{"x": 1}"#), ("rules/p.rego", rule)]);
    std::fs::write(dir.path().join("one.tar.gz"), first).unwrap();
    std::fs::create_dir_all(dir.path().join("two/b")).unwrap();
    std::fs::write(dir.path().join("two/.manifest"), r#"{"roots": ["b"]}"#).unwrap();
    std::fs::write(dir.path().join("two/b/data.yaml"), "y: 2\n").unwrap();
    let engine = plimsoll(dir, &["-b", "one.tar.gz", "-b", "two"]);
    engine.becomes("rules/sum", &json!(3)).await;
    assert_eq!(engine.document("system/bundles/one.tar.gz/manifest/revision").await, json!("r1"));
    // What a bundle owns is written by nobody else; what none owns is.
    let (status, body) = engine.ask("PUT", "/v1/data/a/z", "1").await.unwrap();
    assert_eq!((status, body["message"].as_str()), (400, Some("path a/z is owned by bundle \"one.tar.gz\"")));
    assert_eq!(engine.ask("PUT", "/v1/data/c", "1").await.unwrap().0, 204);
    // A change is seen; one that does not fit is refused with its name, and nothing of it counts.
    let path = engine.dir.path().join("two/b/data.yaml");
    std::fs::write(&path, "y: 20\n").unwrap();
    engine.becomes("rules/sum", &json!(21)).await;
    std::fs::write(engine.dir.path().join("two/.manifest"), r#"{"roots": ["b", "a/sub"]}"#).unwrap();
    std::fs::write(&path, "y: 200\n").unwrap();
    engine.says("detected overlapping roots").await;
    assert!(engine.log().contains("one.tar.gz"), "{}", engine.log());
    assert_eq!(engine.document("rules/sum").await, json!(21));
}

#[tokio::test]
async fn a_path_that_escapes_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.tar.gz"), bundle(&[("../../p.rego", "package p")])).unwrap();
    let engine = plimsoll(dir, &["-b", "bad.tar.gz"]);
    engine.says("`../../p.rego` leads out of the bundle").await;
    let (status, _) = engine.ask("GET", "/health/ready", "").await.unwrap();
    assert_eq!(status, 500, "nothing was ever in force");
}

#[tokio::test]
async fn an_unsupported_key_of_the_configuration_is_an_error_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.yaml");
    std::fs::write(&path, "services: {a: {url: 'http://127.0.0.1:1'}}\nbundles: {b: {polling: {every: 1}}}\n").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "--addr=127.0.0.1:0", "--config-file"])
        .arg(&path)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("bundles.b.polling.every"), "{error}");
}
