//! YAML as OPA reads it (opa `internal/yaml`, `v1/util/json.go`), by the reader of `yaml.unmarshal`: the first of several documents,
//! all keys texts, anchors merged below `<<`, numbers of YAML 1.1. Data files, bodies of requests, bundles and the configuration are
//! all read here.

use serde_json::Value as Json;

use crate::rego::{self, Inexact, Value};

/// Bytes of JSON that any text may stand for: the budget is charged for a text by its signs.
const ANY: usize = 64 << 10;
/// What anchors may make of each byte of a text beside.
const TIMES: usize = 8;

/// Why a text is not read. The first is what OPA does not read either.
#[derive(Debug, thiserror::Error)]
pub enum YamlError {
    /// No YAML.
    #[error(transparent)]
    Invalid(#[from] rego::YamlError),
    /// Deep, or of more values than such a text may stand for.
    #[error("so deep or repetitive a document is not read")]
    Large,
    /// A number that is not kept.
    #[error(transparent)]
    Inexact(#[from] Inexact),
}

/// Reads the first document of a text; the others have to be YAML too.
pub fn load(text: &str) -> Result<Json, YamlError> {
    let value = Value::from_yaml(text)?;
    let document = value.document(text.len().saturating_mul(TIMES).saturating_add(ANY)).ok_or(YamlError::Large)?;
    Ok(document.to_json()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What OPA 1.22.0 answers for `opa eval -d x.yaml data`, of an object of one member.
    #[test]
    fn a_document_is_what_opa_reads() {
        let table = [
            ("a: yes", json!("yes")),
            ("a: 0x1F", json!(31)),
            ("a: 0o17", json!(15)),
            ("a: 0644", json!(420)),
            ("a: 1_000", json!(1000)),
            ("a: 1e3", json!(1000)),
            ("a: '0644'", json!("0644")),
            ("a: \"1_000\"", json!("1_000")),
            ("a: 12:30", json!("12:30")),
            ("a: 2020-01-01", json!("2020-01-01")),
            ("a:", json!(null)),
            ("a: {<<: &x {p: 1}, q: 2}", json!({"p": 1, "q": 2})),
            ("a: {<<: [{p: 1}, {p: 2, q: 3}]}", json!({"p": 1, "q": 3})),
            ("a: {1: x, true: y}", json!({"1": "x", "true": "y"})),
            ("a: !!binary aGk=", json!("hi")),
            ("a: 1\n---\nb: 2", json!(1)),
        ];
        for (text, expected) in table {
            assert_eq!(load(text).unwrap(), json!({"a": expected}), "{text}");
        }
    }

    #[test]
    fn what_opa_does_not_read_is_refused() {
        for text in ["a: .inf", "a: [1", "a: *x", "\ta: 1", "? [1]\n: 2"] {
            assert!(matches!(load(text), Err(YamlError::Invalid(_))), "{text}");
        }
    }
}
