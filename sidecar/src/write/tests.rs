//! Patches, Events and the Lease against a scripted API server.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::{Gvr, Mode};
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::status::Status;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::apply::Apply;
use super::events::Events;
use super::lease::Elector;
use crate::config::LeaseConfig;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::note::{Note, Reason, Subject};
use crate::plan::row::{plan, tests::row};
use crate::results::WriteEnd;
use crate::scripted::{Call, End, Scripted, call, stream};

const SOON: Duration = Duration::from_secs(20);

fn failure(code: u16) -> Value {
    let reason = if code == 404 { "NotFound" } else { "Other" };
    json!({ "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "because" })
}

// --- apply ---

#[tokio::test]
async fn a_decision_is_one_merge_patch_under_our_name() {
    let path = "PATCH /apis/apps/v1/namespaces/shop/replicasets/web?&fieldManager=plimsoll ";
    let server = Scripted::start(vec![call(&[path], 200, "{}"), call(&[path], 409, failure(409))]).await;
    let (_leading, receiver) = watch::channel(true);
    let apply = Apply::new(server.client(), receiver, Metrics::new().unwrap());
    let patch = plan(&row(Outcome::Place, Mode::Auto, true)).patch.unwrap();
    assert_eq!(apply.clone().write(&patch).await.end, WriteEnd::Patched);
    assert_eq!(apply.write(&patch).await.end, WriteEnd::Conflict);
    let came = server.done().await;
    assert!(came[0].head.contains("application/merge-patch+json"));
    let body: Value = serde_json::from_str(&came[0].body).unwrap();
    assert_eq!(body["metadata"]["resourceVersion"], "7");
}

#[tokio::test]
async fn t11_a_write_under_way_is_broken_off_when_the_right_to_write_is_lost() {
    let server = Scripted::start(vec![stream(&["PATCH"], "", End::Hang)]).await;
    let (leading, receiver) = watch::channel(true);
    let apply = Apply::new(server.client(), receiver, Metrics::new().unwrap());
    let patch = plan(&row(Outcome::Place, Mode::Auto, true)).patch.unwrap();
    let writing = tokio::spawn(async move { apply.write(&patch).await.end });
    server.done().await;
    leading.send_replace(false);
    assert_eq!(timeout(SOON, writing).await.unwrap().unwrap(), WriteEnd::Cancelled);
}

// --- events ---

fn note(reason: Reason) -> Note {
    let subject = Subject {
        gvr: Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap(),
        kind: "ReplicaSet".into(),
        namespace: "shop".into(),
        name: "web".into(),
        uid: "u1".into(),
        resource_version: "7".into(),
    };
    Note::new(subject, reason, "placed on a".into())
}

#[tokio::test]
async fn t15_an_event_is_created_once_and_counted_when_it_exists() {
    let event = json!({ "metadata": { "name": "web.1" }, "involvedObject": {}, "count": 4 });
    let server = Scripted::start(vec![
        call(&["POST /api/v1/namespaces/shop/events?"], 201, &event),
        call(&["POST /api/v1/namespaces/shop/events?"], 409, failure(409)),
        call(&["PATCH /api/v1/namespaces/shop/events/web."], 200, &event),
        call(&["PATCH /api/v1/namespaces/shop/events/web."], 200, &event),
    ])
    .await;
    let (leading, receiver) = watch::channel(false);
    let notes = Notes::default();
    let events = Events::new(server.client(), notes.clone(), receiver, "me".into(), Metrics::new().unwrap());
    let running = tokio::spawn(events.run());
    assert!(notes.say(note(Reason::PlacementUpdated)) && notes.say(note(Reason::PlacementKept)));
    leading.send_replace(true);
    let came = server.done().await;
    running.abort();
    let body: Value = serde_json::from_str(&came[0].body).unwrap();
    assert_eq!(body["involvedObject"]["uid"], "u1");
    assert_eq!(body["reason"], "PlacementUpdated");
    let counted: Value = serde_json::from_str(&came[3].body).unwrap();
    assert_eq!((came[2].body.as_str(), &counted["count"]), ("{}", &json!(5)));
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
