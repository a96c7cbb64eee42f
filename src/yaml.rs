//! YAML as OPA reads it, on `go.yaml.in/yaml/v3` (opa `internal/yaml`, `v1/util/json.go`): the first of several documents, all
//! keys texts, anchors merged below `<<`, numbers of YAML 1.1. Data files, bodies of requests, bundles, the configuration and
//! `yaml.unmarshal` are all read here.
//!
//! The reader underneath does not tell a quoted scalar from a plain one. Where Go's takes a plain scalar for something else, and
//! it may be plain in the text, the text is refused.

mod loader;
pub(crate) mod plain;

use serde::Deserialize;
use serde_json::Value as Json;
use yaml_serde::Value as Yaml;

use self::loader::Loader;

/// Why a text is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum YamlError {
    /// OPA does not read it either.
    #[error("{0}")]
    Invalid(String),
    /// OPA reads it, and nobody here can tell as what.
    #[error("{0}: not read here as OPA reads it, write it otherwise")]
    Unsure(String),
}

/// Reads the first document of a text; the others have to be YAML too.
pub(crate) fn load(text: &str) -> Result<Json, YamlError> {
    read(text, true)
}

/// Whether a text can be read, whatever its plain scalars are.
pub(crate) fn is_valid(text: &str) -> Result<bool, YamlError> {
    match read(text, false) {
        Ok(_) => Ok(true),
        Err(unsure @ YamlError::Unsure(_)) => Err(unsure),
        Err(_) => Ok(false),
    }
}

/// A text that is no YAML.
#[derive(Debug)]
pub(crate) struct Broken {
    /// From 1, if it is known.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

/// The first document of a text, as it is read here: only for telling its types. Nothing for a text that may be YAML for OPA.
pub(crate) fn first(text: &str) -> Result<Option<Yaml>, Broken> {
    if text.lines().any(|line| line.starts_with('%')) {
        return Ok(None);
    }
    let document = yaml_serde::Deserializer::from_str(text).next();
    match document.map_or(Ok(Yaml::Null), Yaml::deserialize) {
        // Members that come from elsewhere are not looked at.
        Ok(Yaml::Mapping(members)) if members.contains_key("<<") => Ok(None),
        Ok(document) => Ok(Some(document)),
        Err(error) => {
            let broken = Broken { line: error.location().map(|place| place.line()), message: error.to_string() };
            let twice = broken.message.contains("duplicate");
            if !twice && matches!(wrong(error), YamlError::Unsure(_)) { Ok(None) } else { Err(broken) }
        }
    }
}

fn read(text: &str, exact: bool) -> Result<Json, YamlError> {
    if text.lines().any(|line| line.starts_with('%')) {
        return Err(unsure("directives"));
    }
    // OPA decodes what is tagged so; the reader underneath drops the tag.
    if text.contains("!!binary") || text.contains("2002:binary") {
        return Err(unsure("`!!binary`"));
    }
    let mut documents = yaml_serde::Deserializer::from_str(text).map(|document| Yaml::deserialize(document).map_err(wrong));
    let first = documents.next().unwrap_or(Ok(Yaml::Null))?;
    for document in documents {
        document?;
    }
    Loader::new(text, exact).value(&first)
}

fn wrong(error: yaml_serde::Error) -> YamlError {
    let message = error.to_string();
    match () {
        // Of equal keys the last counts for OPA.
        () if message.contains("duplicate") => unsure("equal keys in one mapping"),
        () if message.contains("` as u128") || message.contains("` as i128") => unsure("a number beyond 64 bits"),
        () if message.contains("limit exceeded") => unsure("so deep or repetitive a document"),
        () => YamlError::Invalid(message),
    }
}

fn invalid(why: &str) -> YamlError {
    YamlError::Invalid(why.into())
}

fn unsure(what: &str) -> YamlError {
    YamlError::Unsure(what.into())
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
            ("a: 1e3", json!(1000.0)),
            ("a: '0644'", json!("0644")),
            ("a: \"1_000\"", json!("1_000")),
            ("a: 12:30", json!("12:30")),
            ("a: 2020-01-01", json!("2020-01-01")),
            ("a:", json!(null)),
            ("a: {<<: &x {p: 1}, q: 2}", json!({"p": 1, "q": 2})),
            ("a: {<<: [{p: 1}, {p: 2, q: 3}]}", json!({"p": 1, "q": 3})),
            ("a: {1: x, true: y}", json!({"1": "x", "true": "y"})),
            ("a: 1\n---\nb: 2", json!(1)),
        ];
        for (text, expected) in table {
            assert_eq!(load(text).unwrap(), json!({"a": expected}), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        let unsure = [
            "a: 0644",
            "a: 1_000",
            "017: x",
            "1.5: x",
            "a: 1\na: 2",
            "a: !x 1",
            "a: !!binary aGk=",
            "%YAML 1.1\n---\na: 1",
            "a: 18446744073709551616",
            "a: 0644\nb: '0644'",
        ];
        for text in unsure {
            assert!(matches!(load(text), Err(YamlError::Unsure(_))), "{text}");
        }
        for text in ["a: .inf", "a: [1", "a: *x", "\ta: 1", "? [1]\n: 2"] {
            assert!(matches!(load(text), Err(YamlError::Invalid(_))), "{text}");
        }
    }
}
