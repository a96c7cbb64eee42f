//! Digests of files: of their bytes, or for JSON and YAML of what they mean, so that white space does not count
//! (OPA: `v1/bundle/hash.go`).

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};

use super::{ContentError, SignatureError, Signed};
use crate::management::bundles::files::base;
use crate::yaml;

/// Deeper documents are no bundle's.
const DEPTH: usize = 128;

/// Whether a file is as it was signed.
pub(super) fn check(path: &str, bytes: &[u8], signed: &Signed) -> Result<(), SignatureError> {
    let content = canonical(path, bytes).map_err(|source| SignatureError::Content { path: path.into(), source })?;
    let found = digest(&signed.algorithm, &content)?;
    let wanted = signed.hash.to_ascii_lowercase();
    if found == wanted { Ok(()) } else { Err(SignatureError::Mismatch { path: path.into(), wanted, found }) }
}

fn digest(algorithm: &str, content: &[u8]) -> Result<String, SignatureError> {
    let bytes: Vec<u8> = match algorithm {
        "SHA-224" => Sha224::digest(content).to_vec(),
        "SHA-256" => Sha256::digest(content).to_vec(),
        "SHA-384" => Sha384::digest(content).to_vec(),
        "SHA-512" => Sha512::digest(content).to_vec(),
        "SHA-512-224" => Sha512_224::digest(content).to_vec(),
        "SHA-512-256" => Sha512_256::digest(content).to_vec(),
        // OPA takes MD5 and SHA-1 too, which prove nothing any more.
        other => return Err(SignatureError::Hash(other.into())),
    };
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn canonical(path: &str, bytes: &[u8]) -> Result<Vec<u8>, ContentError> {
    let text = || str::from_utf8(bytes);
    let mut out = Vec::new();
    match base(path) {
        "data.json" | ".manifest" => write(text()?, 0, &mut out)?,
        "data.yaml" | "data.yml" => {
            let value = yaml::load(text()?).map_err(|error| ContentError::Yaml(error.into()))?;
            write(&value.to_string(), 0, &mut out)?;
        }
        _ => out.extend_from_slice(bytes),
    }
    Ok(out)
}

/// Keys in order, no white space, numbers as they are written.
fn write(text: &str, depth: usize, out: &mut Vec<u8>) -> Result<(), ContentError> {
    if depth > DEPTH {
        return Err(ContentError::TooDeep(DEPTH));
    }
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text)?;
            for (at, (name, value)) in members.iter().enumerate() {
                out.push(if at == 0 { b'{' } else { b',' });
                string(name, out)?;
                out.push(b':');
                write(value.get(), depth + 1, out)?;
            }
            out.extend_from_slice(if members.is_empty() { b"{}" } else { b"}" });
        }
        Some(b'[') => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(text)?;
            for (at, value) in items.iter().enumerate() {
                out.push(if at == 0 { b'[' } else { b',' });
                write(value.get(), depth + 1, out)?;
            }
            out.extend_from_slice(if items.is_empty() { b"[]" } else { b"]" });
        }
        Some(b'"') => string(&serde_json::from_str::<String>(text)?, out)?,
        _ => {
            serde_json::from_str::<serde_json::Value>(text)?;
            out.extend_from_slice(text.as_bytes());
        }
    }
    Ok(())
}

/// As Go writes it: two more characters than JSON asks for are escaped.
fn string(text: &str, out: &mut Vec<u8>) -> Result<(), ContentError> {
    let json = serde_json::to_string(text)?;
    out.extend_from_slice(json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_document_means_is_digested_not_how_it_is_written() {
        let form = |path: &str, text: &str| String::from_utf8(canonical(path, text.as_bytes()).unwrap()).unwrap();
        let table = [
            ("data.json", "{ \"b\" : [1.0, 1e3, {}] ,\n\"a\": \"\\u2028<é\" }", "{\"a\":\"\\u2028<é\",\"b\":[1.0,1e3,{}]}"),
            (".manifest", "{\"roots\": [ ], \"revision\": null}", "{\"revision\":null,\"roots\":[]}"),
            ("x/data.yaml", "a: [true, 2]\n", "{\"a\":[true,2]}"),
            ("p.rego", " package a ", " package a "),
        ];
        for (path, text, expected) in table {
            assert_eq!(form(path, text), expected, "{path}");
        }
        assert!(canonical("data.json", format!("{}1{}", "[".repeat(200), "]".repeat(200)).as_bytes()).is_err());
    }
}
