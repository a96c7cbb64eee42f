//! The record of the brake against a scripted API server.

use plimsoll_contract::still::{Scopes, Still};

use super::*;
use crate::plan::brake::Stored;
use crate::plan::brake::kept::{DesiredRecord, ObservedRecord, Requests};
use crate::plan::brake::record::Record;
use crate::write::brake::{KEY, Keeper, PAUSE, Place, RELEASE};

const MAPS: &str = "/api/v1/namespaces/ns/configmaps";

struct Kept {
    server: Scripted,
    observed: watch::Receiver<Option<ObservedRecord>>,
    desired: watch::Sender<DesiredRecord>,
    still: watch::Receiver<Option<Still>>,
    running: tokio::task::JoinHandle<()>,
    _leading: Grant,
}

fn map(version: &str, record: Option<&str>, release: Option<&str>) -> Value {
    json!({
        "metadata": { "name": "brake", "namespace": "ns", "resourceVersion": version, "annotations": release.map(|text| json!({ RELEASE: text })) },
        "data": record.map(|record| json!({ KEY: record })),
    })
}

fn braked() -> Still {
    Still { braked: Scopes::read("fleet").0, ..Still::default() }
}

fn record(holder: &str) -> Record {
    Record { holder: holder.into(), moved: [(7, "0123456789".to_owned())].into(), ..Record::default() }
}

fn read(status: u16, body: Value) -> Call {
    call(&["GET ", MAPS, "/brake"], status, body)
}

async fn keep(calls: Vec<Call>) -> Kept {
    let server = Scripted::start(calls).await;
    let (grant, leading) = granted();
    let ((observed, told), (desired, desires), (stays, still)) =
        (watch::channel(None), watch::channel(DesiredRecord::default()), watch::channel(None));
    let place = Some(Place::new(&server.client(), "ns", "brake"));
    let keeper = Keeper { place, leading, desired: desires, observed, still: stays, unread: braked(), limit: SOON };
    Kept { server, observed: told, desired, still, running: tokio::spawn(keeper.run()), _leading: grant }
}

impl Kept {
    async fn tells(&mut self, is_meant: impl Fn(&ObservedRecord) -> bool) -> ObservedRecord {
        let told = timeout(SOON, self.observed.wait_for(|observed| observed.as_ref().is_some_and(&is_meant))).await;
        told.unwrap().unwrap().clone().unwrap()
    }

    async fn ends(self) -> Vec<String> {
        let came = self.server.done().await;
        self.running.abort();
        came.into_iter().map(|came| came.body).collect()
    }
}

fn is_record(observed: &ObservedRecord, holder: &str) -> bool {
    matches!(&observed.stored, Stored::Read { record, .. } if record.holder == holder)
}

#[tokio::test]
async fn a_record_is_made_and_what_people_release_in_it_is_told() {
    let text = serde_json::to_string(&record("me")).unwrap();
    let mut kept = keep(vec![
        read(404, failure(404)),
        read(404, failure(404)),
        call(&["POST ", MAPS], 201, map("5", Some(&text), None)),
        read(200, map("6", Some(&text), Some("0123456789"))),
    ])
    .await;
    let first = kept.tells(|_| true).await;
    assert_eq!(
        first,
        ObservedRecord {
            stored: Stored::Read { record: Record::default().into(), requests: Requests::default() },
            turn: 1,
            answers: 0,
            pause: String::new()
        }
    );
    kept.desired.send_replace(DesiredRecord { record: Some(record("me")), after: 1, number: 1 });
    kept.tells(|observed| is_record(observed, "me")).await;
    let last = kept.tells(|observed| observed.turn == 2).await;
    assert_eq!(
        last.stored,
        Stored::Read { record: record("me").into(), requests: Requests { release: "0123456789".into(), ..Requests::default() } }
    );
    let bodies = kept.ends().await;
    let sent: Value = serde_json::from_str(&bodies[2]).unwrap();
    assert_eq!(serde_json::from_str::<Record>(sent["data"][KEY].as_str().unwrap()).unwrap(), record("me"));
}

#[tokio::test]
async fn what_another_replica_wrote_is_read_before_it_is_written_over() {
    let theirs = Record {
        trips: vec![crate::plan::brake::record::TripRecord { namespace: None, cluster: None, since: 7, moves: 5, limit: 3 }],
        ..record("you")
    };
    let theirs = serde_json::to_string(&theirs).unwrap();
    let mut kept = keep(vec![
        read(200, map("5", None, None)),
        read(200, map("6", Some(&theirs), None)),
        read(200, map("6", Some(&theirs), None)),
        call(&["PUT ", MAPS, "/brake"], 409, failure(409)),
        read(200, map("7", Some(&theirs), None)),
    ])
    .await;
    kept.tells(|_| true).await;
    kept.desired.send_replace(DesiredRecord { record: Some(record("me")), after: 1, number: 1 });
    let observed = kept.tells(|observed| is_record(observed, "you")).await;
    assert_eq!((observed.turn, kept.still.borrow().clone().unwrap().braked.fleet), (2, true), "nothing was written");
    kept.desired.send_replace(DesiredRecord { record: Some(record("me")), after: 2, number: 2 });
    assert!(is_record(&kept.tells(|observed| observed.turn == 3).await, "you"));
    kept.ends().await;
}

#[tokio::test]
async fn a_record_that_is_taken_away_is_still_known_and_one_that_cannot_be_read_is_a_failure() {
    let text = serde_json::to_string(&record("you")).unwrap();
    let mut kept = keep(vec![
        read(200, map("5", Some(&text), None)),
        read(404, failure(404)),
        read(403, failure(403)),
        read(200, map("9", Some("{\"moved\": 1}"), None)),
    ])
    .await;
    kept.tells(|observed| observed.turn == 1).await;
    assert!(is_record(&kept.tells(|observed| observed.turn == 2).await, "you"));
    let failed = |text: &'static str| move |observed: &ObservedRecord| matches!(&observed.stored, Stored::Failed(reason) if reason.contains(text));
    kept.tells(failed("the right is in the Role of what was installed")).await;
    assert_eq!(*kept.still.borrow(), Some(Still::default()), "as it was read last");
    kept.tells(failed("remove its key `record`")).await;
    kept.ends().await;
}

#[tokio::test]
async fn one_that_is_gone_is_to_be_created_and_only_a_missing_right_is_said_to_be_missing() {
    let mut kept = keep(vec![
        read(404, failure(404)),
        read(404, failure(404)),
        call(&["POST ", MAPS], 403, failure(403)),
        read(401, failure(401)),
    ])
    .await;
    kept.tells(|observed| observed.turn == 1).await;
    kept.desired.send_replace(DesiredRecord { record: Some(record("me")), after: 1, number: 1 });
    let is_failed = |observed: &ObservedRecord, text: &str| matches!(&observed.stored, Stored::Failed(reason) if reason.contains(text) && !reason.contains("Role"));
    kept.tells(|observed| is_failed(observed, "create it by `kubectl create configmap brake -n ns`: 403")).await;
    kept.tells(|observed| is_failed(observed, "cannot be read or written: 401")).await;
    kept.ends().await;
}

#[tokio::test]
async fn what_was_never_read_stands_still_and_what_is_paused_stays_so_without_the_object() {
    let mut paused = map("5", None, None);
    paused["metadata"]["annotations"] = json!({ PAUSE: "namespace/shop" });
    let mut kept = keep(vec![
        read(403, failure(403)),
        read(200, paused),
        read(404, failure(404)),
        read(404, failure(404)),
        call(&["POST ", MAPS], 201, map("7", None, None)),
    ])
    .await;
    kept.tells(|observed| matches!(observed.stored, Stored::Failed(_))).await;
    assert_eq!(*kept.still.borrow(), Some(braked()));
    let is_paused = |requests: &Requests| requests.pause == "namespace/shop";
    let paused = |turn| {
        move |observed: &ObservedRecord| {
            observed.turn == turn && matches!(&observed.stored, Stored::Read { requests, .. } if is_paused(requests))
        }
    };
    kept.tells(paused(1)).await;
    assert_eq!(kept.still.borrow().as_ref().unwrap().paused.to_string(), "namespace/shop");
    kept.tells(paused(2)).await;
    kept.desired.send_replace(DesiredRecord { record: Some(record("me")), after: 2, number: 1 });
    let bodies = kept.ends().await;
    let sent: Value = serde_json::from_str(&bodies[4]).unwrap();
    assert_eq!(sent["metadata"]["annotations"][PAUSE], "namespace/shop", "it is not lost with the object");
}

#[tokio::test]
async fn what_is_paused_is_read_beside_a_record_that_cannot_be_and_stays_when_the_object_is_made_anew() {
    let with = |version: &str, record: Option<&str>, pause: Option<&str>| {
        let mut map = map(version, record, None);
        map["metadata"]["annotations"] = pause.map_or_else(|| json!({}), |pause| json!({ PAUSE: pause }));
        map
    };
    let text = serde_json::to_string(&record("you")).unwrap();
    let mut kept = keep(vec![
        read(200, with("5", Some("no record"), Some("fleet"))),
        read(200, with("6", Some(&text), Some("fleet"))),
        // Deleted, and applied as the manifests have it.
        read(200, with("9", None, None)),
        read(200, with("10", Some(&text), None)),
    ])
    .await;
    let failed = kept.tells(|observed| matches!(observed.stored, Stored::Failed(_))).await;
    assert_eq!(failed.pause, "fleet");
    assert_eq!(kept.still.borrow().as_ref().unwrap().paused.to_string(), "fleet");
    kept.tells(|observed| observed.turn == 1).await;
    assert_eq!(kept.tells(|observed| observed.turn == 2).await.pause, "fleet");
    assert_eq!(kept.tells(|observed| observed.turn == 3).await.pause, "", "somebody has ended it");
    kept.ends().await;
}
