//! Folders of manifests, and what is made of them.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::super::plugin::WebhookAdmission;
use super::*;

const VALIDATING: &str = "ValidatingWebhookConfiguration";

/// A configuration with one webhook of each of these names.
fn configuration(kind: &str, name: &str, hooks: &[&str]) -> Json {
    let hooks = hooks.iter().map(|hook| {
        json!({
            "name": format!("{hook}.example.com"), "clientConfig": {"url": "https://127.0.0.1:1/"}, "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        })
    });
    let api_version = format!("{}/{}", API.0, API.1);
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "webhooks": hooks.collect::<Vec<_>>()})
}

fn validating(name: &str) -> Json {
    configuration(VALIDATING, name, &["a"])
}

fn with(name: &str, pointer: &str, value: Json) -> Json {
    let mut object = validating(name);
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(field.to_owned(), value);
    object
}

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn load(folder: &Path) -> Result<Manifests, ManifestError> {
    let validating = WebhookAdmission { static_manifests_dir: Some(folder.into()), ..WebhookAdmission::default() };
    load_all(&Stages { validating, ..Stages::default() })
}

fn load_all(stages: &Stages) -> Result<Manifests, ManifestError> {
    let metrics = Metrics::register(&prometheus::Registry::new()).unwrap();
    Manifests::load(stages, &Registry::built_in().unwrap(), "me", metrics)
}

/// The webhooks that are in force, by what tells them from all others.
fn uids(manifests: &Manifests) -> Vec<String> {
    manifests.now().validating.iter().map(|hook| hook.uid.clone()).collect()
}

#[test]
fn every_form_is_read_and_webhooks_stand_in_the_order_of_their_configurations() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [validating("e.static.k8s.io")]});
    let mut untyped = validating("b.static.k8s.io");
    untyped.as_object_mut().unwrap().retain(|field, _| field != "kind" && field != "apiVersion");
    let typed = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfigurationList", "metadata": {}, "items": [untyped]
    });
    let several = format!("# ours\n---\n{}\n---\n---\n{list}\n", validating("d.static.k8s.io"));
    let folder = folder(&[
        ("1.yaml", several),
        ("2.json", typed.to_string()),
        ("3.yml", configuration(VALIDATING, "c.static.k8s.io", &["z", "a"]).to_string()),
        ("readme.md", "not one of them".into()),
    ]);
    let manifests = load(folder.path()).unwrap();
    let expected = ["b/a:0", "c/z:0", "c/a:0", "d/a:0", "e/a:0"].map(|short| {
        let (name, rest) = short.split_once('/').unwrap();
        let (hook, ordinal) = rest.split_once(':').unwrap();
        format!("manifest/{name}.static.k8s.io/{hook}.example.com/{ordinal}")
    });
    assert_eq!(uids(&manifests), expected);
    let hooks = manifests.now();
    assert!(hooks.mutating.is_empty() && hooks.external.is_empty());
    assert_eq!(hooks.validating[0].spec.timeout_seconds, 10, "with the defaults of the API");
}

#[test]
fn the_first_document_that_cannot_be_used_is_named() {
    let good = validating("good.static.k8s.io").to_string();
    let list = |items: Json| json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let mutating = configuration("MutatingWebhookConfiguration", "m.static.k8s.io", &["a"]);
    let mut old = validating("a.static.k8s.io");
    old["apiVersion"] = "admissionregistration.k8s.io/v1beta1".into();
    let service = json!({"service": {"namespace": "a", "name": "b"}});
    let table = [
        ("}{".into(), "bad.yaml`: document 2 cannot be read"),
        ("a: 1\na: 2\n".into(), "document 2: strict decoding error: duplicate field \"a\""),
        (
            with("a.static.k8s.io", "/webhooks/0/failurePolcy", "Fail".into()).to_string(),
            "unknown field \"webhooks[0].failurePolcy\"",
        ),
        (with("a.static.k8s.io", "/webhooks/0/timeoutSeconds", "5".into()).to_string(), "cannot unmarshal string"),
        (with("a.static.k8s.io", "/webhooks/0/timeoutSeconds", 31.into()).to_string(), "must be between 1 and 30 seconds"),
        (with("a.static.k8s.io", "/webhooks/0/sideEffects", "Some".into()).to_string(), "Unsupported value: \"Some\""),
        (with("a.static.k8s.io", "/webhooks/0/clientConfig", service).to_string(), "clientConfig.service is not supported"),
        (with("a.static.k8s.io", "/webhooks/0/clientConfig", json!({})).to_string(), "exactly one of url or service is required"),
        (with("a.static.k8s.io", "/metadata/namespace", "a".into()).to_string(), "metadata.namespace: Forbidden"),
        (validating("a").to_string(), "\"a\" must have a name ending with \".static.k8s.io\""),
        (validating("").to_string(), "metadata.name: Required value"),
        (validating("good.static.k8s.io").to_string(), "duplicate name \"good.static.k8s.io\" (previously seen in `"),
        (mutating.to_string(), "unsupported resource type \"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration\""),
        (old.to_string(), "unsupported resource type \"admissionregistration.k8s.io/v1beta1 "),
        (json!({"apiVersion": "v1", "kind": "ConfigMap"}).to_string(), "unsupported resource type \"v1 ConfigMap\""),
        ("[]".into(), "unsupported resource type \" \""),
        (list(json!([validating("b.static.k8s.io"), mutating])), "MutatingWebhookConfiguration\""),
        (list(json!([{}])), "unsupported resource type \" \""),
        (list(json!(null)), "a list must have items"),
        ("{apiVersion: v1, kind: List, itms: []}".into(), "unknown field \"itms\""),
        (
            "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfigurationList, items: [{kind: X}]}".into(),
            " X\"",
        ),
    ];
    for (text, part) in table {
        let folder = folder(&[("bad.yaml", format!("{good}\n---\n{text}"))]);
        let error = load(folder.path()).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("document 2") && error.contains("bad.yaml"), "{part}: {error}");
    }
    for (text, part) in [("# nothing\n", "has no object"), ("", "has no object")] {
        let folder = folder(&[("a.yaml", good.clone()), ("bad.yaml", text.into())]);
        let error = load(folder.path()).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("bad.yaml"), "{part}: {error}");
    }
}

#[test]
fn the_set_is_replaced_as_a_whole_or_stays() {
    let folder = folder(&[("a.yaml", validating("a.static.k8s.io").to_string())]);
    let manifests = load(folder.path()).unwrap();
    let uid = |name: &str| format!("manifest/{name}.static.k8s.io/a.example.com/0");
    // What is written (nothing takes the file away) and what is in force after two looks.
    let table: [(&str, Option<String>, &[&str]); 6] = [
        ("b.yaml", Some(validating("b.static.k8s.io").to_string()), &["a", "b"]),
        ("c.yaml", Some("}{".into()), &["a", "b"]),
        ("a.yaml", None, &["a", "b"]),
        ("c.yaml", Some(validating("c.static.k8s.io").to_string()), &["b", "c"]),
        ("c.yaml", None, &["b"]),
        ("b.yaml", None, &[]),
    ];
    let mut before = uids(&manifests);
    for (name, text, expected) in table {
        let path = folder.path().join(name);
        text.map_or_else(|| fs::remove_file(&path), |text| fs::write(&path, text)).unwrap();
        manifests.look();
        assert_eq!(uids(&manifests), before, "{name}: once is not enough");
        manifests.look();
        before = expected.iter().map(|name| uid(name)).collect();
        assert_eq!(uids(&manifests), before, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_folders_nothing_is_looked_at() {
    reload(Arc::new(load_all(&Stages::default()).unwrap()), Interval::default()).await;
}

#[test]
fn the_end_of_trouble_is_told_once() {
    let folder = folder(&[("a.yaml", validating("a.static.k8s.io").to_string())]);
    let manifests = load(folder.path()).unwrap();
    let source = &manifests.sources[0];
    let file = folder.path().join("a.yaml");
    let table = [
        ("[".to_owned(), false, false),
        ("]".to_owned(), false, false),
        (validating("b.static.k8s.io").to_string(), true, true),
        (validating("c.static.k8s.io").to_string(), true, false),
    ];
    for (text, can_be_used, ends) in table {
        fs::write(&file, &text).unwrap();
        assert!(source.look().is_none(), "found once");
        let loaded = source.look().unwrap();
        assert_eq!((loaded.is_ok(), loaded.is_ok() && source.ends_trouble()), (can_be_used, ends), "{text}");
    }
}

#[test]
fn there_is_time_between_two_looks() {
    assert_eq!(Interval::new(Duration::ZERO), None);
    assert_eq!(Interval::new(Duration::from_secs(1)), Some(Interval::default()));
}
