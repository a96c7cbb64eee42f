//! What the audit log is told of a request: as it came, as it was read, and what was answered.

use actix_web::http::header::{HeaderValue, USER_AGENT};
use actix_web::{HttpRequest, HttpResponse};
use time::OffsetDateTime;

use super::info::{Info, Target, Verb};
use super::respond::Failure;
use crate::audit::{Answered, ObjectRef, Stage, Trail};
use crate::server::ApiServer;

/// Longest text of a caller's that is written.
const LONGEST: usize = 2 << 10;

/// A request as it came.
pub(super) struct Entry {
    id: String,
    uri: String,
    source: Option<String>,
    user_agent: String,
    received: OffsetDateTime,
}

impl Entry {
    /// Remembers what is gone when the answer is there.
    pub(super) fn new(http: &HttpRequest, id: &HeaderValue) -> Self {
        let uri = http.uri().path_and_query().map_or("", |uri| uri.as_str());
        let agent = http.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        Self {
            id: id.to_str().unwrap_or_default().to_owned(),
            uri: start(uri),
            source: http.peer_addr().map(|peer| peer.ip().to_string()),
            user_agent: start(agent),
            received: OffsetDateTime::now_utc(),
        }
    }

    /// Writes the line, if there is a log. One that cannot be written is counted; the request has been answered already.
    pub(super) fn write(self, server: &ApiServer, trail: &Trail, response: &HttpResponse, panicked: bool) {
        let Some(log) = &server.audit else { return };
        let subject = trail.subject();
        let stage = match subject.verb.as_str() {
            _ if panicked => Stage::Panic,
            "watch" if response.status().is_success() => Stage::ResponseStarted,
            _ => Stage::ResponseComplete,
        };
        let (reason, message) = response.extensions().get().map(said).unwrap_or_default();
        let Self { id, uri, source, user_agent, received } = self;
        let code = response.status().as_u16();
        let answered = Answered { id, stage, uri, source, user_agent, code, reason, message, received };
        match log.write(&subject, &answered) {
            Ok(written) => server.metrics.audited(written),
            Err(error) => {
                tracing::error!(%error, "the audit log cannot be written");
                server.metrics.not_audited();
            }
        }
    }
}

/// Notes what a request is about before its caller is known; nothing, if its path cannot be read.
pub(super) fn begin(trail: &Trail, http: &HttpRequest, target: Option<&Target>) {
    trail.note(|subject| {
        subject.verb = http.method().as_str().to_ascii_lowercase();
        match target {
            Some(Target::Path(path)) => subject.path = Some(path.clone()),
            Some(Target::Resource(info)) => subject.object = Some(object(info)),
            None => {}
        }
    });
}

/// Notes what a request asks for.
pub(super) fn asks(trail: &Trail, verb: Verb, info: &Info) {
    trail.note(|subject| {
        verb.name().clone_into(&mut subject.verb);
        subject.object = Some(object(info));
    });
}

fn said(Failure(status): &Failure) -> (String, String) {
    let reason = serde_json::to_value(&status.reason).unwrap_or_default();
    (reason.as_str().unwrap_or_default().to_owned(), status.message.clone())
}

fn object(info: &Info) -> ObjectRef {
    let Info { group, version, resource, subresource, namespace, name } = info.clone();
    ObjectRef { resource, namespace, name, api_group: group, api_version: version, subresource }
}

fn start(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
