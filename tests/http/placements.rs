//! The table of placed objects: lists, filters, and the stream.

use futures::StreamExt;
use plimsoll_contract::placement::{PlacementEvent, PlacementList};
use serde_json::{Value as Json, json};

use super::decisions::{BY_NAME, KEYS};
use super::sources::{declare, sync};
use super::support::{Engine, engine, eventually, replica_set};

const REPLICA_SETS: &str = "apps/v1/replicasets";

async fn fleet(engine: &Engine, names: &[&str]) -> String {
    let kinds = json!([{"gvr": REPLICA_SETS, "kind": "ReplicaSet", "place": true, "mode": "auto"}]);
    let session = declare(engine, "fleet", kinds).await.session;
    let objects: Vec<Json> = names.iter().map(|name| stored(name)).collect();
    let answer = sync(engine, "fleet", &session, REPLICA_SETS, "replace", &objects).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    session
}

fn stored(name: &str) -> Json {
    let mut object = replica_set(name);
    object["metadata"]["uid"] = format!("u-{name}").into();
    object["metadata"]["resourceVersion"] = "7".into();
    object
}

async fn list(engine: &Engine, query: &str) -> PlacementList {
    let answer = engine.get(&format!("/plimsoll/v1/placements{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_value(answer.json()).unwrap()
}

async fn settled(engine: &Engine, rows: usize) -> PlacementList {
    eventually("every row is there", async || {
        let list = list(engine, "").await;
        (list.items.len() == rows).then_some(list)
    })
    .await
}

#[tokio::test]
async fn rows_can_be_filtered() {
    let engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    fleet(&engine, &["placed", "denied", "other", "invalid"]).await;
    settled(&engine, 4).await;
    let table = [
        ("?outcome=place", 1),
        ("?outcome=denied", 1),
        ("?outcome=invalid", 1),
        ("?outcome=unavailable", 1),
        ("?outcome=stale", 0),
        ("?pending", 1),
        ("?kind=apps/v1/replicasets", 4),
        ("?kind=ReplicaSet&namespace=shop", 4),
        ("?kind=replicasets&namespace=other", 0),
        ("?cluster=nowhere", 0),
    ];
    for (query, rows) in table {
        assert_eq!(list(&engine, query).await.items.len(), rows, "{query}");
    }
    for (query, part) in [("?colour=red", "colour"), ("?outcome=odd", "odd"), ("?kind=Pod", "Pod"), ("?watch", "since")] {
        let answer = engine.get(&format!("/plimsoll/v1/placements{query}")).await;
        assert!(answer.status == 400 && answer.text.contains(part), "{answer:?}");
    }
    let metrics = engine.get("/metrics").await.text;
    assert!(metrics.contains("plimsoll_placements{outcome=\"place\"} 1"), "{metrics}");
}

#[tokio::test]
async fn a_watch_goes_on_where_the_list_ended() {
    let engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let session = fleet(&engine, &["other"]).await;
    let since = settled(&engine, 1).await.since;
    let url = format!("{}/plimsoll/v1/placements?watch&since={since}", engine.api);
    let mut events = Events::new(engine.client.get(url).send().await.unwrap());
    assert!(matches!(events.next().await, PlacementEvent::Bookmark { seq, .. } if seq == since));
    let put = [json!({"put": stored("placed")})];
    sync(&engine, "fleet", &session, REPLICA_SETS, "delta", &put).await;
    let PlacementEvent::Changed { seq, placement, .. } = events.next_change().await else { panic!("a change is expected") };
    assert!(seq > since);
    assert_eq!(
        (placement.name.as_str(), placement.uid.as_str(), placement.resource_version.as_str()),
        ("placed", "u-placed", "7")
    );
    assert_eq!(placement.patch["example.com/where"].as_deref(), Some("eu"));
    let remove = [json!({"remove": {"namespace": "shop", "name": "placed"}})];
    sync(&engine, "fleet", &session, REPLICA_SETS, "delta", &remove).await;
    assert!(matches!(events.next_change().await, PlacementEvent::Removed { name, .. } if name == "placed"));
}

#[tokio::test]
async fn t10_a_position_of_another_process_is_gone() {
    let engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let since = list(&engine, "").await.since;
    for query in ["since=1".to_owned(), format!("since={since}&epoch=other")] {
        let answer = engine.get(&format!("/plimsoll/v1/placements?watch&{query}")).await;
        assert!(answer.status == 410 && answer.text.contains("list"), "{query}: {answer:?}");
    }
}

#[tokio::test]
async fn a_watch_ends_when_the_engine_leaves() {
    let mut engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let since = list(&engine, "").await.since;
    let url = format!("{}/plimsoll/v1/placements?watch&since={since}", engine.api);
    let mut body = engine.client.get(url).send().await.unwrap().bytes_stream();
    engine.signal("TERM");
    while body.next().await.is_some() {}
    assert!(engine.ended().await.success(), "a stream does not hold up the end");
}

/// One event per line.
struct Events {
    body: futures::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: Vec<u8>,
}

impl Events {
    fn new(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { body: response.bytes_stream().boxed(), text: Vec::new() }
    }

    async fn next(&mut self) -> PlacementEvent {
        loop {
            if let Some(end) = self.text.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.text.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            self.text.extend(self.body.next().await.expect("the stream goes on").unwrap());
        }
    }

    async fn next_change(&mut self) -> PlacementEvent {
        loop {
            match self.next().await {
                PlacementEvent::Bookmark { .. } => {}
                change => return change,
            }
        }
    }
}
