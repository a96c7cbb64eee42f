//! One decision onto one object: a merge-patch that holds only for the version that was decided on.

use std::time::Duration;

use kube::Client;
use kube::api::{Patch as Body, PatchParams};
use kube::core::Request;
use serde_json::json;

use super::COMPONENT;
use super::lease::Right;
use crate::cluster::Fault;
use crate::cluster::path;
use crate::metrics::Metrics;
use crate::plan::row::Patch;
use crate::results::WriteEnd;

/// A write takes longer than this only when the API server is in trouble.
const ANSWER: Duration = Duration::from_secs(10);

/// Writes patches.
#[derive(Clone)]
pub struct Apply {
    client: Client,
    leading: Right,
    metrics: Metrics,
}

/// How a patch ended, and why it failed if it did.
#[derive(Debug)]
pub struct Written {
    /// How.
    pub end: WriteEnd,
    /// Why not.
    pub fault: Option<Fault>,
}

impl Apply {
    /// `leading`: this replica may write.
    pub fn new(client: Client, leading: Right, metrics: Metrics) -> Self {
        Self { client, leading, metrics }
    }

    /// Writes one patch, unless this replica loses the right to write meanwhile.
    pub async fn write(mut self, patch: &Patch) -> Written {
        let timer = self.metrics.write_seconds.start_timer();
        let written = tokio::select! {
            biased;
            () = self.leading.lost() => Written { end: WriteEnd::Cancelled, fault: None },
            sent = send(&self.client, patch) => match sent {
                Ok(()) => Written { end: WriteEnd::Patched, fault: None },
                Err(fault) => Written { end: end_of(&fault), fault: Some(fault) },
            },
        };
        timer.observe_duration();
        self.metrics.write(written.end);
        written
    }
}

async fn send(client: &Client, patch: &Patch) -> Result<(), Fault> {
    let subject = &patch.subject;
    let namespace = Some(subject.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let params = PatchParams { field_manager: Some(COMPONENT.into()), ..PatchParams::default() };
    let request = Request::new(path(&subject.gvr, namespace)).patch(&subject.name, &params, &Body::Merge(body(patch)));
    let answer = tokio::time::timeout(ANSWER, client.request_text(request.map_err(Fault::Request)?)).await;
    answer.map_err(|_| Fault::TimedOut(ANSWER))??;
    Ok(())
}

/// `uid` and `resourceVersion` are preconditions: the API server answers 409 if either differs.
fn body(patch: &Patch) -> serde_json::Value {
    json!({ "metadata": {
        "uid": patch.subject.uid,
        "resourceVersion": patch.subject.resource_version,
        "annotations": patch.annotations,
    } })
}

fn end_of(fault: &Fault) -> WriteEnd {
    match fault.code() {
        Some(409) => WriteEnd::Conflict,
        Some(404) => WriteEnd::Gone,
        // Too many requests, and the API server's own trouble, pass.
        Some(429 | 500..) | None => WriteEnd::Unreachable,
        Some(_) => WriteEnd::Refused,
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::outcome::Outcome;

    use super::*;
    use crate::plan::row::{plan, tests::row};

    #[test]
    fn the_body_holds_the_preconditions_and_a_removal_as_null() {
        let mut row = row(Outcome::Place, Mode::Auto, true);
        row.patch.insert("example/old".into(), None);
        let body = body(&plan(&row).patch.unwrap());
        let expected = json!({ "metadata": {
            "uid": "u1", "resourceVersion": "7", "annotations": { "example/key": "v", "example/old": null }
        } });
        assert_eq!(body, expected);
    }

    #[test]
    fn t14_each_answer_has_its_own_consequence() {
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
            assert_eq!(end_of(&answered(code)), end, "{code}");
        }
        assert_eq!(end_of(&Fault::TimedOut(ANSWER)), WriteEnd::Unreachable);
    }
}
