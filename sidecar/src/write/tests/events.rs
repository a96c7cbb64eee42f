//! Events.

use std::time::Duration;

use plimsoll_contract::kind::Gvr;
use serde_json::{Value, json};

use super::failure;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::note::{Note, Reason, Subject};
use crate::plan::pace::Pace;
use crate::scripted::{Call, Scripted, call};
use crate::write::events::{Events, Manner};
use crate::write::lease::{Grant, Term, right};
use crate::write::throttle::Throttle;

const EVENTS: &str = "POST /api/v1/namespaces/shop/events?";

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

struct Running {
    server: Scripted,
    notes: Notes,
    leading: Grant,
    metrics: Metrics,
    task: tokio::task::JoinHandle<()>,
}

async fn run(calls: Vec<Call>) -> Running {
    let server = Scripted::start(calls).await;
    let (leading, receiver) = right();
    let (notes, metrics) = (Notes::default(), Metrics::new().unwrap());
    let throttle = Throttle::new(Pace::new(4, Duration::from_millis(10), Duration::from_millis(50)), metrics.clone());
    let manner = Manner { throttle, limit: Duration::from_secs(10), instance: "me".into() };
    let events = Events::new(server.client(), notes.clone(), receiver, manner, metrics.clone());
    let task = tokio::spawn(events.run());
    Running { server, notes, leading, metrics, task }
}

#[tokio::test]
async fn t15_an_event_is_created_once_and_counted_when_it_exists() {
    let event = json!({ "metadata": { "name": "web.1" }, "involvedObject": {}, "count": 4 });
    let running = run(vec![
        call(&[EVENTS, "fieldManager=plimsoll"], 201, &event),
        call(&[EVENTS], 409, failure(409)),
        call(&["PATCH /api/v1/namespaces/shop/events/web."], 200, &event),
        call(&["PATCH /api/v1/namespaces/shop/events/web."], 200, &event),
    ])
    .await;
    assert!(running.notes.say(note(Reason::PlacementUpdated)) && running.notes.say(note(Reason::PlacementKept)));
    running.leading.set(Term::Endless);
    let came = running.server.done().await;
    running.task.abort();
    let body: Value = serde_json::from_str(&came[0].body).unwrap();
    assert_eq!(body["involvedObject"]["uid"], "u1");
    assert_eq!(body["reason"], "PlacementUpdated");
    let counted: Value = serde_json::from_str(&came[3].body).unwrap();
    assert_eq!((came[2].body.as_str(), &counted["count"]), ("{}", &json!(5)));
}

#[tokio::test]
async fn an_object_of_which_only_the_name_is_known_is_looked_up_first() {
    const MAP: &str = "GET /api/v1/namespaces/shop/configmaps/brake";
    let found = json!({ "kind": "ConfigMap", "metadata": { "name": "brake", "uid": "u9", "resourceVersion": "3" } });
    let event = json!({ "metadata": {}, "involvedObject": {} });
    let running = run(vec![
        call(&[MAP], 503, failure(503)),
        call(&[MAP], 200, &found),
        call(&[EVENTS], 503, failure(503)),
        call(&[EVENTS], 201, &event),
        call(&[MAP], 404, failure(404)),
        call(&[EVENTS], 201, &event),
    ])
    .await;
    running.leading.set(Term::Endless);
    for (reason, message) in [(Reason::BrakeOn, "on"), (Reason::BrakeOff, "off")] {
        assert!(running.notes.say(Note::new(Subject::config_map("shop", "brake"), reason, message.into())));
    }
    let came = running.server.done().await;
    running.task.abort();
    let object = |at: usize| serde_json::from_str::<Value>(&came[at].body).unwrap()["involvedObject"].clone();
    assert_eq!((&object(3)["uid"], &object(3)["resourceVersion"]), (&json!("u9"), &json!("3")));
    let gone = json!({ "apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "brake" });
    assert_eq!(object(5), gone, "said by its name");
}

#[tokio::test]
async fn an_event_outlives_the_api_servers_trouble_and_not_its_refusal() {
    let other = Note { message: "other".into(), ..note(Reason::PlacementKept) };
    let mut calls: Vec<Call> = (0..5).map(|_| call(&[EVENTS], 503, failure(503))).collect();
    calls.push(call(&[EVENTS], 201, json!({ "metadata": {}, "involvedObject": {} })));
    calls.push(call(&[EVENTS], 403, failure(403)));
    calls.push(call(&[EVENTS], 201, json!({ "metadata": {}, "involvedObject": {} })));
    let running = run(calls).await;
    running.leading.set(Term::Endless);
    for note in [note(Reason::PlacementUpdated), other, note(Reason::PlacementDenied)] {
        assert!(running.notes.say(note));
    }
    let came = running.server.done().await;
    running.task.abort();
    let reason = |body: &str| serde_json::from_str::<Value>(body).unwrap()["reason"].clone();
    let reasons: Vec<Value> = came.iter().map(|came| reason(&came.body)).collect();
    assert_eq!(reasons[5..], ["PlacementUpdated", "PlacementKept", "PlacementDenied"]);
    let text = running.metrics.text().unwrap();
    assert!(text.contains("plimsoll_sidecar_events_total{result=\"failed\"} 1"), "{text}");
}
