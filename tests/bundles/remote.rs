//! Bundles from a service.

use serde_json::{Value as Json, json};

use super::archive::bundle;
use super::service::Service;
use super::support::{Engine, opa_binary, plimsoll};

const POLLING: &str = "polling: {min_delay_seconds: 0, max_delay_seconds: 1}";

fn of(revision: &str, value: u32) -> Vec<u8> {
    let manifest = json!({ "revision": revision, "roots": ["a"] }).to_string();
    let data = json!({ "x": value }).to_string();
    bundle(&[(".manifest", &manifest), ("a/data.json", &data), ("a/p.rego", "package a.p\n\ndouble := data.a.x * 2")])
}

fn config(service: &Service, more: &str, keys: &Json) -> String {
    let url = &service.url;
    format!(
        "services: {{s: {{url: '{url}'}}}}\nbundles: {{main: {{service: s, {POLLING}{more}}}}}\nkeys: {keys}\nstatus: {{service: s}}\n"
    )
}

fn engine(dir: tempfile::TempDir, config: &str) -> Engine {
    std::fs::write(dir.path().join("config.yaml"), config).unwrap();
    plimsoll(dir, &["--config-file", "config.yaml"])
}

async fn status(engine: &Engine) -> Json {
    engine.ask("GET", "/v1/status", "").await.unwrap().1["result"]["bundles"]["main"].clone()
}

#[tokio::test]
async fn news_are_fetched_once_and_the_last_good_one_survives_bad_ones_and_restarts() {
    let service = Service::start();
    service.offer("/bundles/main", of("r1", 1), "e1");
    let text = config(&service, ", persist: true", &json!({}));
    let engine_1 = engine(tempfile::tempdir().unwrap(), &text);
    engine_1.becomes("a/p/double", &json!(2)).await;
    assert_eq!(status(&engine_1).await["active_revision"], "r1");
    service.offer("/bundles/main", of("r2", 2), "e2");
    engine_1.becomes("a/p/double", &json!(4)).await;
    // A bundle that is broken, one that does not compile, and a server that is away: all leave r2 in force.
    service.offer("/bundles/main", bundle(&[("a/p.rego", "package a.p\n\np if undefined_function(1)")]), "e3");
    engine_1.says("undefined_function").await;
    service.offer("/bundles/main", b"rubbish".to_vec(), "e4");
    engine_1.says("could not read").await;
    service.with(|state| state.away = true);
    engine_1.says("HTTP 503").await;
    assert_eq!(engine_1.document("a/p/double").await, json!(4));
    assert_eq!(status(&engine_1).await["code"], "bundle_error");
    // A new process without a server has it from the disk.
    let dir = engine_1.end();
    let engine_2 = engine(dir, &text);
    engine_2.becomes("a/p/double", &json!(4)).await;
    let known = service.with(|state| {
        state.requests.iter().filter(|(_, headers)| headers.get("if-none-match").is_some_and(|tag| tag == "e1")).count()
    });
    assert!(known > 0, "what is known is not sent again");
    let reports = service.with(|state| state.reports.clone());
    assert!(reports.iter().any(|report| report["bundles"]["main"]["active_revision"] == "r2"), "{reports:?}");
    assert!(reports.iter().all(|report| report["labels"]["id"].is_string() && report["plugins"]["bundle"].is_object()));
}

#[tokio::test]
async fn a_delta_changes_data_and_keeps_modules() {
    let service = Service::start();
    service.offer("/bundles/main", of("r1", 1), "e1");
    let engine = engine(tempfile::tempdir().unwrap(), &config(&service, "", &json!({})));
    engine.becomes("a/p/double", &json!(2)).await;
    let patch = json!({"data": [
        {"op": "replace", "path": "/a/x", "value": 5},
        {"op": "upsert", "path": "/a/new/y", "value": [1]},
        {"op": "upsert", "path": "/a/new/y/-", "value": 2},
    ]});
    let manifest = json!({"revision": "r2", "roots": ["a"]}).to_string();
    service.offer("/bundles/main", bundle(&[(".manifest", &manifest), ("patch.json", &patch.to_string())]), "e2");
    engine.becomes("a/p/double", &json!(10)).await;
    assert_eq!(engine.document("a/new").await, json!({"y": [1, 2]}));
    assert_eq!(status(&engine).await["type"], "delta");
    let patch = json!({"data": [{"op": "remove", "path": "/a/none"}]}).to_string();
    service.offer("/bundles/main", bundle(&[(".manifest", &manifest), ("patch.json", &patch)]), "e3");
    engine.says("document does not exist").await;
    assert_eq!(engine.document("a/p/double").await, json!(10));
}

#[tokio::test]
async fn what_real_opa_signed_is_accepted_and_what_was_tampered_with_is_not() {
    let Some(opa) = opa_binary() else { return };
    let pair = rcgen::KeyPair::generate().unwrap();
    for (algorithm, signing, verifying) in [
        ("HS256", "a-shared-secret".to_owned(), "a-shared-secret".to_owned()),
        ("ES256", pair.serialize_pem(), pair.public_key_pem()),
    ] {
        let work = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(work.path().join("b/a")).unwrap();
        std::fs::write(work.path().join("b/.manifest"), r#"{"revision": "signed", "roots": ["a"]}"#).unwrap();
        std::fs::write(work.path().join("b/a/data.json"), r#"{"x": 3, "f": 1.50, "t": "<é>\u2028", "n": [1e3, null]}"#).unwrap();
        std::fs::write(work.path().join("b/a/p.rego"), "package a.p\n\ndouble := data.a.x * 2\n").unwrap();
        std::fs::write(work.path().join("key"), signing).unwrap();
        let build = std::process::Command::new(&opa)
            .args(["build", "-b", "b", "--signing-key", "key", "--signing-alg", algorithm, "-o", "signed.tar.gz"])
            .current_dir(work.path())
            .output()
            .unwrap();
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        let signed = std::fs::read(work.path().join("signed.tar.gz")).unwrap();
        let service = Service::start();
        service.offer("/bundles/main", signed.clone(), "e1");
        let keys = json!({"global": {"key": verifying, "algorithm": algorithm}});
        let engine = engine(tempfile::tempdir().unwrap(), &config(&service, ", signing: {keyid: global}", &keys));
        engine.becomes("a/p/double", &json!(6)).await;
        assert_eq!(status(&engine).await["active_revision"], "signed");
        service.offer("/bundles/main", tampered(&signed), "e2");
        engine.says("digest mismatch").await;
        service.offer("/bundles/main", of("unsigned", 9), "e3");
        engine.says("missing .signatures.json").await;
        assert_eq!(engine.document("a/p/double").await, json!(6), "{algorithm}: last good in force");
    }
}

/// The same bundle with another value in its data.
fn tampered(tarball: &[u8]) -> Vec<u8> {
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(tarball));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
        let text = if path.ends_with("data.json") { text.replace("1.5", "2.5") } else { text };
        files.push((path, text));
    }
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    bundle(&files)
}
