//! `metadata.managedFields`: who owns what. Sources: `meta/v1` `ManagedFieldsEntry`, `managedfields/internal/managedfields.go`.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::element::ElementError;
use super::set::{Node, Set};
use super::shape::Type;
use super::v1;
use super::{Manager, Operation};
use crate::patch::go_text;

const FIELDS_V1: &str = "FieldsV1";

/// Why `managedFields` cannot be read. The texts are upstream's.
#[derive(Debug, thiserror::Error)]
pub enum ManagedFieldsError {
    /// It is no list, or an entry is no object.
    #[error("managedFields must be a list of objects")]
    NoEntries,
    /// Neither of the two.
    #[error("operation must be `Apply` or `Update`")]
    Operation,
    /// An entry without it.
    #[error("apiVersion must not be empty")]
    ApiVersion,
    /// An entry without it.
    #[error("missing fieldsType in managed fields entry {0}")]
    NoFieldsType(usize),
    /// There is one type alone.
    #[error("invalid fieldsType {} in managed fields entry {entry}", go_text::quoted(found))]
    FieldsType {
        /// What was found.
        found: String,
        /// Where.
        entry: usize,
    },
    /// The fields themselves.
    #[error("error decoding set: {0}")]
    Fields(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl From<ElementError> for ManagedFieldsError {
    fn from(error: ElementError) -> Self {
        Self::Fields(Box::new(error))
    }
}

/// Whose entry: an applier has one whatever versions it applied in, an updater one for each version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    /// Empty for appliers.
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

/// What one manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) fields: Set,
    /// In which version the fields were named; all versions of a kind have one structure here.
    pub(crate) api_version: String,
    pub(crate) time: Option<OffsetDateTime>,
}

/// The entries of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Managed {
    pub(crate) entries: BTreeMap<Identity, Entry>,
}

impl Identity {
    /// Of the manager of a write.
    pub(crate) fn of(manager: &Manager) -> Self {
        let name = if manager.name.is_empty() { "unknown" } else { &manager.name };
        let api_version = match manager.operation {
            Operation::Apply => String::new(),
            Operation::Update => manager.api_version.clone(),
        };
        Self { manager: name.to_owned(), operation: manager.operation, api_version, subresource: manager.subresource.clone() }
    }
}

impl Managed {
    /// Reads the entries; absent ones are none.
    pub(crate) fn decode(managed_fields: Option<&Json>) -> Result<Self, ManagedFieldsError> {
        let mut managed = Self::default();
        let list = match managed_fields {
            None | Some(Json::Null) => return Ok(managed),
            Some(list) => list.as_array().ok_or(ManagedFieldsError::NoEntries)?,
        };
        for (index, entry) in list.iter().enumerate() {
            let (identity, entry) = decode_entry(index, entry.as_object().ok_or(ManagedFieldsError::NoEntries)?)?;
            managed.entries.insert(identity, entry);
        }
        Ok(managed)
    }

    /// The entries as they are stored: appliers first, then by time, manager, version, subresource.
    pub(crate) fn encode(&self) -> Option<Json> {
        let seconds = |entry: &Entry| entry.time.map_or(0, OffsetDateTime::unix_timestamp);
        let mut entries: Vec<(&Identity, &Entry)> = self.entries.iter().collect();
        entries.sort_by(|(left, left_entry), (right, right_entry)| {
            (left.operation, seconds(left_entry), &left.manager, &left_entry.api_version, &left.subresource).cmp(&(
                right.operation,
                seconds(right_entry),
                &right.manager,
                &right_entry.api_version,
                &right.subresource,
            ))
        });
        let encoded: Vec<Json> = entries.into_iter().map(|(identity, entry)| encode_entry(identity, entry)).collect();
        Some(Json::Array(encoded)).filter(|_| !self.entries.is_empty())
    }

    /// Sets that were written when the schema was another one: who owned parts of what is one whole now owns the whole.
    /// Source: `structured-merge-diff` `typed/reconcile_schema.go`.
    pub(crate) fn reconcile(&mut self, of: Type<'_>) {
        for entry in self.entries.values_mut() {
            entry.fields = reconciled(&entry.fields, of);
        }
    }

    /// Nobody but `owner` keeps anything of `lost`.
    pub(crate) fn take_from_others(&mut self, owner: Option<&Identity>, lost: &Set) {
        for (identity, entry) in &mut self.entries {
            if Some(identity) != owner {
                entry.fields = entry.fields.difference(lost);
            }
        }
        self.entries.retain(|_, entry| !entry.fields.is_empty());
    }
}

fn reconciled(set: &Set, of: Type<'_>) -> Set {
    let mut out = Set::default();
    for (element, node) in set.nodes() {
        let below = of.child(element);
        let node = match below.is_atomic() && !node.children.is_empty() {
            true => Node::leaf(),
            false => Node { member: node.member, children: reconciled(&node.children, below) },
        };
        out.absorb(element.clone(), node);
    }
    out
}

fn decode_entry(index: usize, entry: &Map<String, Json>) -> Result<(Identity, Entry), ManagedFieldsError> {
    let text = |name: &str| entry.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let operation = match text("operation").as_str() {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err(ManagedFieldsError::Operation),
    };
    let api_version = Some(text("apiVersion")).filter(|version| !version.is_empty()).ok_or(ManagedFieldsError::ApiVersion)?;
    match text("fieldsType") {
        found if found.is_empty() => return Err(ManagedFieldsError::NoFieldsType(index)),
        found if found != FIELDS_V1 => return Err(ManagedFieldsError::FieldsType { found, entry: index }),
        _ => {}
    }
    let fields = entry.get("fieldsV1").map_or_else(|| Ok(Set::default()), v1::decode)?;
    let time = OffsetDateTime::parse(&text("time"), &Rfc3339).ok();
    let identity = Identity {
        manager: text("manager"),
        operation,
        api_version: if operation == Operation::Apply { String::new() } else { api_version.clone() },
        subresource: text("subresource"),
    };
    Ok((identity, Entry { fields, api_version, time }))
}

fn encode_entry(identity: &Identity, entry: &Entry) -> Json {
    let mut out = Map::new();
    let mut put = |name: &str, text: String| {
        if !text.is_empty() {
            out.insert(name.to_owned(), text.into());
        }
    };
    put("manager", identity.manager.clone());
    put("operation", identity.operation.name().to_owned());
    put("apiVersion", entry.api_version.clone());
    put("subresource", identity.subresource.clone());
    put("fieldsType", FIELDS_V1.to_owned());
    put("time", entry.time.map(rfc3339).unwrap_or_default());
    out.insert("fieldsV1".to_owned(), v1::encode(&entry.fields));
    Json::Object(out)
}

/// To the second, in UTC, as `metav1.Time` is written.
fn rfc3339(time: OffsetDateTime) -> String {
    let whole = time.to_offset(time::UtcOffset::UTC).replace_nanosecond(0).unwrap_or(time);
    whole.format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, operation: &str, time: &str) -> Json {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1", "time": time, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {"f:a": {}}}})
    }

    #[test]
    fn entries_come_back_sorted() {
        let list = json!([
            entry("z", "Update", "2026-01-01T00:00:00Z"),
            entry("b", "Update", "2025-01-01T00:00:00Z"),
            entry("a", "Update", "2026-01-01T00:00:00Z"),
            entry("y", "Apply", "2027-01-01T00:00:00Z"),
        ]);
        let encoded = Managed::decode(Some(&list)).unwrap().encode().unwrap();
        let managers: Vec<&str> = encoded.as_array().unwrap().iter().map(|entry| entry["manager"].as_str().unwrap()).collect();
        assert_eq!(managers, ["y", "b", "a", "z"]);
        assert_eq!(encoded[2], list[2]);
        assert_eq!(Managed::decode(Some(&encoded)).unwrap().encode().unwrap(), encoded);
        assert_eq!(Managed::default().encode(), None);
    }

    #[test]
    fn an_applier_has_one_entry_for_all_versions() {
        let mut other = entry("a", "Apply", "2026-01-01T00:00:00Z");
        other["apiVersion"] = json!("v2");
        let managed = Managed::decode(Some(&json!([entry("a", "Apply", "2026-01-01T00:00:00Z"), other]))).unwrap();
        assert_eq!(managed.entries.len(), 1);
    }

    #[test]
    fn wrong_entries_are_refused_in_upstreams_words() {
        let with = |field: &str, value: Json| {
            let mut entry = entry("a", "Apply", "");
            entry[field] = value;
            json!([entry])
        };
        let table = [
            (with("operation", json!("apply")), "operation must be `Apply` or `Update`"),
            (with("apiVersion", json!("")), "apiVersion must not be empty"),
            (with("fieldsType", json!("")), "missing fieldsType in managed fields entry 0"),
            (with("fieldsType", json!("V2")), "invalid fieldsType \"V2\" in managed fields entry 0"),
            (json!({}), "managedFields must be a list of objects"),
            (json!([1]), "managedFields must be a list of objects"),
        ];
        for (list, expected) in table {
            assert_eq!(Managed::decode(Some(&list)).unwrap_err().to_string(), expected);
        }
        let bad = Managed::decode(Some(&with("fieldsV1", json!({"x": {}})))).unwrap_err().to_string();
        assert!(bad.starts_with("error decoding set: "), "{bad}");
    }
}
