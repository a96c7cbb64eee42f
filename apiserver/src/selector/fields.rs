//! Field selectors: the name and namespace of everything, and the fields that each kind offers. Sources: `apimachinery`
//! `pkg/fields`, the conversions of `pkg/apis/*/v1/conversion.go`, `selectableFields` of CustomResourceDefinitions.

use serde_json::Value as Json;

use crate::resources::Resource;
use crate::status::Status;
use crate::storage::Key;

/// What a collection offers beside name and namespace: the label, and where the stored object has it.
const OFFERED: [(&str, &[(&str, &str)]); 7] = [
    ("core/events", EVENTS),
    ("core/namespaces", &[("status.phase", "/status/phase")]),
    ("core/nodes", &[("spec.unschedulable", "/spec/unschedulable")]),
    ("core/secrets", &[("type", "/type")]),
    ("core/services", &[("spec.clusterIP", "/spec/clusterIP"), ("spec.type", "/spec/type")]),
    ("batch/jobs", &[("status.successful", "/status/succeeded")]),
    ("core/pods", PODS),
];

const EVENTS: &[(&str, &str)] = &[
    ("involvedObject.kind", "/involvedObject/kind"),
    ("involvedObject.namespace", "/involvedObject/namespace"),
    ("involvedObject.name", "/involvedObject/name"),
    ("involvedObject.uid", "/involvedObject/uid"),
    ("involvedObject.apiVersion", "/involvedObject/apiVersion"),
    ("involvedObject.resourceVersion", "/involvedObject/resourceVersion"),
    ("involvedObject.fieldPath", "/involvedObject/fieldPath"),
    ("regarding.kind", "/involvedObject/kind"),
    ("regarding.namespace", "/involvedObject/namespace"),
    ("regarding.name", "/involvedObject/name"),
    ("regarding.uid", "/involvedObject/uid"),
    ("regarding.apiVersion", "/involvedObject/apiVersion"),
    ("regarding.resourceVersion", "/involvedObject/resourceVersion"),
    ("regarding.fieldPath", "/involvedObject/fieldPath"),
    ("reason", "/reason"),
    ("reportingComponent", "/reportingComponent"),
    ("reportingController", "/reportingComponent"),
    ("source", "/source/component"),
    ("type", "/type"),
];

const PODS: &[(&str, &str)] = &[
    ("spec.nodeName", "/spec/nodeName"),
    ("spec.restartPolicy", "/spec/restartPolicy"),
    ("spec.schedulerName", "/spec/schedulerName"),
    ("spec.serviceAccountName", "/spec/serviceAccountName"),
    ("spec.hostNetwork", "/spec/hostNetwork"),
    ("status.phase", "/status/phase"),
    ("status.podIP", "/status/podIP"),
    ("status.nominatedNodeName", "/status/nominatedNodeName"),
];

/// Requirements that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    place: Place,
    value: String,
    equal: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Name,
    Namespace,
    /// A JSON pointer into the stored object.
    Field(String),
}

impl Fields {
    /// Such as `metadata.name=a,status.phase!=Running`; empty for everything.
    pub fn read(text: &str, resource: &Resource) -> Result<Self, Status> {
        let parts = split(text)?;
        let parts = parts.iter().filter(|part| !part.is_empty());
        parts.map(|part| requirement(part, resource)).collect::<Result<_, _>>().map(Self)
    }

    /// One more requirement.
    pub fn require_name(&mut self, name: &str) {
        self.0.push(Requirement { place: Place::Name, value: name.to_owned(), equal: true });
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one name that it asks for.
    pub fn exact_name(&self) -> Option<&str> {
        let names = self.0.iter().find(|requirement| requirement.place == Place::Name && requirement.equal);
        names.map(|requirement| requirement.value.as_str())
    }

    /// Whether the key alone does not tell.
    pub fn needs_object(&self) -> bool {
        self.0.iter().any(|requirement| matches!(requirement.place, Place::Field(_)))
    }

    /// Whether name and namespace are as asked for.
    pub fn match_key(&self, key: &Key) -> bool {
        self.0.iter().all(|requirement| match requirement.place {
            Place::Name => (*requirement.value == *key.name) == requirement.equal,
            Place::Namespace => (*requirement.value == *key.namespace) == requirement.equal,
            Place::Field(_) => true,
        })
    }

    /// Whether the other fields are as asked for.
    pub fn match_object(&self, object: &Json) -> bool {
        self.0.iter().all(|requirement| match &requirement.place {
            Place::Field(pointer) => (value(object, pointer) == requirement.value) == requirement.equal,
            _ => true,
        })
    }
}

/// As a text; a number that is not there is 0, a flag false, as Go keeps them.
fn value(object: &Json, pointer: &str) -> String {
    match object.pointer(pointer) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None if pointer == "/spec/unschedulable" || pointer == "/spec/hostNetwork" => "false".to_owned(),
        Some(Json::Null) | None if pointer == "/status/succeeded" => "0".to_owned(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn requirement(text: &str, resource: &Resource) -> Result<Requirement, Status> {
    let invalid = || Status::bad_request(format!("invalid selector: '{text}'; can't understand '{text}'"));
    let at = find_operator(text).ok_or_else(invalid)?;
    let (label, rest) = text.split_at_checked(at).ok_or_else(invalid)?;
    let operators = [("!=", false), ("==", true), ("=", true)];
    let (value, equal) =
        operators.into_iter().find_map(|(sign, equal)| Some((rest.strip_prefix(sign)?, equal))).ok_or_else(invalid)?;
    Ok(Requirement { place: place(label.trim(), resource)?, value: unescape(value), equal })
}

fn find_operator(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '=' | '!' => return Some(at),
            _ => {}
        }
    }
    None
}

fn place(label: &str, resource: &Resource) -> Result<Place, Status> {
    match label {
        "metadata.name" => return Ok(Place::Name),
        "metadata.namespace" => return Ok(Place::Namespace),
        _ => {}
    }
    let offered = OFFERED.iter().find(|(collection, _)| **collection == *resource.collection);
    let found = offered.and_then(|(_, fields)| fields.iter().find(|(known, _)| *known == label));
    if let Some((_, pointer)) = found {
        return Ok(Place::Field((*pointer).to_owned()));
    }
    if resource.selectable_fields.iter().any(|path| path.trim_start_matches('.') == label) {
        return Ok(Place::Field(format!("/{}", label.replace('.', "/"))));
    }
    if offered.is_some() {
        return Err(Status::bad_request(format!("field label not supported: {label}")));
    }
    let mut known = vec!["\"metadata.name\"".to_owned(), "\"metadata.namespace\"".to_owned()];
    known.extend(resource.selectable_fields.iter().map(|path| format!("{:?}", path.trim_start_matches('.'))));
    Err(Status::bad_request(format!("{label:?} is not a known field selector: only {}", known.join(", "))))
}

/// At commas that are not escaped.
fn split(text: &str) -> Result<Vec<String>, Status> {
    let (mut parts, mut part, mut escaped) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            _ if escaped => {
                part.push(c);
                escaped = false;
            }
            '\\' => {
                part.push(c);
                escaped = true;
            }
            ',' => parts.push(std::mem::take(&mut part)),
            _ => part.push(c),
        }
    }
    if escaped {
        return Err(Status::bad_request(format!("invalid selector: '{text}'; unfinished escape")));
    }
    parts.push(part);
    Ok(parts)
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}
