//! Signatures that are right, and every way in which one is not.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::*;
use crate::management::bundles::Limits;
use crate::management::config::services::Secret;

const MODULE: &str = "package a";

fn key(scope: &str) -> Key {
    Key { key: Secret("secret".into()), algorithm: "HS256".into(), scope: scope.into(), ..Key::default() }
}

fn token(secret: &str, payload: &Json) -> String {
    let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let message = format!("{}.{}", part(&json!({"alg": "none", "kid": "k"})), part(payload));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
}

fn listed(names: &[&str]) -> Json {
    let hash: String = Sha256::digest(MODULE).iter().map(|byte| format!("{byte:02x}")).collect();
    let files: Vec<_> = names.iter().map(|name| json!({"name": name, "hash": hash, "algorithm": "SHA-256"})).collect();
    json!({ "files": files, "scope": "" })
}

fn bundle(token: &str, module: &str) -> Files {
    let mut files = Files::default();
    files.add("p.rego", module.as_bytes(), Limits::default()).unwrap();
    if !token.is_empty() {
        let signatures = json!({ "signatures": [token] }).to_string();
        files.add(".signatures.json", signatures.as_bytes(), Limits::default()).unwrap();
    }
    files
}

fn verifier(scope: &str, signing: Option<Signing>) -> Verifier {
    Verifier::new([("k".to_owned(), key(scope))].into(), signing)
}

#[test]
fn a_signed_bundle_is_accepted_and_a_tampered_one_is_not() {
    let good = token("secret", &listed(&["p.rego"]));
    let required = || verifier("", Some(Signing::default()));
    required().check(&bundle(&good, MODULE)).unwrap();
    let table = [
        (bundle(&good, "package b"), "digest mismatch"),
        (bundle("", MODULE), "missing .signatures.json"),
        (bundle(&token("other", &listed(&["p.rego"])), MODULE), "failed to verify"),
        (bundle(&token("secret", &listed(&[])), MODULE), "not included in bundle signature"),
        (bundle(&token("secret", &listed(&["p.rego", "q.rego"])), MODULE), "q.rego specified"),
        (bundle("a.b", MODULE), "split compact"),
        (bundle(&good.replace('.', "!."), MODULE), "decode"),
    ];
    for (files, part) in table {
        let error = required().check(&files).unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn keys_scopes_and_exceptions_count() {
    let good = token("secret", &listed(&["p.rego"]));
    assert!(verifier("write", None).check(&bundle(&good, MODULE)).unwrap_err().to_string().contains("scope mismatch"));
    assert!(Verifier::default().check(&bundle(&good, MODULE)).unwrap_err().to_string().contains("verification key not provided"));
    verifier("", None).check(&bundle("", MODULE)).unwrap();
    let other = Signing { keyid: "none".into(), ..Signing::default() };
    assert!(verifier("", Some(other)).check(&bundle(&good, MODULE)).unwrap_err().to_string().contains("ID none not found"));
    let excluding = Signing { exclude_files: vec!["*.rego".into()], ..Signing::default() };
    let excluding = verifier("", Some(excluding));
    let mut files = bundle(&token("secret", &listed(&[])), "package c");
    excluding.check(&files).unwrap();
    files.add("sub/p.rego", &b"package d"[..], Limits::default()).unwrap();
    assert!(excluding.check(&files).unwrap_err().to_string().contains("sub/p.rego not included"));
}

#[test]
fn a_patch_that_changes_nothing_makes_no_delta_of_a_bundle() {
    let mut files = Files::default();
    files.add("fixtures/patch.json", &b"{}"[..], Limits::default()).unwrap();
    files.add("p.rego", &b"package a"[..], Limits::default()).unwrap();
    let allowed = Signing { allow_unsigned_delta_bundles: true, ..Signing::default() };
    assert!(verifier("", Some(allowed)).check(&files).unwrap_err().to_string().contains("missing .signatures.json"));
}

#[test]
fn a_delta_is_taken_unsigned_only_where_that_was_said() {
    let mut files = Files::default();
    files.add("patch.json", &br#"{"data": [{"op": "remove", "path": "/a"}]}"#[..], Limits::default()).unwrap();
    assert!(verifier("", Some(Signing::default())).check(&files).unwrap_err().to_string().contains("delta bundles"));
    let allowed = Signing { allow_unsigned_delta_bundles: true, ..Signing::default() };
    verifier("", Some(allowed)).check(&files).unwrap();
}
