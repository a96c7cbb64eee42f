//! What an answer's status means. Source: `apimachinery` `pkg/api/errors`, `NewGenericServerResponse`.

use reqwest::StatusCode;
use serde::Deserialize;

use crate::admission::webhook::error::CallFault;

/// Characters of a message that are shown.
const LONGEST: usize = 2048;

/// As upstream's client, which takes no more than these for a success.
pub(super) fn is_success(status: StatusCode) -> bool {
    (200..=206).contains(&status.as_u16())
}

/// What an error means, in the words of Go's client. Of the body only the message of a Status is shown: the rest is anybody's
/// (CVE-2020-8561).
pub(super) fn answered(status: StatusCode, body: &[u8]) -> CallFault {
    let said = serde_json::from_slice::<Said>(body).ok().filter(|said| said.kind == "Status" && !said.message.is_empty());
    let message = match (said, status.as_u16()) {
        (Some(said), _) => said.message.chars().filter(|c| !c.is_control()).take(LONGEST).collect(),
        (None, 400) => "the server rejected our request for an unknown reason".to_owned(),
        (None, 401) => "the server has asked for the client to provide credentials".to_owned(),
        (None, 404) => "the server could not find the requested resource".to_owned(),
        (None, 405) => "the server does not allow this method on the requested resource".to_owned(),
        (None, 429) => "the server has received too many requests and has asked us to try again later".to_owned(),
        (None, 503) => "the server is currently unable to handle the request".to_owned(),
        (None, 504) => "the server was unable to return a response in the time allotted".to_owned(),
        (None, 500..) => "an error on the server (\"unknown\") has prevented the request from succeeding".to_owned(),
        (None, code) => {
            let rest = if status.is_redirection() { "; redirects are not followed" } else { "" };
            format!("the server responded with the status code {code} but did not return more information{rest}")
        }
    };
    CallFault::Answered { code: status.as_u16(), message }
}

/// A `Status`, as far as it is shown.
#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
}
