//! What the audit log is told of a request: as it came, as it was read, and what was answered.

use actix_web::http::header::{HeaderValue, USER_AGENT};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use time::OffsetDateTime;

use super::info::{Info, Target, Verb};
use super::respond::Failure;
use crate::audit::{Answered, ObjectRef, Receipt, Stage, Trail};
use crate::server::ApiServer;

/// Longest text of a caller's that is written.
const LONGEST: usize = 2 << 10;

/// What upstream's proxies call a caller who did not wait; no answer has it.
const HUNG_UP: u16 = 499;

/// A request as it came. Its line is written whatever becomes of it: who hangs up may have changed something all the same.
pub(super) struct Entry {
    server: Data<ApiServer>,
    trail: Trail,
    id: String,
    uri: String,
    source: Option<String>,
    user_agent: String,
    received: OffsetDateTime,
    is_recorded: bool,
}

/// What was answered.
struct Said {
    stage: Option<Stage>,
    code: u16,
    reason: String,
    message: String,
}

impl Entry {
    /// Remembers what is gone when the answer is there.
    pub(super) fn new(server: &Data<ApiServer>, trail: &Trail, http: &HttpRequest, id: &HeaderValue) -> Self {
        let uri = http.uri().path_and_query().map_or("", |uri| uri.as_str());
        let agent = http.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        Self {
            server: server.clone(),
            trail: trail.clone(),
            id: id.to_str().unwrap_or_default().to_owned(),
            uri: start(uri),
            source: http.peer_addr().map(|peer| peer.ip().to_string()),
            user_agent: start(agent),
            received: OffsetDateTime::now_utc(),
            is_recorded: false,
        }
    }

    /// Gives the line of an answer to the log, and returns what is waited for before the answer is sent.
    pub(super) fn answered(mut self, response: &HttpResponse, panicked: bool) -> Option<Receipt> {
        let (reason, message) = response.extensions().get().map(said).unwrap_or_default();
        let stage = panicked.then_some(Stage::Panic);
        self.record(Said { stage, code: response.status().as_u16(), reason, message })
    }

    /// Gives the line to the log, if there is one.
    fn record(&mut self, said: Said) -> Option<Receipt> {
        self.is_recorded = true;
        let log = self.server.audit.as_ref()?;
        let subject = self.trail.subject();
        let Said { stage, code, reason, message } = said;
        let is_watched = subject.verb == "watch" && code < 400;
        let stage = stage.unwrap_or(if is_watched { Stage::ResponseStarted } else { Stage::ResponseComplete });
        let (id, uri, user_agent) = (self.id.clone(), self.uri.clone(), self.user_agent.clone());
        let (source, received) = (self.source.clone(), self.received);
        let answered = Answered { id, stage, uri, source, user_agent, code, reason, message, received };
        Some(log.record(&subject, &answered))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if !self.is_recorded {
            let message = "the caller hung up before the answer; what was asked may have been done".to_owned();
            // Nobody is left who could wait.
            let _receipt = self.record(Said { stage: None, code: HUNG_UP, reason: String::new(), message });
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

/// Whether a path tells how the server is: its answers wait for no line, or a log that stands still would have the server restarted.
pub(super) fn is_probe(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    ["healthz", "livez", "readyz", "metrics"].contains(&first)
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
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
