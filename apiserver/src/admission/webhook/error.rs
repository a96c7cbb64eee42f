//! What can go wrong with one call of a webhook, in upstream's words. Source: `apiserver` `pkg/util/webhook/error.go`,
//! `pkg/admission/plugin/webhook/errors`.

use serde_json::Value as Json;

use crate::status::{Details, Reason, Status};

/// A call that admits nothing.
#[derive(Debug)]
pub enum CallError {
    /// No verdict: the failure policy decides.
    Failed(CallFault),
    /// The webhook's verdict.
    Denied(Status),
    /// What the webhook asked for cannot be done, or it must not be asked in a dry run; whatever its failure policy says.
    Impossible(Status),
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum CallFault {
    /// It speaks none of our versions.
    #[error("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")]
    Versions,
    /// Its address or certificates cannot be used.
    #[error("could not get REST client: {0}")]
    Client(String),
    /// No answer.
    #[error("failed to call webhook: Post {url:?}: {why}")]
    Exchange {
        /// Whom we asked.
        url: String,
        /// What happened.
        why: String,
    },
    /// An answer that is an error.
    #[error("failed to call webhook: {message}")]
    Answered {
        /// Of HTTP.
        code: u16,
        /// What it means.
        message: String,
    },
    /// An answer that is no review.
    #[error("failed to call webhook: {0}")]
    Undecodable(String),
    /// A review that breaks the protocol.
    #[error("received invalid webhook response: {0}")]
    Invalid(#[from] ReviewFault),
    /// A patch that is no JSON patch.
    #[error("received undecodable patch in webhook response: {0}")]
    Patch(String),
    /// A patch of another type.
    #[error("unsupported patch type {0:?}")]
    PatchType(String),
}

/// How a review breaks the protocol. Source: `apiserver` `pkg/admission/plugin/webhook/request/admissionreview.go`.
#[derive(Debug, thiserror::Error)]
pub enum ReviewFault {
    /// The review has no `response`.
    #[error("webhook response was absent")]
    Absent,
    /// The answer to another question.
    #[error("expected response.uid={expected:?}, got {found:?}")]
    Uid {
        /// The uid of the request.
        expected: String,
        /// The uid in the webhook's response.
        found: String,
    },
    /// A review of another version, or of none.
    #[error("expected webhook response of {expected}, got {found}")]
    Version {
        /// Version and kind of the review that was sent, such as `admission.k8s.io/v1, Kind=AdmissionReview`.
        expected: String,
        /// Version and kind of the review that the webhook returned.
        found: String,
    },
    /// A patch from a webhook that may only refuse.
    #[error("validating webhook may not return response.patch")]
    ValidatingPatch,
    /// The type of a patch from a webhook that may only refuse.
    #[error("validating webhook may not return response.patchType")]
    ValidatingPatchType,
    /// A patch without its type.
    #[error("webhook returned response.patch but not response.patchType")]
    NoPatchType,
    /// The type of a patch that is not there.
    #[error("webhook returned response.patchType but not response.patch")]
    NoPatch,
    /// A patch whose type is an empty text.
    #[error("webhook returned invalid response.patchType of \"\"")]
    EmptyPatchType,
    /// A patch that is no base64.
    #[error("response.patch is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
}

impl CallFault {
    /// As metrics count it; upstream's numbers.
    pub fn code(&self) -> u16 {
        match self {
            Self::Versions | Self::PatchType(_) => 400,
            Self::Client(_) => 500,
            Self::Answered { code, .. } => *code,
            Self::Exchange { .. } | Self::Undecodable(_) | Self::Invalid(_) | Self::Patch(_) => 503,
        }
    }

    /// What the client is told under the failure policy `Fail`; of hooks of `v1alpha1` in the words of their time.
    pub fn status(&self, webhook: &str, external: bool) -> Status {
        let called = if external { "admission webhook" } else { "webhook" };
        Status::internal(format_args!("failed calling {called} {webhook:?}: {self}"))
    }
}

/// The webhook says no, with the Status that it sent, if any.
pub(super) fn denied(webhook: &str, status: Option<&Json>) -> Status {
    let text = |field: &str| status.and_then(|status| status.get(field)).and_then(Json::as_str).unwrap_or_default();
    let by = format!("admission webhook {webhook:?} denied the request");
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("{by} without explanation"),
        ("", reason) => format!("{by}: {reason}"),
        (message, _) => format!("{by}: {message}"),
    };
    let code = status.and_then(|status| status.get("code")).and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..=999).contains(code)).unwrap_or(400);
    let details = status.and_then(|status| status.get("details")).filter(|details| details.is_object());
    let mut denied = Status::new(code, Reason::named(text("reason")), message);
    if let Some(details) = details.and_then(|details| serde_json::from_value::<Details>(details.clone()).ok()) {
        denied = denied.with_details(details);
    }
    denied
}

/// A dry run must not call a webhook with side effects.
pub(super) fn no_dry_run(webhook: &str) -> Status {
    Status::bad_request(format!("admission webhook {webhook:?} does not support dry run"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_denial_keeps_what_the_webhook_said() {
        let table = [
            (None, 400, "", "without explanation"),
            (Some(json!({})), 400, "", "without explanation"),
            (Some(json!({"status": "Success", "code": 200})), 400, "", "without explanation"),
            (Some(json!({"message": "no", "code": 403, "reason": "Forbidden"})), 403, "Forbidden", ": no"),
            (Some(json!({"reason": "NoGreenEggs"})), 400, "NoGreenEggs", ": NoGreenEggs"),
            (Some(json!({"message": "no", "code": 70_000})), 400, "", ": no"),
            (Some(json!({"message": "no", "code": 301})), 400, "", ": no"),
        ];
        for (status, code, reason, end) in table {
            let denied = denied("a.example.com", status.as_ref());
            let json = denied.to_json();
            assert_eq!((denied.code, json["reason"].as_str().unwrap_or_default()), (code, reason), "{status:?}");
            assert_eq!(json["status"], "Failure");
            let head = "admission webhook \"a.example.com\" denied the request";
            assert!(denied.message.starts_with(head) && denied.message.ends_with(end), "{}", denied.message);
        }
        let details = json!({"message": "no", "details": {"causes": [{"field": "spec", "message": "bad"}]}});
        assert_eq!(denied("a.b.c", Some(&details)).details.unwrap().causes[0].field, "spec");
    }

    #[test]
    fn a_failed_call_names_the_webhook_and_what_failed() {
        let fault =
            CallFault::Exchange { url: "https://a.b.svc:443/?timeout=1s".into(), why: "context deadline exceeded".into() };
        let status = fault.status("a.example.com", false);
        let inner = "failed calling webhook \"a.example.com\": failed to call webhook: Post \"https://a.b.svc:443/?timeout=1s\": context deadline exceeded";
        assert_eq!((status.code, status.message.as_str()), (500, format!("Internal error occurred: {inner}").as_str()));
        assert_eq!(status.details.unwrap().causes[0].message, inner);
    }
}
