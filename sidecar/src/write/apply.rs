//! One decision onto one object: a merge-patch that holds only for the version that was decided on. The answer is read: the API server
//! also takes a patch that a webhook undoes in the same request.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use kube::Client;
use kube::api::{GetParams, Patch as Body, PatchParams};
use kube::core::Request as Resource;
use serde_json::json;

use super::COMPONENT;
use super::answer::{judge, still_good};
use super::lease::Right;
use super::request::{Failed, send};
use super::throttle::Permit;
use crate::cluster::Fault;
use crate::cluster::path;
use crate::metrics::Metrics;
use crate::plan::answer::Answer;
use crate::plan::row::Patch;

/// An object whose status changes all the time is read and patched again this often in one turn.
const MORE_TRIES: usize = 3;

/// Writes patches.
#[derive(Clone)]
pub struct Apply {
    client: Client,
    leading: Right,
    limit: Duration,
    pub(super) metrics: Metrics,
}

impl Apply {
    /// `leading`: this replica may write. `limit`: for each request.
    pub fn new(client: Client, leading: Right, limit: Duration, metrics: Metrics) -> Self {
        Self { client, leading, limit, metrics }
    }

    /// Whether this replica may write now.
    pub fn may_write(&self) -> bool {
        self.leading.holds()
    }

    /// Writes one patch, unless this replica loses the right to write meanwhile.
    pub async fn write(self, patch: &Patch, permit: Permit) -> Answer {
        let timer = self.metrics.write_seconds.start_timer();
        let mut leading = self.leading.clone();
        let answer = tokio::select! {
            biased;
            () = leading.lost() => Answer::Cancelled,
            written = self.patch(patch) => {
                permit.end(written.as_ref().err());
                written.unwrap_or_else(|failed| answer_of(patch, &failed.fault))
            }
        };
        timer.observe_duration();
        self.metrics.write(answer.end());
        answer
    }

    /// Patches the version that was decided on; after a conflict the present one, if nothing but its status differs.
    async fn patch(&self, patch: &Patch) -> Result<Answer, Failed> {
        let mut version = patch.subject.resource_version.clone();
        for _ in 0..=MORE_TRIES {
            let conflict = match self.patch_at(patch, &version).await {
                Err(Failed { fault, .. }) if fault.code() == Some(409) => fault,
                written => return Ok(judge(patch, &written?)?),
            };
            if patch.seen.is_none() {
                return Ok(Answer::Conflict { version: None });
            }
            let (present, is_good) = still_good(patch, &self.read(patch).await?)?;
            if is_good && present == version {
                // No other version stands in the way: somebody at admission says so, and may say otherwise the next time.
                return Ok(Answer::Refused { reason: conflict.to_string() });
            }
            version = present;
            if !is_good {
                break;
            }
        }
        Ok(Answer::Conflict { version: Some(version) })
    }

    async fn patch_at(&self, patch: &Patch, version: &str) -> Result<Bytes, Failed> {
        let params = PatchParams { field_manager: Some(COMPONENT.into()), ..PatchParams::default() };
        let request = resource(patch).patch(&patch.subject.name, &params, &Body::Merge(body(patch, version)));
        self.send(request).await
    }

    async fn read(&self, patch: &Patch) -> Result<Bytes, Failed> {
        self.send(resource(patch).get(&patch.subject.name, &GetParams::default())).await
    }

    /// Sends a request, if this replica may write.
    pub(super) async fn send(&self, request: Result<Request<Vec<u8>>, kube::core::request::Error>) -> Result<Bytes, Failed> {
        if !self.leading.holds() {
            return Err(Fault::NotLeading.into());
        }
        send(&self.client, request.map_err(Fault::Request)?, self.limit).await
    }
}

fn resource(patch: &Patch) -> Resource {
    let subject = &patch.subject;
    let namespace = Some(subject.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    Resource::new(path(&subject.gvr, namespace))
}

/// `uid` and `resourceVersion` are preconditions: the API server answers 409 if either differs.
fn body(patch: &Patch, version: &str) -> serde_json::Value {
    json!({ "metadata": {
        "uid": patch.subject.uid,
        "resourceVersion": version,
        "annotations": patch.annotations,
    } })
}

fn answer_of(patch: &Patch, fault: &Fault) -> Answer {
    if matches!(fault, Fault::NotLeading) {
        return Answer::Cancelled;
    }
    let subject = &patch.subject;
    match fault.code() {
        Some(409) => Answer::Conflict { version: None },
        Some(404) => Answer::Gone,
        // Too many requests, and the API server's own trouble, pass.
        Some(429 | 500..) | None => {
            tracing::debug!(kind = %subject.gvr, namespace = subject.namespace, name = subject.name, error = %fault, "not patched");
            Answer::Unreachable
        }
        Some(_) => {
            tracing::warn!(kind = %subject.gvr, namespace = subject.namespace, name = subject.name, error = %fault, "a patch is refused");
            Answer::Refused { reason: fault.to_string() }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::outcome::Outcome;

    use super::*;
    use crate::plan::row::{plan, tests::row};
    use crate::results::WriteEnd;

    #[test]
    fn the_body_holds_the_preconditions_and_a_removal_as_null() {
        let mut row = row(Outcome::Place, Mode::Auto, true);
        Arc::make_mut(&mut row.patch).insert("example/old".into(), None);
        let body = body(&plan(&row).patch.unwrap(), "7");
        let expected = json!({ "metadata": {
            "uid": "u1", "resourceVersion": "7", "annotations": { "example/key": "v", "example/old": null }
        } });
        assert_eq!(body, expected);
    }

    #[test]
    fn t14_each_answer_has_its_own_consequence() {
        let patch = plan(&row(Outcome::Place, Mode::Auto, true)).patch.unwrap();
        let answered = |code| Fault::Answered { code, reason: String::new(), message: String::new() };
        let cases = [
            (409, WriteEnd::Conflict),
            (404, WriteEnd::Gone),
            (403, WriteEnd::Refused),
            (422, WriteEnd::Refused),
            (429, WriteEnd::Unreachable),
            (503, WriteEnd::Unreachable),
        ];
        for (code, end) in cases {
            assert_eq!(answer_of(&patch, &answered(code)).end(), end, "{code}");
        }
        assert_eq!(answer_of(&patch, &Fault::TimedOut(Duration::ZERO)).end(), WriteEnd::Unreachable);
    }
}
