//! Restarts while the policies do not compile: what `--state-dir` keeps, and when it is used.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::sources::declare;
use super::support::{Engine, bare, eventually, plimsoll};

const GOOD: &str = "package a\n\np := 1\n";
const BAD: &str = "package a\n\np := ";

/// An engine on the same directories as the one before it.
fn engine(dir: &Path, policy: &str) -> Engine {
    let policies = dir.join("policies");
    fs::create_dir_all(&policies).unwrap();
    fs::write(policies.join("a.rego"), policy).unwrap();
    bare(&[&format!("--policies={}", policies.display()), &format!("--state-dir={}", dir.join("state").display())])
}

async fn tell(engine: &Engine, digest: &str) {
    let session = declare(engine, "fleet", json!([])).await.session;
    let word = json!({"session": session, "holder": "other", "policy": digest}).to_string();
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/sources/fleet/leader", word).await.status, 204);
}

async fn not_ready(engine: &Engine, part: &str) {
    eventually("the reason is told", async || {
        let ready = engine.get("/health/ready").await;
        (ready.status == 500 && ready.text.contains(part)).then_some(())
    })
    .await;
}

async fn status(engine: &Engine) -> Json {
    engine.get("/plimsoll/v1/status").await.json()
}

#[tokio::test]
async fn a_restart_with_a_broken_policy_goes_on_with_what_the_leases_holder_has() {
    let dir = tempfile::tempdir().unwrap();
    let first = engine(dir.path(), GOOD);
    eventually("the set is on disk", async || {
        let text = first.get("/metrics").await.text;
        text.contains("plimsoll_last_good_total{result=\"written\"} 1").then_some(())
    })
    .await;
    let digest = status(&first).await["digest"].as_str().unwrap().to_owned();
    drop(first);

    let second = engine(dir.path(), BAD);
    not_ready(&second, "waiting for the Lease holder's digest").await;
    assert_eq!(second.get("/v1/data/a/p").await.status, 500, "not loaded");
    tell(&second, "sha256:00").await;
    not_ready(&second, "differs from what the Lease's holder has in force").await;
    tell(&second, &digest).await;
    eventually("the last good set is in force", async || (second.get("/health/ready").await.status == 200).then_some(())).await;
    assert_eq!(second.get("/v1/data/a/p").await.json(), json!({"result": 1}));
    let status = status(&second).await;
    assert_eq!(status["digest"], digest.as_str());
    assert!(status["notes"].to_string().contains("last good one from disk"), "{status}");
    assert!(status["policies"]["files"]["errors"][0].is_object(), "{status}");

    fs::write(dir.path().join("policies/a.rego"), "package a\n\np := 2\n").unwrap();
    eventually("the mended policy is in force", async || {
        (second.get("/v1/data/a/p").await.json() == json!({"result": 2})).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_state_directory_that_cannot_be_used_ends_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let option = format!("--state-dir={}", file.display());
    let output = plimsoll(&["serve", "--addr=127.0.0.1:0", &option]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("--state-dir") && said.contains("file"), "{said}");
}

#[tokio::test]
async fn a_set_whose_data_cannot_be_read_is_refused_as_one_that_does_not_compile() {
    let engine = bare(&[]);
    let declared = engine.ask("PUT", "/plimsoll/v1/sources/fleet", json!({"kinds": [], "policies": true}).to_string()).await;
    let put = async |session: &Json| {
        let set = json!({"session": session, "modules": {"a.rego": GOOD}, "data": {"a.json": "{"}});
        engine.ask("PUT", "/plimsoll/v1/policies/fleet", set.to_string()).await.status
    };
    assert_eq!(put(&json!("other")).await, 409);
    assert_eq!(status(&engine).await["policies"], json!({}), "nobody else speaks for the source");
    assert_eq!(put(&declared.json()["session"]).await, 400);
    assert!(status(&engine).await["policies"]["fleet"]["errors"][0].is_object());
    not_ready(&engine, "never been accepted (1 errors)").await;
}
