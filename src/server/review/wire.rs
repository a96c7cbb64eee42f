//! AdmissionReview on the wire: v1 and v1beta1 (`request`/`response`), v1alpha1 (`spec`/`status`).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use super::verdict::Verdict;
use crate::server::limits::explain;

const TOO_MANY: u16 = 429;
/// Seconds.
const RETRY_AFTER: u32 = 1;

/// The versions that are answered, each in its own form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// `admission.k8s.io/v1`.
    V1,
    /// `admission.k8s.io/v1beta1`.
    V1beta1,
    /// `admission.k8s.io/v1alpha1`: no uid, no patch.
    V1alpha1,
}

/// What is asked, in every version the same.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// Echoed.
    pub uid: String,
    /// What the object is.
    pub kind: GroupVersionKind,
    /// What was asked for.
    pub resource: GroupVersionResource,
    /// Set for `scale`, `status`, …
    pub sub_resource: String,
    /// Empty with generateName.
    pub name: String,
    /// Of the request; the object may leave it out.
    pub namespace: String,
    /// CREATE, UPDATE, DELETE or CONNECT.
    pub operation: String,
    /// Who writes, as the API server authenticated him.
    pub user_info: UserInfo,
    /// The new object; not parsed yet, so that one that is too deep can be denied by uid.
    pub object: Option<Box<RawValue>>,
    /// The stored object.
    pub old_object: Option<Box<RawValue>>,
}

/// An authenticated user.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInfo {
    /// Such as `system:kube-controller-manager`.
    pub username: String,
    /// Such as `system:authenticated`.
    pub groups: Vec<String>,
}

/// Names a kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GroupVersionKind {
    /// Empty for the core group.
    pub group: String,
    /// Such as `v1`.
    pub version: String,
    /// Such as `ReplicaSet`.
    pub kind: String,
}

/// Names a resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GroupVersionResource {
    /// Empty for the core group.
    pub group: String,
    /// Such as `v1`.
    pub version: String,
    /// Such as `replicasets`.
    pub resource: String,
}

/// A body that is not a review; answered 400.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// No JSON, or fields of another type.
    #[error("the body is no AdmissionReview: {0}")]
    Malformed(String),
    /// JSON of something else.
    #[error("expected AdmissionReview of admission.k8s.io/v1, v1beta1 or v1alpha1, got `{kind}` of `{api_version}`")]
    WrongType {
        /// As sent.
        kind: String,
        /// As sent.
        api_version: String,
    },
    /// A review that asks nothing.
    #[error("the AdmissionReview of `{0}` has no `{1}`")]
    NoRequest(&'static str, &'static str),
    /// Only hooks of v1alpha1 have no path.
    #[error("reviews of `{0}` are sent to /mutate or /validate: give the webhook's clientConfig that path")]
    NoPath(&'static str),
    /// v1 and v1beta1 answer by uid.
    #[error("the AdmissionReview of `{0}` has no `request.uid`")]
    NoUid(&'static str),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    request: Option<Request>,
    #[serde(default)]
    spec: Option<Request>,
}

impl Version {
    /// As in `apiVersion`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "admission.k8s.io/v1",
            Self::V1beta1 => "admission.k8s.io/v1beta1",
            Self::V1alpha1 => "admission.k8s.io/v1alpha1",
        }
    }

    pub(super) fn of(api_version: &str) -> Option<Self> {
        [Self::V1, Self::V1beta1, Self::V1alpha1].into_iter().find(|v| v.api_version() == api_version)
    }
}

impl GroupVersionKind {
    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// Reads a review of any version.
pub fn parse(body: &[u8]) -> Result<(Version, Request), ReviewError> {
    let envelope: Envelope = serde_json::from_slice(body).map_err(|error| ReviewError::Malformed(explain(&error)))?;
    let version = Version::of(&envelope.api_version).filter(|_| envelope.kind == "AdmissionReview");
    let Some(version) = version else {
        return Err(ReviewError::WrongType { kind: envelope.kind, api_version: envelope.api_version });
    };
    let (request, field) = match version {
        Version::V1 | Version::V1beta1 => (envelope.request, "request"),
        Version::V1alpha1 => (envelope.spec, "spec"),
    };
    let request = request.ok_or(ReviewError::NoRequest(version.api_version(), field))?;
    if version != Version::V1alpha1 && request.uid.is_empty() {
        return Err(ReviewError::NoUid(version.api_version()));
    }
    Ok((version, request))
}

/// Reads a review that came without a path, as hooks of v1alpha1 are asked. Fails for later versions, too: their configurations name the
/// endpoint.
pub fn parse_external(body: &[u8]) -> Result<(Version, Request), ReviewError> {
    match parse(body)? {
        (Version::V1alpha1, request) => Ok((Version::V1alpha1, request)),
        (version, _) => Err(ReviewError::NoPath(version.api_version())),
    }
}

/// The answer, in the version asked.
pub fn answer(version: Version, uid: &str, verdict: &Verdict) -> Json {
    let body = match version {
        Version::V1 | Version::V1beta1 => json!({ "response": response(uid, verdict) }),
        Version::V1alpha1 => json!({ "status": alpha_status(verdict) }),
    };
    let mut review = json!({ "kind": "AdmissionReview", "apiVersion": version.api_version() });
    if let (Json::Object(review), Json::Object(body)) = (&mut review, body) {
        review.extend(body);
    }
    review
}

fn response(uid: &str, verdict: &Verdict) -> Json {
    let mut response = json!({ "uid": uid, "allowed": verdict.denied.is_none() });
    let Some(fields) = response.as_object_mut() else { return response };
    if let Some(denied) = &verdict.denied {
        fields.insert("status".into(), status(denied.code, denied.reason, &denied.message));
    } else if !verdict.patch.is_empty() {
        let patch = Json::Array(verdict.patch.clone()).to_string();
        fields.insert("patch".into(), BASE64_STANDARD.encode(patch).into());
        fields.insert("patchType".into(), "JSONPatch".into());
    }
    if !verdict.audit.is_empty() {
        fields.insert("auditAnnotations".into(), json!(verdict.audit));
    }
    if !verdict.warnings.is_empty() {
        fields.insert("warnings".into(), json!(verdict.warnings));
    }
    response
}

fn alpha_status(verdict: &Verdict) -> Json {
    match &verdict.denied {
        None => json!({ "allowed": true }),
        Some(denied) => json!({ "allowed": false, "status": status(denied.code, denied.reason, &denied.message) }),
    }
}

/// A Kubernetes Status, as inner status of a denial or as the body of an HTTP error. Of 429 it says when to try again: clients of
/// the API server do so by themselves.
pub fn status(code: u16, reason: &str, message: &str) -> Json {
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {},
        "status": "Failure", "reason": reason, "message": message, "code": code,
    });
    if let Some(fields) = status.as_object_mut().filter(|_| code == TOO_MANY) {
        fields.insert("details".into(), json!({ "retryAfterSeconds": RETRY_AFTER }));
    }
    status
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::server::review::verdict::Denial;

    fn body(version: &str, field: &str) -> Vec<u8> {
        let request = json!({"uid": "u1", "operation": "CREATE", "subResource": "scale", "object": {"a": 1}, "oldObject": null});
        json!({"kind": "AdmissionReview", "apiVersion": format!("admission.k8s.io/{version}"), field: request}).to_string().into()
    }

    #[test]
    fn all_versions_are_read() {
        for (version, field) in [("v1", "request"), ("v1beta1", "request"), ("v1alpha1", "spec")] {
            let (read, request) = parse(&body(version, field)).unwrap();
            assert!(read.api_version().ends_with(version));
            assert_eq!((request.uid.as_str(), request.sub_resource.as_str()), ("u1", "scale"));
            assert_eq!(request.object.unwrap().get(), r#"{"a":1}"#);
            assert!(request.old_object.is_none());
        }
    }

    #[test]
    fn what_is_no_review_says_why() {
        let table = [
            ("".into(), "no AdmissionReview: EOF"),
            ("{}".into(), "got `` of ``"),
            (r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2"}"#.into(), "admission.k8s.io/v2"),
            (r#"{"kind":"Pod","apiVersion":"admission.k8s.io/v1"}"#.into(), "got `Pod`"),
            (String::from_utf8(body("v1", "spec")).unwrap(), "no `request`"),
            (String::from_utf8(body("v1alpha1", "request")).unwrap(), "no `spec`"),
            (r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}"#.into(), "request.uid"),
        ];
        for (body, part) in table {
            let error = parse(body.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{body}: {error}");
        }
    }

    #[test]
    fn an_object_that_is_too_deep_leaves_the_envelope_readable() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let text =
            format!(r#"{{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{{"uid":"u","object":{deep}}}}}"#);
        assert_eq!(parse(text.as_bytes()).unwrap().1.uid, "u");
    }

    #[test]
    fn the_answer_has_the_version_asked_and_echoes_the_uid() {
        let verdict = Verdict {
            denied: None,
            patch: vec![json!({"op": "remove", "path": "/x"})],
            warnings: vec!["w".into()],
            audit: BTreeMap::from([("outcome".into(), "place".into())]),
        };
        for version in [Version::V1, Version::V1beta1] {
            let answer = answer(version, "u", &verdict);
            assert_eq!(answer["apiVersion"], version.api_version());
            assert_eq!(answer["response"]["uid"], "u");
            assert_eq!(answer["response"]["allowed"], true);
            assert_eq!(answer["response"]["patchType"], "JSONPatch");
            let patch = BASE64_STANDARD.decode(answer["response"]["patch"].as_str().unwrap()).unwrap();
            assert_eq!(patch, br#"[{"op":"remove","path":"/x"}]"#);
            assert_eq!(answer["response"]["warnings"], json!(["w"]));
        }
        assert_eq!(answer(Version::V1alpha1, "u", &verdict)["status"], json!({"allowed": true}));
    }

    #[test]
    fn a_denial_has_a_status_and_no_patch() {
        let denied = Some(Denial { code: 403, reason: "Forbidden", message: "reason(s): a; b".into() });
        let verdict = Verdict { denied, patch: vec![json!({})], ..Verdict::default() };
        let v1 = answer(Version::V1, "u", &verdict);
        assert_eq!(v1["response"]["status"]["code"], 403);
        assert_eq!(v1["response"]["status"]["message"], "reason(s): a; b");
        assert!(v1["response"].get("patch").is_none() && v1["response"].get("patchType").is_none());
        let alpha = answer(Version::V1alpha1, "u", &verdict);
        assert_eq!(alpha["status"]["allowed"], false);
        assert_eq!(alpha["status"]["status"]["reason"], "Forbidden");
    }
}
