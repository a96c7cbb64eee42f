//! Who asks, as the API server knows them: it says so in a SelfSubjectReview.

use std::collections::BTreeMap;

use plimsoll_apiserver::authn::User;
use serde::Deserialize;
use serde_json::json;

use super::api::Server;

const PATH: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

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

/// The user that is meant. Without an answer: why.
pub(super) async fn who(server: &Server) -> Result<User, String> {
    let question = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let unread = |why: String| format!("the SelfSubjectReview cannot be read: {why}");
    let answer = server.send("POST", PATH, &question).await.map_err(|fault| unread(fault.to_string()))?;
    let review: Review = serde_json::from_value(answer).map_err(|error| unread(error.to_string()))?;
    let Info { username, uid, groups, extra } = review.status.user_info;
    Ok(User { name: username, uid, groups, extra })
}
