//! What reviews ask, and what is wrong with a question. Source: `kubernetes` `pkg/apis/authorization/validation`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

use crate::authz::request::Access;
use crate::status::{FieldError, Status};

/// The questions of all kinds of reviews together.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Spec {
    pub(super) resource_attributes: Option<ResourceAttributes>,
    pub(super) non_resource_attributes: Option<PathAttributes>,
    pub(super) user: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) groups: Vec<String>,
    pub(super) uid: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) extra: BTreeMap<String, Vec<String>>,
    pub(super) namespace: String,
    pub(super) token: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) audiences: Vec<String>,
}

/// About a resource. Selectors narrow what is asked; a role cannot, so they change no answer, but must be well-formed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ResourceAttributes {
    namespace: String,
    verb: String,
    group: String,
    resource: String,
    subresource: String,
    name: String,
    field_selector: Option<Selector>,
    label_selector: Option<Selector>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Selector {
    raw_selector: String,
    #[serde(deserialize_with = "or_default")]
    requirements: Vec<Json>,
}

/// About a path.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PathAttributes {
    pub(super) path: String,
    pub(super) verb: String,
}

fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(input: D) -> Result<T, D::Error> {
    Option::deserialize(input).map(Option::unwrap_or_default)
}

impl Spec {
    pub(super) fn read(review: &Json) -> Result<Self, Status> {
        match review.get("spec") {
            None | Some(Json::Null) => Ok(Self::default()),
            Some(spec) => Self::deserialize(spec).map_err(|error| Status::bad_request(format!("spec: {error}"))),
        }
    }
}

impl ResourceAttributes {
    pub(super) fn access(&self) -> Access<'_> {
        Access {
            verb: &self.verb,
            group: &self.group,
            resource: &self.resource,
            subresource: &self.subresource,
            namespace: &self.namespace,
            name: &self.name,
        }
    }
}

/// All that is wrong with an access review.
pub(super) fn faults(kind: &str, review: &Json, spec: &Spec) -> Vec<FieldError> {
    let mut faults = Vec::new();
    let path = spec.non_resource_attributes.as_ref();
    let path_value = path.map(|asked| json!({ "Path": asked.path, "Verb": asked.verb }));
    if let (Some(_), Some(value)) = (&spec.resource_attributes, &path_value) {
        let detail = "cannot be specified in combination with resourceAttributes";
        faults.push(FieldError::invalid("spec.nonResourceAttributes", value.clone(), detail));
    }
    if spec.resource_attributes.is_none() && path.is_none() {
        let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        faults.push(FieldError::invalid("spec.resourceAttributes", Json::Null, detail));
    }
    if kind != "SelfSubjectAccessReview" && spec.user.is_empty() && spec.groups.is_empty() {
        faults.push(FieldError::invalid("spec.user", "", "at least one of user or group must be specified"));
    }
    faults.extend(spec.resource_attributes.iter().flat_map(selector_faults));
    faults.extend(metadata_fault(kind, review));
    if kind == "LocalSubjectAccessReview" {
        faults.extend(local_faults(review, spec, path_value));
    }
    faults
}

fn selector_faults(asked: &ResourceAttributes) -> Vec<FieldError> {
    let selectors = [("fieldSelector", &asked.field_selector), ("labelSelector", &asked.label_selector)];
    let given = selectors.into_iter().filter_map(|(name, selector)| Some((name, selector.as_ref()?)));
    given.filter_map(|(name, selector)| selector.fault(&format!("spec.resourceAttributes.{name}"))).collect()
}

impl Selector {
    fn fault(&self, path: &str) -> Option<FieldError> {
        match (self.raw_selector.is_empty(), self.requirements.is_empty()) {
            (false, false) => {
                let detail = "may not specified at the same time as requirements";
                Some(FieldError::invalid(format!("{path}.rawSelector"), self.raw_selector.as_str(), detail))
            }
            (true, true) => {
                let detail = format!("when {path} is specified, requirements or rawSelector is required");
                Some(FieldError::required(format!("{path}.requirements"), &detail))
            }
            _ => None,
        }
    }
}

fn metadata_fault(kind: &str, review: &Json) -> Option<FieldError> {
    let local = kind == "LocalSubjectAccessReview";
    let metadata = review.get("metadata").and_then(Json::as_object)?;
    let allowed = |field: &String| field == "managedFields" || local && field == "namespace";
    let detail = if local { "must be empty except for namespace" } else { "must be empty" };
    let fault = metadata.iter().any(|(field, value)| !allowed(field) && !value.is_null());
    fault.then(|| FieldError::invalid("metadata", metadata.clone(), detail))
}

fn local_faults(review: &Json, spec: &Spec, path_value: Option<Json>) -> Vec<FieldError> {
    let namespace = review.pointer("/metadata/namespace").and_then(Json::as_str).unwrap_or_default();
    let other = spec.resource_attributes.as_ref().map(|asked| asked.namespace.as_str()).filter(|asked| *asked != namespace);
    let other =
        other.map(|asked| FieldError::invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace"));
    let path =
        path_value.map(|value| FieldError::invalid("spec.nonResourceAttributes", value, "disallowed on this kind of request"));
    other.into_iter().chain(path).collect()
}
