//! A document in the evaluator's own form.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_rego::builtins::{self, BuiltinError};
use plimsoll_rego::limits::{self, Account, Halt};
use plimsoll_rego::value::json::{self, ReadError};
use plimsoll_rego::value::{self, Object};
use serde::de::Error as _;

use super::{Document, Limits};

/// Reading a text of YAML may take so long; few anchors can ask for very much.
const YAML: Duration = Duration::from_secs(30);

/// Deeper documents are refused.
const DEPTH: u32 = 127;

/// A text that is no YAML, or a limit that ended its reading, in the reader's words.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct YamlError(BuiltinError);

/// A certificate that cannot be read, in the reader's words.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct CertificateError(BuiltinError);

/// A JSON document that policies can read. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub(super) value::Value);

impl Value {
    /// Parses JSON. Numbers stay as they are written. Fails where it is no JSON, where it nests deeper than 128 levels, and beyond the
    /// memory limit of the process ([`super::limits::install_memory_limit`]).
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        let mut account = Account::new(limits::Limits { time: Duration::MAX, ..limits::Limits::default() });
        json::Reader::new().read_within(text, DEPTH, &mut account).map(Self).map_err(|error| match error {
            ReadError::Json(error) if error.message.contains("max depth") => {
                serde_json::Error::custom(format!("recursion limit exceeded at byte {}", error.offset))
            }
            ReadError::Json(error) => serde_json::Error::custom(error),
            ReadError::Halt(Halt::Process(bytes)) => {
                serde_json::Error::custom(format!("beyond the memory limit of {bytes} bytes"))
            }
            ReadError::Halt(halt) => serde_json::Error::custom(halt),
        })
    }

    /// Reads the first document of a text of YAML, as OPA reads files and inputs. Fails with the reader's words.
    pub fn from_yaml(text: &str) -> Result<Self, YamlError> {
        builtins::yaml_document(text, limits::Limits { time: YAML, ..Limits::default().of_evaluation() })
            .map(Self)
            .map_err(YamlError)
    }

    /// Returns certificates, each in DER, as Go marshals them: what `crypto.x509.parse_certificates` answers, less `URIStrings`. Fails
    /// where one cannot be read.
    pub fn certificates<'a>(certificates: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, CertificateError> {
        let all: Result<Vec<_>, _> = certificates.into_iter().map(builtins::marshalled_certificate).collect();
        all.map(|all| Self(value::Value::array(all))).map_err(CertificateError)
    }

    /// An object of named documents.
    pub fn object(members: impl IntoIterator<Item = (String, Self)>) -> Self {
        Self(value::Value::object(members.into_iter().map(|(name, value)| (name.as_str().into(), value.0))))
    }

    /// Returns the document with one member of the object set, or with `None` taken away. What is no object is replaced by one.
    /// Copies the members' references, never what is inside them.
    #[must_use]
    pub fn with_member(&self, name: &str, value: Option<Self>) -> Self {
        self.with_members([(name.to_owned(), value)])
    }

    /// [`Self::with_member`] for many members at once: the references are copied once.
    #[must_use]
    pub fn with_members(&self, changes: impl IntoIterator<Item = (String, Option<Self>)>) -> Self {
        let members = self.0.as_object().into_iter().flat_map(Object::iter);
        let mut all: std::collections::BTreeMap<_, _> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in changes {
            match value {
                Some(value) => all.insert(name.as_str().into(), value.0),
                None => all.remove(&name.as_str().into()),
            };
        }
        Self(value::Value::object(all))
    }

    /// Returns the document with values as others write them, where those have equal ones at the same paths.
    #[must_use]
    pub fn as_written(&self, others: &[Self]) -> Self {
        Self(as_written(&self.0, &others.iter().map(|other| &other.0).collect::<Vec<_>>()))
    }

    /// The member of an object.
    pub fn member(&self, name: &str) -> Option<Self> {
        self.0.as_object()?.member(name).cloned().map(Self)
    }

    /// The value as an answer; `None` when it is too deep for any, or of more bytes than that.
    pub fn document(&self, most: usize) -> Option<Document> {
        Document::new(self.0.clone(), most).ok()
    }
}

impl Default for Value {
    /// The empty object.
    fn default() -> Self {
        Self(value::Value::object([]))
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        Self(from_json(json))
    }
}

impl From<Value> for value::Value {
    fn from(value: Value) -> Self {
        value.0
    }
}

fn as_written(value: &value::Value, others: &[&value::Value]) -> value::Value {
    if let Some(same) = others.iter().find(|other| **other == value) {
        return (*same).clone();
    }
    let Some(all) = value.as_object() else { return value.clone() };
    let mut parts: BTreeMap<&value::Value, Vec<&value::Value>> = BTreeMap::new();
    for (name, part) in others.iter().filter_map(|other| other.as_object()).flat_map(|other| other.iter()) {
        parts.entry(name).or_default().push(part);
    }
    let member = |name, value: &value::Value| parts.get(name).map_or(value.clone(), |parts| as_written(value, parts));
    value::Value::object(all.iter().map(|(name, value)| (name.clone(), member(name, value))))
}

pub(super) fn from_json(json: serde_json::Value) -> value::Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => value::Value::Null,
        Json::Bool(truth) => truth.into(),
        Json::Number(number) => value::Value::number(&number.to_string()).unwrap_or(value::Value::Null),
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => value::Value::array(items.into_iter().map(from_json)),
        Json::Object(members) => {
            value::Value::object(members.into_iter().map(|(name, value)| (name.as_str().into(), from_json(value))))
        }
    }
}
