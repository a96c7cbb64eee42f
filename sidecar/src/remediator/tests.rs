//! From rows to requests, Events and gauges, against a scripted API server.

use std::sync::Arc;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::{Placement, PlacementList};
use plimsoll_contract::status::{Decided, Status};
use serde_json::{Value, json};

use super::*;
use crate::plan::brake::Stored;
use crate::plan::brake::kept::{DesiredRecord, ObservedRecord, Requests};
use crate::plan::brake::record::Record;
use crate::plan::pace::Pace;
use crate::plan::row::tests::row;
use crate::scripted::{Call, End, Scripted, call, stream};
use crate::write::lease::{Grant, Term, right};

const MILLIS: Duration = Duration::from_millis(1);
const SOON: Duration = Duration::from_secs(20);

struct Running {
    server: Scripted,
    feed: mpsc::Sender<FeedEvent>,
    leading: Grant,
    notes: Notes,
    metrics: Metrics,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
    // The engine's side; dropped, nobody tells anything any more.
    view: watch::Sender<Option<Arc<Status>>>,
    _epoch: watch::Sender<Option<String>>,
    observed: watch::Sender<Option<ObservedRecord>>,
    desires: watch::Receiver<DesiredRecord>,
}

fn status() -> Status {
    let status = json!({
        "epoch": "e", "revision": 1, "version": "", "ready": true, "notReady": [], "armed": true,
        "placementPath": "", "digest": "", "policies": {}, "sources": {},
    });
    serde_json::from_value(status).unwrap()
}

fn asking(name: &str) -> Placement {
    Placement { name: name.into(), ..row(Outcome::Place, Mode::Auto, true) }
}

fn object(version: &str, value: Option<&str>) -> Value {
    let annotations = value.map(|value| json!({ "example/key": value }));
    json!({ "metadata": { "uid": "u1", "resourceVersion": version, "annotations": annotations.unwrap_or_else(|| json!({})) } })
}

fn patching(status: u16, body: Value) -> Call {
    call(&["PATCH /apis/apps/v1/namespaces/shop/replicasets/"], status, body)
}

async fn run(calls: Vec<Call>, leads: bool) -> Running {
    let server = Scripted::start(calls).await;
    let ((feed, rows), (leading, right)) = (mpsc::channel(16), right());
    if leads {
        leading.set(Term::Endless);
    }
    let ((view_sender, view), (epoch_sender, epoch)) =
        (watch::channel(Some(Arc::new(status()))), watch::channel(Some("e".into())));
    let (notes, metrics) = (Notes::default(), Metrics::new().unwrap());
    let throttle = Throttle::new(Pace::new(4, MILLIS, MILLIS * 20), metrics.clone());
    let config = WriteConfig { first_wait: MILLIS, longest_wait: MILLIS * 10, ..WriteConfig::default() };
    let apply = Apply::new(server.client(), right.clone(), config.timeout, metrics.clone());
    let ((observed, told), (desired, desires)) = (watch::channel(None), watch::channel(Default::default()));
    let rules = crate::config::BrakeConfig::default().rules();
    let brake = Line {
        rules,
        me: "me".into(),
        lease: String::new(),
        place: None,
        observed: told,
        desired,
        started: Duration::from_secs(1_000_000),
    };
    let parts =
        Parts { feed: rows, apply, throttle, notes: notes.clone(), leading: right, view, epoch, brake, metrics: metrics.clone() };
    let stop = CancellationToken::new();
    tokio::spawn(reading(observed.clone(), desires.clone()));
    let task = tokio::spawn(Remediator::new(parts, &BudgetConfig::default(), &config).run(stop.clone()));
    Running { server, feed, leading, notes, metrics, stop, task, view: view_sender, _epoch: epoch_sender, observed, desires }
}

/// The record of the brake is there whenever somebody asks to read it.
async fn reading(observed: watch::Sender<Option<ObservedRecord>>, mut desires: watch::Receiver<DesiredRecord>) {
    while desires.changed().await.is_ok() {
        let desired = desires.borrow_and_update().clone();
        if desired.record.is_none() {
            observed.send_replace(read(Record::default(), &desired));
        }
    }
}

fn read(record: Record, desired: &DesiredRecord) -> Option<ObservedRecord> {
    Some(ObservedRecord {
        stored: Stored::Read { record: record.into(), requests: Requests::default() },
        turn: 1,
        answers: desired.number,
        pause: String::new(),
    })
}

impl Running {
    async fn lists(&self, items: Vec<Placement>) {
        let list = PlacementList { epoch: "e".into(), revision: 1, since: 0, items };
        self.feed.send(FeedEvent::Listed(list)).await.unwrap();
    }

    /// Waits until the metrics contain each line.
    async fn shows(&self, lines: &[&str]) {
        let shown = async {
            loop {
                let text = self.metrics.text().unwrap();
                if lines.iter().all(|line| text.lines().any(|shown| shown == format!("plimsoll_sidecar_{line}"))) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        if timeout(SOON, shown).await.is_err() {
            panic!("never {lines:?} in {}", self.metrics.text().unwrap());
        }
    }

    async fn ends(self) {
        self.stop.cancel();
        timeout(SOON, self.task).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_undone_patch_is_sent_until_the_answer_shows_it_and_said_as_it_is() {
    let mut calls: Vec<Call> = (0..4).map(|_| patching(200, object("7", None))).collect();
    calls.push(patching(200, object("8", Some("v"))));
    let running = run(calls, true).await;
    running.lists(vec![asking("web")]).await;
    let came = running.server.done().await;
    assert!(came.iter().all(|came| came.body == came_body()), "nothing was replicated meanwhile");
    running
        .shows(&["writes_total{result=\"reverted\"} 4", "writes_total{result=\"patched\"} 1", "pending 0", "reverted 0"])
        .await;
    let reasons: Vec<Reason> = std::iter::from_fn(|| running.notes.pop()).map(|note| note.reason).collect();
    assert_eq!(reasons, [Reason::PlacementReverted, Reason::PlacementUpdated]);
    running.ends().await;
}

#[tokio::test]
async fn a_row_of_before_an_outage_is_not_written_before_it_is_decided_again() {
    let running = run(vec![patching(200, object("8", Some("new")))], true).await;
    let says = |status: Status| running.view.send_replace(Some(Arc::new(status)));
    let decided = |revision, position| Status { revision: 7, decided: Some(Decided { revision, position }), ..status() };
    says(Status { stale: vec!["the fleet".into()], ..status() });
    running.lists(vec![asking("web")]).await;
    running.shows(&["pending 1", "repairing 0"]).await;
    // The fleet is seen again, and what it means for the row is not known yet.
    says(decided(6, 0));
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    running.shows(&["pending 1", "repairing 0"]).await;
    let again =
        Placement { patch: Arc::new([("example/key".to_owned(), Some("new".to_owned()))].into()), revision: 7, ..asking("web") };
    running.feed.send(FeedEvent::Changed(Box::new(again))).await.unwrap();
    says(decided(7, 1));
    running.feed.send(FeedEvent::Reached(1)).await.unwrap();
    let came = running.server.done().await;
    assert!(came[0].body.contains("new"), "{:?}", came[0].body);
    running.shows(&["pending 0", "repairing 1"]).await;
    running.ends().await;
}

fn came_body() -> String {
    json!({ "metadata": { "uid": "u1", "resourceVersion": "7", "annotations": { "example/key": "v" } } }).to_string()
}

#[tokio::test]
async fn a_replica_that_does_not_lead_shows_what_is_so_and_writes_nothing() {
    let running = run(vec![patching(200, object("8", Some("v")))], false).await;
    let suggested = Placement { mode: Mode::Suggest, ..asking("suggested") };
    let held = Placement { hold: true, ..asking("held") };
    running.lists(vec![asking("web"), suggested, held]).await;
    running.shows(&["pending 1", "suggested 1", "held 1", "repairing 0"]).await;
    assert_eq!(running.server.came(), 0);
    running.leading.set(Term::Endless);
    running.server.done().await;
    running.shows(&["pending 0", "suggested 1", "held 1", "repairing 1", "oldest_seconds 0"]).await;
    running.feed.send(FeedEvent::Lost).await.unwrap();
    running.shows(&["suggested 1", "held 1", "repairing 0"]).await;
    running.ends().await;
}

#[tokio::test]
async fn what_was_not_said_before_the_lease_was_lost_is_said_anew_if_it_is_still_so() {
    let running = run(vec![], true).await;
    let suggested = |name: &str| Placement { mode: Mode::Suggest, uid: name.into(), ..asking(name) };
    running.lists(vec![suggested("still"), suggested("settled")]).await;
    running.shows(&["suggested 2"]).await;
    running.leading.set(Term::Over);
    running.shows(&["repairing 0"]).await;
    assert_eq!(running.notes.pop(), None, "taken back");
    running.lists(vec![suggested("still"), Placement { patch: Default::default(), ..suggested("settled") }]).await;
    running.shows(&["suggested 1"]).await;
    running.leading.set(Term::Endless);
    running.shows(&["repairing 1"]).await;
    let said = async {
        loop {
            match running.notes.pop() {
                Some(note) => return note.subject.name,
                None => running.notes.news().await,
            }
        }
    };
    assert_eq!(timeout(SOON, said).await.unwrap(), "still");
    assert_eq!(running.notes.pop(), None);
    running.ends().await;
}

#[tokio::test]
async fn a_row_that_waits_to_be_tried_again_is_pending_and_gets_older() {
    let mut calls: Vec<Call> = (0..3).map(|_| patching(503, json!({ "kind": "Status", "code": 503, "reason": "x" }))).collect();
    calls.push(stream(&["PATCH "], "", End::Hang));
    let running = run(calls, true).await;
    running.lists(vec![asking("web")]).await;
    running.server.done().await;
    running.shows(&["writes_total{result=\"unreachable\"} 3", "pending 1", "slowed 1"]).await;
    assert!(running.metrics.oldest_seconds.get() > 0.0);
    running.leading.set(Term::Over);
    running.shows(&["writes_total{result=\"cancelled\"} 1", "pending 1"]).await;
    running.ends().await;
}

fn moving(name: &str) -> Placement {
    use plimsoll_contract::moves::{Cause, Move};
    Placement { moves: Some(Arc::new(Move { from: vec![], cause: Cause::First, urgent: false })), ..asking(name) }
}

#[tokio::test]
async fn a_move_is_written_when_its_announcement_is_and_one_too_many_stops_all() {
    let mut running = run(vec![patching(200, object("8", Some("v"))), patching(200, object("8", Some("v")))], true).await;
    running.lists(vec![moving("one")]).await;
    let announced = |desired: &DesiredRecord| desired.record.as_ref().is_some_and(|record| !record.moved.is_empty());
    let desired = timeout(SOON, running.desires.wait_for(announced)).await.unwrap().unwrap().clone();
    running.shows(&["pending 1", "brake_moved 0", "brake_on 0"]).await;
    running.observed.send_replace(read(desired.record.clone().unwrap(), &desired));
    running.shows(&["writes_total{result=\"patched\"} 1", "moves_total{cause=\"first\",result=\"counted\"} 1"]).await;
    // Ten may, and these are twelve: even what moves nothing of its own object is written, and nothing else.
    let more = (0..12).map(|number| Placement { uid: number.to_string(), ..moving(&number.to_string()) });
    running.lists(more.chain([asking("still")]).collect()).await;
    running.shows(&["writes_total{result=\"patched\"} 2", "brake_on 1", "brake_held 12"]).await;
    let came = running.server.done().await;
    assert!(came[1].line.contains("/still"), "{:?}", came[1].line);
    running.ends().await;
}
