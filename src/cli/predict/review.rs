//! Asks the API server who sends the request, by a SelfSubjectReview.

use std::collections::BTreeMap;

use plimsoll_apiserver::authn::User;
use plimsoll_sidecar::cluster::Fault;
use serde::Deserialize;
use serde_json::json;

use super::api::Server;

const PATH: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/// Why it is not known who asks.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReviewError {
    /// The API server refused the review, or did not answer.
    #[error("the SelfSubjectReview cannot be read: {0}")]
    Refused(#[source] Fault),
    /// The answer is no SelfSubjectReview.
    #[error("the SelfSubjectReview cannot be read: {0}")]
    Malformed(#[source] serde_json::Error),
}

#[derive(Deserialize)]
struct Review {
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    user_info: Info,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Info {
    username: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

/// Returns the user that the API server takes the request to come from: whoever calls it, or the user of `--as`. Fails when the server
/// refuses the review, or answers something else.
pub(super) async fn who(server: &Server) -> Result<User, ReviewError> {
    let question = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let answer = server.send("POST", PATH, &question).await.map_err(ReviewError::Refused)?;
    let review: Review = serde_json::from_value(answer).map_err(ReviewError::Malformed)?;
    let Info { username, uid, groups, extra } = review.status.user_info;
    Ok(User { name: username, uid, groups, extra })
}
