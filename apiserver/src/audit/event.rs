//! One line: `audit.k8s.io/v1` `Event` at the level `Metadata`.

use std::collections::BTreeMap;

use serde::Serialize;
use time::OffsetDateTime;

use super::trail::{ObjectRef, Subject};
use crate::authn::User;

/// When an event is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Stage {
    /// A watch has begun to answer.
    ResponseStarted,
    /// The answer is made.
    ResponseComplete,
    /// The request ended in a panic.
    Panic,
}

/// What came in, and what was answered when.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The request's id, which its answer has too.
    pub id: String,
    /// When.
    pub stage: Stage,
    /// Path and query, as they came.
    pub uri: String,
    /// The address of the caller.
    pub source: Option<String>,
    /// The caller's program.
    pub user_agent: String,
    /// HTTP status code, and reason and message where it is a failure.
    pub code: u16,
    /// The status' reason; empty if there is none.
    pub reason: String,
    /// The status' message; empty if there is none.
    pub message: String,
    /// When the request came.
    pub received: OffsetDateTime,
}

/// One line of the log.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'a> {
    kind: &'static str,
    api_version: &'static str,
    level: &'static str,
    #[serde(rename = "auditID")]
    audit_id: &'a str,
    stage: Stage,
    #[serde(rename = "requestURI")]
    request_uri: &'a str,
    verb: &'a str,
    user: UserInfo<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impersonated_user: Option<UserInfo<'a>>,
    #[serde(rename = "sourceIPs", skip_serializing_if = "Vec::is_empty")]
    source_ips: Vec<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    user_agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_ref: Option<&'a ObjectRef>,
    response_status: ResponseStatus<'a>,
    request_received_timestamp: String,
    stage_timestamp: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'a str, &'a str>,
}

#[derive(Debug, Default, Serialize)]
struct UserInfo<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    username: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    uid: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    groups: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<&'a BTreeMap<String, Vec<String>>>,
}

#[derive(Debug, Serialize)]
struct ResponseStatus<'a> {
    metadata: BTreeMap<(), ()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    code: u16,
}

impl<'a> Event<'a> {
    /// Returns the line of a request that was answered at `now`.
    pub fn new(subject: &'a Subject, answered: &'a Answered, now: OffsetDateTime) -> Self {
        let Answered { id, stage, uri, source, user_agent, code, reason, message, received } = answered;
        Self {
            kind: "Event",
            api_version: "audit.k8s.io/v1",
            level: "Metadata",
            audit_id: id,
            stage: *stage,
            request_uri: uri,
            verb: &subject.verb,
            user: subject.user.as_ref().map(UserInfo::of).unwrap_or_default(),
            impersonated_user: subject.impersonated.as_ref().map(UserInfo::of),
            source_ips: source.iter().map(String::as_str).collect(),
            user_agent,
            object_ref: subject.object.as_ref(),
            response_status: ResponseStatus {
                metadata: BTreeMap::new(),
                status: (*code >= 400).then_some("Failure"),
                message,
                reason,
                code: *code,
            },
            request_received_timestamp: text(*received),
            stage_timestamp: text(now),
            // Ours are last: they win.
            annotations: subject
                .quoted
                .iter()
                .chain(&subject.annotations)
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect(),
        }
    }
}

impl<'a> UserInfo<'a> {
    fn of(user: &'a User) -> Self {
        let extra = Some(&user.extra).filter(|extra| !extra.is_empty());
        Self { username: &user.name, uid: &user.uid, groups: &user.groups, extra }
    }
}

/// With microseconds, as upstream's `MicroTime`.
fn text(time: OffsetDateTime) -> String {
    let (date, (hour, minute, second, micros)) = (time.date(), time.to_hms_micro());
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}
