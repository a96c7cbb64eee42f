//! Patches, Events and the Lease against a scripted API server.

mod events;
mod patches;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::status::Status;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::lease::Elector;
use crate::config::LeaseConfig;
use crate::metrics::Metrics;
use crate::scripted::{Call, End, Scripted, call, stream};

const SOON: Duration = Duration::from_secs(20);

fn failure(code: u16) -> Value {
    let reason = if code == 404 { "NotFound" } else { "Other" };
    json!({ "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "because" })
}

// --- lease ---

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";

fn lease(version: &str, holder: Option<&str>) -> Value {
    json!({
        "metadata": { "name": "plimsoll", "namespace": "ns", "resourceVersion": version },
        "spec": { "holderIdentity": holder, "leaseDurationSeconds": 15 },
    })
}

fn get(lease: Value) -> Call {
    call(&["GET ", LEASE, "/plimsoll"], 200, lease)
}

fn put(status: u16, body: Value) -> Call {
    call(&["PUT ", LEASE, "/plimsoll"], status, body)
}

fn status(ready: bool) -> Option<Arc<Status>> {
    let status = json!({
        "epoch": "e", "revision": 1, "version": "", "ready": ready, "notReady": [], "armed": true,
        "placementPath": "", "digest": "", "policies": {}, "sources": {},
    });
    Some(Arc::new(serde_json::from_value(status).unwrap()))
}

struct Competition {
    server: Scripted,
    leading: watch::Receiver<bool>,
    view: watch::Sender<Option<Arc<Status>>>,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

async fn compete(calls: Vec<Call>) -> Competition {
    let server = Scripted::start(calls).await;
    let (view, receiver) = watch::channel(status(true));
    let config = LeaseConfig { namespace: "ns".into(), name: "plimsoll".into() };
    let (elector, leading) = Elector::new(&server.client(), Some(&config), "me".into(), receiver, Metrics::new().unwrap());
    let stop = CancellationToken::new();
    let running = tokio::spawn(elector.hurried().run(stop.clone()));
    Competition { server, leading, view, stop, running }
}

impl Competition {
    async fn leads(&mut self, expected: bool) {
        let leading = timeout(SOON, self.leading.wait_for(|leading| *leading == expected)).await;
        leading.unwrap_or_else(|_| panic!("leading is never {expected}")).unwrap();
    }
}

#[tokio::test]
async fn a_free_lease_is_taken_renewed_and_given_back() {
    let mut competition = compete(vec![
        call(&["GET ", LEASE], 404, failure(404)),
        call(&["POST ", LEASE], 201, lease("1", Some("me"))),
        get(lease("1", Some("me"))),
        put(200, lease("2", Some("me"))),
        // A look that does not end, so that none comes between it and the end of the term.
        stream(&["GET ", LEASE], "", End::Hang),
        // Given back.
        get(lease("2", Some("me"))),
        put(200, lease("3", None)),
    ])
    .await;
    competition.leads(true).await;
    // The engine is not ready any more: another replica may have one that is.
    while competition.server.came() < 5 {
        competition.server.next().await;
    }
    competition.view.send_replace(status(false));
    competition.leads(false).await;
    let came = competition.server.done().await;
    let given_back: Value = serde_json::from_str(&came[6].body).unwrap();
    assert_eq!(given_back["spec"].get("holderIdentity"), None);
    competition.stop.cancel();
    timeout(SOON, competition.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn t11_of_two_that_take_the_lease_only_one_leads() {
    let mut competition = compete(vec![
        get(lease("1", None)),
        put(409, failure(409)),
        get(lease("2", Some("you"))),
        get(lease("3", None)),
        put(200, lease("4", Some("me"))),
        get(lease("5", Some("you"))),
    ])
    .await;
    competition.leads(true).await;
    competition.leads(false).await;
    assert_eq!(competition.server.came(), 6, "lost as soon as another holder was seen");
    competition.running.abort();
}

#[tokio::test]
async fn t11_without_renewal_the_right_to_write_ends_by_itself() {
    let mut calls = vec![get(lease("1", None)), put(200, lease("2", Some("me")))];
    calls.extend((0..40).map(|_| call(&["GET ", LEASE], 503, failure(503))));
    let mut competition = compete(calls).await;
    competition.leads(true).await;
    competition.leads(false).await;
    competition.running.abort();
}
