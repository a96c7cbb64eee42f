//! `AdmissionReview`, `admission.k8s.io/v1` and `v1beta1`: what a webhook is asked, and whether what it answers counts.
//! Source: `apiserver` `pkg/admission/plugin/webhook/request/admissionreview.go`.

mod external;
mod question;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::error::{CallFault, ReviewFault};
use crate::admission::Attributes;
use crate::resources::Resource;
use crate::resources::validate::webhooks::REVIEW_VERSIONS;

use question::question;
pub use question::variables;
pub(super) use question::{scale_of, shown};

const GROUP: &str = "admission.k8s.io";
const KIND: &str = "AdmissionReview";
const JSON_PATCH: &str = "JSONPatch";

/// A question on its way to a webhook.
#[derive(Debug)]
pub(super) struct Review {
    /// `v1`, `v1beta1` or `v1alpha1`.
    version: &'static str,
    uid: String,
    /// Whether a patch may come back.
    mutating: bool,
    /// What is sent.
    pub body: Bytes,
}

/// An answer that counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The verdict.
    pub allowed: bool,
    /// Why not; any JSON object.
    pub status: Option<Json>,
    /// Empty if there is none.
    pub patch: Patch,
    /// For the user.
    pub warnings: Vec<String>,
    /// For the audit log.
    pub audit_annotations: BTreeMap<String, String>,
}

/// What a webhook changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    /// As it came.
    text: Vec<u8>,
    patch_type: String,
}

impl Patch {
    /// The JSON patch; `None` if it changes nothing. Fails when it is none.
    pub(super) fn operations(&self) -> Result<Option<&[u8]>, CallFault> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let operations: Option<Vec<Json>> =
            serde_json::from_slice(&self.text).map_err(|error| CallFault::Patch(error.to_string()))?;
        match operations {
            None => Ok(None),
            Some(operations) if operations.is_empty() => Ok(None),
            Some(_) if self.patch_type != JSON_PATCH => Err(CallFault::PatchType(self.patch_type.clone())),
            Some(_) => Ok(Some(&self.text)),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    api_version: Option<String>,
    kind: Option<String>,
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uid: Option<String>,
    allowed: Option<bool>,
    status: Option<Json>,
    patch: Option<String>,
    patch_type: Option<String>,
    warnings: Option<Vec<String>>,
    audit_annotations: Option<BTreeMap<String, String>>,
}

impl Review {
    /// A question in the first of `versions` that is known, about the request in the version of `resource`. Each has a uid of
    /// its own.
    pub(super) fn new(versions: &[String], resource: &Resource, request: &Attributes, mutating: bool) -> Result<Self, CallFault> {
        let known = versions.iter().find_map(|version| REVIEW_VERSIONS.into_iter().find(|known| known == version));
        let version = known.ok_or(CallFault::Versions)?;
        let uid = Uuid::new_v4().to_string();
        let review = json!({
            "kind": KIND, "apiVersion": format!("{GROUP}/{version}"), "request": question(&uid, resource, request),
        });
        let body = serde_json::to_vec(&review).map_err(|error| CallFault::Client(error.to_string()))?;
        Ok(Self { version, uid, mutating, body: body.into() })
    }

    /// Returns the answer in a body. Fails when it is no review, or breaks the protocol.
    pub(super) fn read(&self, body: &[u8]) -> Result<Answer, CallFault> {
        let wire: Wire = serde_json::from_slice(body).map_err(|error| CallFault::Undecodable(error.to_string()))?;
        self.check_kind(&wire)?;
        if self.version == external::VERSION {
            return external::read(body);
        }
        let found = gvk(wire.api_version.as_deref(), wire.kind.as_deref());
        Ok(self.verified(wire.response.ok_or(ReviewFault::Absent)?, found)?)
    }

    /// Go's decoder does not make one kind or version into another; where there is none, it takes the one that it expects.
    fn check_kind(&self, wire: &Wire) -> Result<(), CallFault> {
        let (Some(api_version), Some(kind)) = (wire.api_version.as_deref(), wire.kind.as_deref()) else { return Ok(()) };
        if kind == KIND && api_version.strip_prefix(GROUP).and_then(|rest| rest.strip_prefix('/')) == Some(self.version) {
            return Ok(());
        }
        let (found, version) = (api_version.rsplit('/').next().unwrap_or_default(), self.version);
        Err(CallFault::Undecodable(format!("converting ({found}.{kind}) to ({version}.{KIND}): unknown conversion")))
    }

    /// Returns what a response says. Fails when it is for another question, of another version than `found`, or has a patch that it may
    /// not have.
    fn verified(&self, response: Response, found: String) -> Result<Answer, ReviewFault> {
        let patch = response.patch.unwrap_or_default();
        if self.version == "v1" {
            let uid = response.uid.unwrap_or_default();
            if uid != self.uid {
                return Err(ReviewFault::Uid { expected: self.uid.clone(), found: uid });
            }
            let expected = gvk(Some(&format!("{GROUP}/v1")), Some(KIND));
            if found != expected {
                return Err(ReviewFault::Version { expected, found });
            }
            self.check_patch(&patch, response.patch_type.as_deref())?;
        }
        let patch = if self.mutating { patch } else { String::new() };
        let patch = STANDARD.decode(patch)?;
        let patch_type = response.patch_type.filter(|_| self.version == "v1").unwrap_or_else(|| JSON_PATCH.to_owned());
        let (status, warnings) = (response.status.filter(Json::is_object), response.warnings.unwrap_or_default());
        let (allowed, audit_annotations) = (response.allowed.unwrap_or(false), response.audit_annotations.unwrap_or_default());
        Ok(Answer { allowed, status, patch: Patch { text: patch, patch_type }, warnings, audit_annotations })
    }

    /// Fails when a patch has no type, a type has no patch, or either comes from a validating webhook.
    fn check_patch(&self, patch: &str, patch_type: Option<&str>) -> Result<(), ReviewFault> {
        match (self.mutating, patch.is_empty(), patch_type) {
            (false, false, _) => Err(ReviewFault::ValidatingPatch),
            (false, true, Some(_)) => Err(ReviewFault::ValidatingPatchType),
            (true, false, None) => Err(ReviewFault::NoPatchType),
            (true, true, Some(_)) => Err(ReviewFault::NoPatch),
            (true, false, Some("")) => Err(ReviewFault::EmptyPatchType),
            _ => Ok(()),
        }
    }
}

/// As Go prints a GroupVersionKind.
fn gvk(api_version: Option<&str>, kind: Option<&str>) -> String {
    let api_version = api_version.unwrap_or_default();
    let group_version = if api_version.contains('/') { api_version.to_owned() } else { format!("/{api_version}") };
    format!("{group_version}, Kind={}", kind.unwrap_or_default())
}

#[cfg(test)]
mod tests;
