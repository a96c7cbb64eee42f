//! `AdmissionReview` of `admission.k8s.io/v1alpha1`: the question is the review's `spec`, the answer its `status`. There is no uid,
//! no dry run and no patch. Source: `k8s.io/api/admission/v1alpha1` of Kubernetes 1.8.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Answer, GROUP, KIND, Review, question};
use crate::admission::webhook::error::CallFault;
use crate::admission::{Attributes, Operation};
use crate::resources::Resource;

pub(super) const VERSION: &str = "v1alpha1";

#[derive(Deserialize)]
struct Wire {
    status: Option<Status>,
}

#[derive(Deserialize)]
struct Status {
    allowed: Option<bool>,
    status: Option<Json>,
}

impl Review {
    /// A question in the only version that hooks of `v1alpha1` speak.
    pub(in crate::admission::webhook) fn external(resource: &Resource, request: &Attributes) -> Result<Self, CallFault> {
        let mut spec = question("", resource, request);
        if let Some(fields) = spec.as_object_mut() {
            for later in ["uid", "requestKind", "requestResource", "requestSubResource", "dryRun", "options"] {
                fields.remove(later);
            }
            // What is deleted was shown from 1.15 on.
            if request.operation != Operation::Update {
                fields.insert("oldObject".to_owned(), Json::Null);
            }
        }
        let review = json!({
            "kind": KIND, "apiVersion": format!("{GROUP}/{VERSION}"), "spec": spec, "status": {"allowed": false},
        });
        let body = serde_json::to_vec(&review).map_err(|error| CallFault::Client(error.to_string()))?;
        Ok(Self { version: VERSION, uid: String::new(), mutating: false, body: body.into() })
    }
}

/// What a body answers; a review without a status says no, as its zero value does in Go.
pub(super) fn read(body: &[u8]) -> Result<Answer, CallFault> {
    let wire: Wire = serde_json::from_slice(body).map_err(|error| CallFault::Undecodable(error.to_string()))?;
    let status = wire.status.unwrap_or(Status { allowed: None, status: None });
    let (allowed, why) = (status.allowed.unwrap_or(false), status.status.filter(Json::is_object));
    Ok(Answer { allowed, status: why, ..Answer::default() })
}
