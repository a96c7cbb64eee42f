//! Patches, Events and the Lease against a scripted API server.

mod brake;
mod events;
mod patches;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::status::Status;
use plimsoll_contract::still::Still;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::leader::LeaderReporter;
use super::lease::{Election, Elector, Grant, Holder, Right, Sighting, Term, right};
use crate::config::LeaseConfig;
use crate::metrics::Metrics;
use crate::replicate::session::{Keeper, Standing};
use crate::scripted::{Call, End, Scripted, call, stream};

const SOON: Duration = Duration::from_secs(20);

fn failure(code: u16) -> Value {
    let reason = if code == 404 { "NotFound" } else { "Other" };
    json!({ "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "because" })
}

fn granted() -> (Grant, Right) {
    let (grant, right) = right();
    grant.set(Term::Endless);
    (grant, right)
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
    by(ready, "p1")
}

fn by(ready: bool, digest: &str) -> Option<Arc<Status>> {
    let status = json!({
        "epoch": "e", "revision": 1, "version": "", "ready": ready, "notReady": [], "armed": true,
        "placementPath": "", "digest": digest, "policies": {}, "sources": {},
    });
    Some(Arc::new(serde_json::from_value(status).unwrap()))
}

struct Competition {
    server: Scripted,
    right: Right,
    sighting: watch::Receiver<Sighting>,
    view: watch::Sender<Option<Arc<Status>>>,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

/// The same, with a look that may take its time.
fn patient() -> LeaseConfig {
    LeaseConfig { duration: SOON * 2, renew_deadline: SOON, ..hurried() }
}

/// Client-go's durations, in less time.
fn hurried() -> LeaseConfig {
    let millis = Duration::from_millis;
    let (duration, renew_deadline, retry_period) = (Duration::from_secs(1), millis(200), millis(20));
    LeaseConfig { namespace: "ns".into(), name: "plimsoll".into(), duration, renew_deadline, retry_period }
}

async fn compete(calls: Vec<Call>) -> Competition {
    compete_for(hurried(), status(true), calls).await
}

async fn compete_for(config: LeaseConfig, status: Option<Arc<Status>>, calls: Vec<Call>) -> Competition {
    let server = Scripted::start(calls).await;
    let (view, receiver) = watch::channel(status);
    let (elector, told) = Elector::new(&server.client(), Some(&config), "me".into(), receiver, Metrics::new().unwrap());
    let Election { right, sighting } = told;
    let stop = CancellationToken::new();
    let running = tokio::spawn(elector.run(stop.clone()));
    Competition { server, right, sighting, view, stop, running }
}

impl Competition {
    async fn leads(&mut self, expected: bool) {
        let turned = async { if expected { self.right.held().await } else { self.right.lost().await } };
        timeout(SOON, turned).await.unwrap_or_else(|_| panic!("leading is never {expected}"));
    }

    async fn sees(&mut self, name: &str, policy: &str) {
        let expected = Holder { name: name.into(), policy: policy.into() };
        let is_it = |seen: &Sighting| seen.as_ref().is_some_and(|(holder, _)| *holder == expected);
        timeout(SOON, self.sighting.wait_for(is_it)).await.unwrap_or_else(|_| panic!("never seen: {expected:?}")).unwrap();
    }
}

#[tokio::test]
async fn a_free_lease_is_taken_renewed_and_given_back() {
    let calls = vec![
        call(&["GET ", LEASE], 404, failure(404)),
        call(&["POST ", LEASE], 201, lease("1", Some("me"))),
        get(lease("1", Some("me"))),
        put(200, lease("2", Some("me"))),
        // A look that does not end, so that none comes between it and the end of the term.
        stream(&["GET ", LEASE], "", End::Hang),
        // Given back.
        get(lease("2", Some("me"))),
        put(200, lease("3", None)),
        // From then on it is only read.
        stream(&["GET ", LEASE], "", End::Hang),
    ];
    let mut competition = compete_for(patient(), status(true), calls).await;
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

/// A Lease that says by which policies its holder places.
fn annotated(version: &str, holder: Option<&str>, policy: &str) -> Value {
    let mut lease = lease(version, holder);
    lease["metadata"]["annotations"] = json!({ "plimsoll.io/policy": policy });
    lease
}

#[tokio::test]
async fn the_holder_says_by_which_policies_it_places_and_says_at_once_when_they_change() {
    // Nothing but news brings the next look.
    let (duration, renew_deadline, retry_period) = (SOON * 40, SOON * 20, SOON * 10);
    let slow = LeaseConfig { duration, renew_deadline, retry_period, ..hurried() };
    let calls = vec![
        get(annotated("1", None, "p0")),
        put(200, annotated("2", Some("me"), "p1")),
        get(annotated("2", Some("me"), "p1")),
        put(200, annotated("3", Some("me"), "p2")),
    ];
    let mut competition = compete_for(slow, by(true, "p1"), calls).await;
    competition.sees("me", "p1").await;
    competition.view.send_replace(by(true, "p1"));
    competition.view.send_replace(by(true, "p2"));
    competition.sees("me", "p2").await;
    let came = competition.server.done().await;
    competition.running.abort();
    for (at, policy) in [(1, "p1"), (3, "p2")] {
        let written: Value = serde_json::from_str(&came[at].body).unwrap();
        assert_eq!(written["metadata"]["annotations"]["plimsoll.io/policy"], policy);
    }
}

#[tokio::test]
async fn a_replica_that_may_not_lead_reads_what_the_lease_says_all_the_same() {
    let hang = stream(&["GET ", LEASE], "", End::Hang);
    let calls = vec![get(lease("1", Some("you"))), get(annotated("2", None, "p1")), hang];
    let mut competition = compete_for(patient(), status(false), calls).await;
    competition.sees("", "p1").await;
    assert_eq!(competition.server.done().await.len(), 3, "read, and never taken");
    competition.running.abort();
}

// --- leader ---

#[tokio::test]
async fn the_engine_is_told_who_holds_the_lease_and_again_when_it_is_another() {
    let declared = json!({ "epoch": "e", "session": "s1", "revision": 1 });
    let path = "PUT /plimsoll/v1/sources/fed/leader ";
    let server = Scripted::start(vec![call(&[path], 204, ""), call(&[path], 503, "{}"), call(&[path], 204, "")]).await;
    let (standing, sessions) = Keeper::channel();
    standing.send_replace(Standing::Active(Arc::new(serde_json::from_value(declared).unwrap())));
    let holder = |name: &str| Some((Holder { name: name.into(), policy: "p".into() }, Instant::now()));
    let (sender, sighting) = watch::channel(holder("a"));
    let (_stays, still) = watch::channel(Some(Still::default()));
    let reporter = LeaderReporter { engine: server.engine(), source: "fed".into(), sessions, sighting, still };
    let running = tokio::spawn(reporter.run());
    for came in 1..=3 {
        let arrives = async {
            while server.came() < came {
                server.next().await;
            }
        };
        timeout(SOON, arrives).await.unwrap();
        // Failed, it is said again with the next look at the Lease.
        sender.send_replace(holder("b"));
    }
    let came = server.done().await;
    running.abort();
    let bodies: Vec<Value> = came.iter().map(|came| serde_json::from_str(&came.body).unwrap()).collect();
    assert_eq!(bodies[0], json!({ "session": "s1", "holder": "a", "policy": "p" }));
    assert_eq!((&bodies[1]["holder"], &bodies[2]["holder"]), (&json!("b"), &json!("b")));
}
