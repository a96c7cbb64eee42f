//! One initializer between a scripted API server, a scripted engine, and a server that takes its writes.

use std::path::Path;

use plimsoll_contract::status::Status;
use serde_json::{Value as Json, json};
use tokio::sync::watch;

use super::*;
use crate::plan::pace::Pace;
use crate::scripted::{Call, Came, End, Scripted, call, stream};
use crate::write::lease::{Grant, Term, right};

const NAME: &str = "placement.example.com";
const FLAG: &str = "includeUninitialized=true";
const DECIDE: &[&str] = &["POST /v0/data/kubernetes/placement "];

fn object(name: &str, version: &str, pending: &[&str]) -> Json {
    let pending: Vec<Json> = pending.iter().map(|name| json!({"name": name})).collect();
    json!({"metadata": {
        "name": name, "namespace": "n", "uid": name, "resourceVersion": version, "initializers": {"pending": pending},
    }})
}

fn list(items: &[Json]) -> Call {
    let body = json!({ "metadata": { "resourceVersion": "10" }, "items": items });
    call(&["GET /apis/apps/v1/replicasets?", FLAG], 200, body)
}

fn watching(events: &[Json]) -> Call {
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    stream(&["GET /apis/apps/v1/replicasets?", "watch=true", FLAG], lines, End::Hang)
}

fn patch(name: &str, status: u16) -> Call {
    call(&[&format!("PATCH /apis/apps/v1/namespaces/n/replicasets/{name}?"), "fieldManager=plimsoll"], status, json!({}))
}

struct World {
    api: Scripted,
    engine: Scripted,
    writes: Scripted,
    grant: Grant,
    _view: watch::Sender<Option<Arc<Status>>>,
}

async fn world(api: Vec<Call>, engine: Vec<Call>, writes: Vec<Call>) -> World {
    let (api, engine, writes) = (Scripted::start(api).await, Scripted::start(engine).await, Scripted::start(writes).await);
    let text =
        format!("engine: {{url: '{}'}}\nkinds: [{{gvr: apps/v1/replicasets, kind: ReplicaSet, place: true}}]", engine.url());
    let config = Arc::new(Config::parse(Path::new("sync.yaml"), &text).unwrap());
    let metrics = Metrics::new().unwrap();
    let status: Status = serde_json::from_value(json!({
        "epoch": "e", "revision": 1, "version": "", "ready": true, "notReady": [], "armed": true,
        "placementPath": "kubernetes/placement", "digest": "", "policies": {}, "sources": {},
    }))
    .unwrap();
    let (view, seen) = watch::channel(Some(Arc::new(status)));
    let (grant, leading) = right();
    let limit = Duration::from_secs(10);
    let initializer = Initializer {
        name: NAME.into(),
        connection: Connection::of(api.client()),
        engine: engine.engine(),
        row: 0,
        discovered: Discovered::of(config.kinds.clone()),
        config,
        view: seen,
        apply: Apply::new(writes.client(), leading, limit, metrics.clone()),
        throttle: Throttle::new(Pace::new(4, Duration::from_millis(1), Duration::from_secs(1)), metrics.clone()),
        metrics,
    };
    tokio::spawn(initializer.run());
    World { api, engine, writes, grant, _view: view }
}

fn metadata(came: &Came) -> Json {
    serde_json::from_str::<Json>(&came.body).unwrap()["metadata"].take()
}

#[tokio::test]
async fn what_waits_for_us_is_decided_and_written_and_nothing_else() {
    let items = [object("ours", "1", &[NAME, "b.x.y"]), object("other", "2", &["b.x.y", NAME])];
    let events = [
        json!({"type": "ADDED", "object": object("denied", "11", &[NAME])}),
        json!({"type": "MODIFIED", "object": object("other", "12", &[NAME])}),
    ];
    let placed = json!({"annotations": {"a": "1"}});
    let engine = vec![call(DECIDE, 200, &placed), call(DECIDE, 200, json!({"errors": ["no"]})), call(DECIDE, 404, json!({}))];
    let writes = vec![patch("ours", 200), patch("denied", 200), patch("other", 409)];
    let world = world(vec![list(&items), watching(&events)], engine, writes).await;
    world.grant.set(Term::Endless);
    let asked = world.engine.done().await;
    let first: Json = serde_json::from_str(&asked[0].body).unwrap();
    assert_eq!((&first["kind"], first["metadata"].get("initializers")), (&json!("ReplicaSet"), None));
    let written: Vec<Json> = world.writes.done().await.iter().map(metadata).collect();
    let rest = json!({"pending": [{"name": "b.x.y"}]});
    assert_eq!(written[0], json!({"uid": "ours", "resourceVersion": "1", "annotations": {"a": "1"}, "initializers": rest}));
    assert_eq!(written[1]["initializers"]["result"]["message"], "reason(s): no");
    assert_eq!(written[2]["initializers"]["result"]["message"], "policy decision is undefined");
}

#[tokio::test]
async fn an_engine_that_cannot_decide_is_asked_again_and_so_is_an_api_server_in_trouble() {
    let placed = json!({"annotations": {"a": "1"}});
    let unfit = call(DECIDE, 200, json!({"errors": "no"}));
    let engine = vec![call(DECIDE, 503, json!({})), unfit, call(DECIDE, 200, &placed), call(DECIDE, 200, &placed)];
    let writes = vec![patch("ours", 503), patch("ours", 200)];
    let world = world(vec![list(&[object("ours", "1", &[NAME])]), watching(&[])], engine, writes).await;
    world.grant.set(Term::Endless);
    world.engine.done().await;
    let written = world.writes.done().await;
    assert_eq!(metadata(&written[1])["initializers"], Json::Null);
}

/// Of several sidecars the one with the Lease initializes.
#[tokio::test]
async fn who_does_not_lead_asks_nobody() {
    let placed = json!({"annotations": {"a": "1"}});
    let api = vec![list(&[object("ours", "1", &[NAME])]), watching(&[])];
    let world = world(api, vec![call(DECIDE, 200, &placed)], vec![patch("ours", 200)]).await;
    world.api.done().await;
    assert_eq!((world.engine.came(), world.writes.came()), (0, 0));
    world.grant.set(Term::Endless);
    world.engine.done().await;
    world.writes.done().await;
}
