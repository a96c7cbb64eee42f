//! Bundles that real OPA signed, with every kind of key: accepted as they are, refused by name when they are not.

use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use p521::elliptic_curve::rand_core::OsRng;
use plimsoll::management::bundles::signature::Verifier;
use plimsoll::management::bundles::{Limits, archive};
use plimsoll::management::config::bundles::Signing;
use plimsoll::management::config::keys::Key;
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};

use super::archive::bundle;
use super::support::opa_binary;

/// What signs, and what verifies.
struct Pair {
    private: String,
    public: String,
}

fn shared() -> Pair {
    Pair { private: "a-shared-secret".into(), public: "a-shared-secret".into() }
}

fn rsa() -> Pair {
    let key = rsa::RsaPrivateKey::new(&mut OsRng, 2048).unwrap();
    let private = key.to_pkcs8_pem(LineEnding::LF).unwrap().to_string();
    Pair { private, public: key.to_public_key().to_public_key_pem(LineEnding::LF).unwrap() }
}

fn elliptic(algorithm: &'static rcgen::SignatureAlgorithm) -> Pair {
    let pair = rcgen::KeyPair::generate_for(algorithm).unwrap();
    Pair { private: pair.serialize_pem(), public: pair.public_key_pem() }
}

/// rcgen does not make keys on this curve: `ECPrivateKey` of RFC 5915, `SubjectPublicKeyInfo` of RFC 5480.
fn p521() -> Pair {
    let secret = p521::SecretKey::random(&mut OsRng);
    let point = secret.public_key().to_sec1_bytes();
    let curve = [6, 5, 0x2b, 0x81, 4, 0, 0x23];
    let bits = [&[3, 0x81, 0x86, 0][..], &point].concat();
    let private =
        [&[0x30, 0x81, 0xdc, 2, 1, 1, 4, 66][..], &secret.to_bytes(), &[0xa0, 7], &curve, &[0xa1, 0x81, 0x89], &bits].concat();
    let family = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
    let public = [&[0x30, 0x81, 0x9b, 0x30, 0x10][..], &family, &curve, &bits].concat();
    let pem = |label: &str, der: &[u8]| format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der));
    Pair { private: pem("EC PRIVATE KEY", &private), public: pem("PUBLIC KEY", &public) }
}

/// `opa build` signs what it builds.
fn signed(opa: &Path, algorithm: &str, key: &str) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(work.path().join("b/a")).unwrap();
    std::fs::write(work.path().join("b/.manifest"), r#"{"revision": "signed", "roots": ["a"]}"#).unwrap();
    std::fs::write(work.path().join("b/a/data.json"), r#"{"x": 3, "f": 1.50, "t": "<é>\u2028", "n": [1e3, null]}"#).unwrap();
    std::fs::write(work.path().join("b/a/p.rego"), "package a.p\n\ndouble := data.a.x * 2\n").unwrap();
    std::fs::write(work.path().join("key"), key).unwrap();
    let mut build = Command::new(opa);
    build.current_dir(work.path()).args(["build", "-b", "b", "--signing-key", "key", "--signing-alg", algorithm]);
    let output = build.args(["-o", "signed.tar.gz"]).output().unwrap();
    assert!(output.status.success(), "{algorithm}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(work.path().join("signed.tar.gz")).unwrap()
}

fn check(tarball: &[u8], algorithm: &str, public: &str) -> Result<(), String> {
    let key =
        Key { key: plimsoll::management::config::services::Secret(public.into()), algorithm: algorithm.into(), ..Key::default() };
    let verifier = Verifier::new([("k".to_owned(), key)].into(), Some(Signing { keyid: "k".into(), ..Signing::default() }));
    verifier.check(&archive::unpack(tarball, Limits::default()).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn every_algorithm_of_opa_is_accepted_and_what_was_changed_is_not() {
    let Some(opa) = opa_binary() else { return };
    let (rsa, other) = (rsa(), rsa());
    let (p256, p384) = (elliptic(&rcgen::PKCS_ECDSA_P256_SHA256), elliptic(&rcgen::PKCS_ECDSA_P384_SHA384));
    let (p521, shared) = (p521(), shared());
    let table = [
        ("HS256", &shared),
        ("HS512", &shared),
        ("RS256", &rsa),
        ("RS512", &rsa),
        ("PS256", &rsa),
        ("PS384", &rsa),
        ("ES256", &p256),
        ("ES384", &p384),
        ("ES512", &p521),
    ];
    for (algorithm, pair) in table {
        let tarball = signed(&opa, algorithm, &pair.private);
        assert_eq!(check(&tarball, algorithm, &pair.public), Ok(()), "{algorithm}");
        let changed = check(&tampered(&tarball), algorithm, &pair.public).unwrap_err();
        assert!(changed.contains("digest mismatch"), "{algorithm}: {changed}");
        let stranger = match algorithm {
            "HS256" | "HS512" => "another-secret".to_owned(),
            "RS256" | "RS512" | "PS256" | "PS384" => other.public.clone(),
            "ES256" => elliptic(&rcgen::PKCS_ECDSA_P256_SHA256).public,
            "ES384" => elliptic(&rcgen::PKCS_ECDSA_P384_SHA384).public,
            _ => super::signed::p521().public,
        };
        let refused = check(&tarball, algorithm, &stranger).unwrap_err();
        assert!(refused.contains("failed to verify JWT signature"), "{algorithm}: {refused}");
    }
    // The key says how, not the token: one made with the public key as a shared secret proves nothing.
    let forged = signed(&opa, "HS256", &rsa.public);
    assert!(check(&forged, "RS256", &rsa.public).is_err());
}

/// The same bundle with another value in its data.
pub(crate) fn tampered(tarball: &[u8]) -> Vec<u8> {
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

/// What the engine is given in the other tests.
pub(crate) fn with_a_secret(opa: &Path, secret: &str) -> Vec<u8> {
    signed(opa, "HS256", secret)
}
