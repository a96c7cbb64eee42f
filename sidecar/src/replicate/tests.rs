//! One kind from a scripted API server into a scripted engine, and the session between them.

use serde_json::{Value, json};
use tokio::sync::watch;

use super::*;
use crate::engine::status::View;
use crate::health::Health;
use crate::replicate::age::Ages;
use crate::replicate::discovery::Discovery;
use crate::replicate::session::{Keeper, Standing};
use crate::scripted::{Call, Came, End, Scripted, call, stream};

const SYNC: &[&str] = &["POST /plimsoll/v1/sources/fed/sync"];
const DECLARE: &[&str] = &["PUT /plimsoll/v1/sources/fed "];

fn pod(name: &str) -> Value {
    json!({ "metadata": { "name": name, "namespace": "n", "resourceVersion": "1" } })
}

fn served() -> Call {
    let pods = json!({ "name": "pods", "namespaced": true, "kind": "Pod", "singularName": "", "verbs": ["list", "watch"] });
    let list = json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [pods] });
    call(&["GET /api/v1 "], 200, list)
}

fn system() -> Call {
    system_of("cluster-1")
}

fn system_of(cluster: &str) -> Call {
    let metadata = json!({ "name": "kube-system", "uid": cluster });
    let accept = "GET /api/v1/namespaces/kube-system";
    call(&[accept], 200, json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata }))
}

fn list(items: &[Value], next: &str) -> Call {
    let body = json!({ "metadata": { "resourceVersion": "10", "continue": next }, "items": items });
    call(&["GET /api/v1/pods?", "limit=500"], 200, body)
}

fn watch(events: &[Value]) -> Call {
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    stream(&["GET /api/v1/pods?", "watch=true"], lines, End::Hang)
}

fn declared(epoch: &str, session: &str) -> Call {
    let body = json!({ "epoch": epoch, "session": session, "revision": 1 });
    call(DECLARE, 200, body).header("plimsoll-epoch", epoch)
}

fn synced(epoch: &str) -> Call {
    call(SYNC, 200, json!({ "epoch": epoch, "revision": 2 })).header("plimsoll-epoch", epoch)
}

fn lines(came: &Came) -> Vec<Value> {
    came.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Discovery, keeper and one mirror; they end with the test's runtime.
struct World {
    api: Scripted,
    connection: Connection,
    engine: Scripted,
    standing: watch::Receiver<Standing>,
    loaded: Condition,
    ages: Ages,
    health: Health,
    _view: watch::Sender<Option<Arc<plimsoll_contract::status::Status>>>,
}

async fn world(api: Vec<Call>, engine: Vec<Call>) -> World {
    world_with("{}", api, engine).await
}

async fn world_with(mirror: &str, api: Vec<Call>, engine: Vec<Call>) -> World {
    let (api, engine) = (Scripted::start(api).await, Scripted::start(engine).await);
    let text = format!(
        "source: fed\nengine: {{url: '{}'}}\nkinds: [{{gvr: v1/pods}}]\nexemptNamespaces: [cilium]\nmirror: {mirror}",
        engine.url()
    );
    let config = Arc::new(Config::parse(std::path::Path::new("sync.yaml"), &text).unwrap());
    let (health, metrics) = (Health::default(), Metrics::new().unwrap());
    let connection = Connection::of(api.client());
    let (discovery, discovered) =
        Discovery::new(&connection, config.mirror, health.gate("API server", "no"), health.note("cluster", "no"));
    tokio::spawn(discovery.run(config.kinds.clone()));
    let (sender, sessions) = Keeper::channel();
    let standing = sender.subscribe();
    let (view, receiver): (_, View) = watch::channel(None);
    let client = engine.engine();
    let keeper = Keeper {
        engine: client.clone(),
        view: receiver,
        discovered: discovered.clone(),
        source: "fed".into(),
        instance: "me".into(),
        policies: false,
        exempt_namespaces: config.exempt_namespaces.clone(),
        fleet_loss: config.brake.fleet_loss(),
        take_over: config.mirror.take_over,
        declared: health.gate("session", "no"),
        metrics: metrics.clone(),
    };
    tokio::spawn(keeper.run(sender, sessions.clone()));
    let loaded = health.gate("pods", "no");
    let ages = Ages::default();
    let mirror = Mirror {
        connection: connection.clone(),
        engine: client,
        config,
        row: 0,
        discovered,
        sessions,
        loaded: loaded.clone(),
        age: ages.of("pods", true),
        metrics,
    };
    tokio::spawn(mirror.run());
    World { api, connection, engine, standing, loaded, ages, health, _view: view }
}

#[tokio::test]
async fn an_api_server_that_does_not_know_us_is_named_with_the_credentials() {
    let refused = json!({ "kind": "Status", "status": "Failure", "message": "who?", "reason": "Unauthorized", "code": 401 });
    let api = Scripted::start(vec![call(&["GET /api/v1/namespaces/kube-system"], 401, refused)]).await;
    let mut connection = Connection::of(api.client());
    connection.credentials = Some("kubeconfig `/k`".into());
    let (health, pace) = (Health::default(), Default::default());
    let (discovery, _discovered) =
        Discovery::new(&connection, pace, health.gate("API server", "no"), health.note("cluster", "no"));
    tokio::spawn(discovery.run(vec![]));
    while health.not_ready() == ["API server: no"] {
        tokio::task::yield_now().await;
    }
    assert_eq!(health.not_ready(), ["API server: 401 Unauthorized: who? (kubeconfig `/k`)"]);
}

#[tokio::test]
async fn a_kind_that_is_not_served_is_named_with_the_reason() {
    let others = json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [] });
    let world = world(vec![system(), call(&["GET /api/v1 "], 200, others)], vec![declared("e1", "s1")]).await;
    world.api.done().await;
    while world.loaded.reason().as_deref() == Some("no") {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.loaded.reason().as_deref(), Some("v1/pods is not served"));
    assert!(world.health.not_ready().contains(&"pods: v1/pods is not served".to_owned()));
}

#[tokio::test]
async fn a_kind_is_declared_loaded_whole_and_then_kept_up_to_date() {
    let events = [json!({ "type": "DELETED", "object": pod("a") })];
    let api = vec![system(), served(), list(&[pod("a")], "c1"), list(&[pod("b")], ""), watch(&events)];
    let world = world(api, vec![declared("e1", "s1"), synced("e1"), synced("e1")]).await;
    let came = world.engine.done().await;
    assert_eq!(lines(&came[0])[0]["kinds"][0]["kind"], "Pod", "the name comes from discovery");
    assert_eq!(lines(&came[0])[0]["cluster"], "cluster-1");
    assert_eq!(lines(&came[0])[0]["exemptNamespaces"], json!(["cilium"]));
    let replace = lines(&came[1]);
    let listed = replace[0]["listedMillisAgo"].as_u64().unwrap();
    let expected = json!({
        "session": "s1", "kind": "v1/pods", "mode": "replace", "resourceVersion": "10", "listedMillisAgo": listed
    });
    assert_eq!(replace[0], expected);
    assert_eq!((&replace[1]["metadata"]["name"], &replace[2]["metadata"]["name"]), (&json!("a"), &json!("b")));
    assert_eq!((&replace[1]["apiVersion"], &replace[1]["kind"]), (&json!("v1"), &json!("Pod")));
    let delta = lines(&came[2]);
    assert_eq!(delta[0], json!({ "session": "s1", "kind": "v1/pods", "mode": "delta", "resourceVersion": "1" }));
    assert_eq!(delta[1], json!({ "remove": { "namespace": "n", "name": "a" } }));
    world.api.done().await;
    assert_eq!(world.loaded.reason(), None);
    assert!(world.ages.now()[0].age.is_some());
}

#[tokio::test]
async fn a_proof_reaches_the_engine_with_its_version_and_the_age_of_its_list() {
    let newest = json!({ "metadata": { "resourceVersion": "10" }, "items": [] });
    let api = vec![system(), served(), list(&[pod("a")], ""), watch(&[]), call(&["limit=1 "], 200, newest)];
    let world = world_with("{probe: 100ms}", api, vec![declared("e1", "s1"), synced("e1"), synced("e1")]).await;
    let came = world.engine.done().await;
    let proof = lines(&came[2]);
    let listed = proof[0]["listedMillisAgo"].as_u64().unwrap();
    let expected = json!({
        "session": "s1", "kind": "v1/pods", "mode": "delta", "resourceVersion": "10", "listedMillisAgo": listed
    });
    assert_eq!((proof.len(), &proof[0]), (1, &expected));
    assert!(listed < 20_000, "{listed}");
}

#[tokio::test]
async fn a_cluster_that_does_not_tell_its_id_is_mirrored_without() {
    let forbidden = json!({ "kind": "Status", "code": 403, "reason": "Forbidden", "message": "no" });
    let refused = call(&["GET /api/v1/namespaces/kube-system"], 403, forbidden);
    let api = vec![refused, served(), list(&[pod("a")], ""), watch(&[])];
    let world = world_with("{rediscover: 1h, retry: 1h, retryMost: 1h}", api, vec![declared("e1", "s1"), synced("e1")]).await;
    let came = world.engine.done().await;
    assert_eq!(lines(&came[0])[0].get("cluster"), None);
    world.api.done().await;
    assert!(world.health.notes().join(" ").contains("cannot get namespace `kube-system`: 403"), "{:?}", world.health.notes());
}

#[tokio::test]
async fn credentials_that_lead_to_another_cluster_have_everything_loaded_again() {
    let api = vec![system(), served(), list(&[pod("a")], ""), watch(&[])];
    let engine = vec![declared("e1", "s1"), synced("e1"), declared("e1", "s2"), synced("e1")];
    // The watch is not opened again where it was, which is a version of the other cluster.
    let world = world_with("{reopen: 1h}", api, engine).await;
    world.api.done().await;
    let same = Scripted::start(vec![system()]).await;
    world.connection.exchange(same.client());
    same.done().await;
    let other = Scripted::start(vec![system_of("cluster-2"), list(&[pod("z")], ""), watch(&[])]).await;
    world.connection.exchange(other.client());
    let came = world.engine.done().await;
    assert_eq!(lines(&came[2])[0]["cluster"], "cluster-2");
    assert_eq!(lines(&came[3])[1]["metadata"]["name"], "z");
    other.done().await;
}

#[tokio::test]
async fn t10_a_new_epoch_is_declared_to_and_loaded_again() {
    let events = [json!({ "type": "ADDED", "object": pod("b") })];
    let api = vec![system(), served(), list(&[pod("a")], ""), watch(&events), list(&[pod("a"), pod("b")], ""), watch(&[])];
    let unknown = call(SYNC, 409, r#"{"message":"no such session"}"#).header("plimsoll-epoch", "e2");
    let engine = vec![declared("e1", "s1"), synced("e1"), unknown, declared("e2", "s2"), synced("e2")];
    let world = world(api, engine).await;
    let came = world.engine.done().await;
    let again = lines(&came[4]);
    assert_eq!((&again[0]["session"], &again[0]["mode"], again.len()), (&json!("s2"), &json!("replace"), 3));
    world.api.done().await;
}

#[tokio::test]
async fn t11_a_session_that_another_sidecar_ended_is_left_to_it() {
    let events = [json!({ "type": "ADDED", "object": pod("b") })];
    let api = vec![system(), served(), list(&[pod("a")], ""), watch(&events)];
    let ended = call(SYNC, 409, r#"{"message":"superseded"}"#).header("plimsoll-epoch", "e1");
    let mut world = world(api, vec![declared("e1", "s1"), synced("e1"), ended]).await;
    let standing = tokio::time::timeout(
        std::time::Duration::from_secs(20),
        world.standing.wait_for(|standing| *standing == Standing::StandBy),
    );
    standing.await.unwrap().unwrap();
    world.engine.done().await;
    assert!(world.loaded.reason().is_some());
}

#[tokio::test]
async fn t13_half_a_list_reaches_the_engine_as_a_broken_body() {
    let gone = call(&["continue=c1"], 500, r#"{"kind":"Status","code":500,"reason":"x","message":"half"}"#);
    let api = vec![system(), served(), list(&[pod("a")], "c1"), gone, list(&[pod("a"), pod("b")], ""), watch(&[])];
    let engine = vec![declared("e1", "s1"), synced("e1"), synced("e1")];
    let world = world(api, engine).await;
    let came = world.engine.done().await;
    assert!(!came[1].complete, "the engine must see that the body broke off");
    assert!(came[2].complete && lines(&came[2]).len() == 3);
}

#[tokio::test]
async fn t14_a_refused_delta_is_sent_object_by_object_and_only_the_bad_one_is_lost() {
    let events: Vec<Value> = ["a", "b"].iter().map(|name| json!({ "type": "ADDED", "object": pod(name) })).collect();
    let api = vec![system(), served(), list(&[], ""), watch(&events)];
    let refused = || call(SYNC, 400, r#"{"message":"line 2"}"#).header("plimsoll-epoch", "e1");
    let busy = call(SYNC, 503, r#"{"message":"later"}"#).header("plimsoll-epoch", "e1");
    let engine = vec![declared("e1", "s1"), synced("e1"), busy, refused(), refused(), synced("e1")];
    let world = world(api, engine).await;
    let came = world.engine.done().await;
    let names = |came: &Came| -> Vec<Value> {
        lines(came).iter().filter_map(|line| line.pointer("/put/metadata/name").cloned()).collect()
    };
    let sent: Vec<Value> = came[2..].iter().flat_map(names).collect();
    assert!(sent.ends_with(&[json!("b")]), "{sent:?}");
}

fn held_back() -> Call {
    let body = r#"{"code":"fleet_held_back","message":"12 of 12 v1/pods are said to be gone"}"#;
    call(SYNC, 409, body).header("plimsoll-epoch", "e1").header("retry-after", "0")
}

/// Waits until the kind is loaded.
async fn is_loaded(world: &World) {
    let loaded = async {
        while world.loaded.reason().is_some() {
            world.engine.next().await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(20), loaded).await;
    assert!(waited.is_ok(), "{:?}", world.loaded.reason());
}

#[tokio::test]
async fn a_list_that_is_held_back_is_made_again_in_the_same_session() {
    let api = vec![system(), served(), list(&[], ""), list(&[], ""), list(&[], ""), watch(&[])];
    let engine = vec![declared("e1", "s1"), held_back(), held_back(), synced("e1")];
    let world = world(api, engine).await;
    let came = world.engine.done().await;
    for again in &came[1..] {
        let replace = lines(again);
        assert_eq!((&replace[0]["session"], &replace[0]["mode"], replace.len()), (&json!("s1"), &json!("replace"), 1));
    }
    // Whether a list that is refused is watched from first is nobody's promise: the API server's script is not held to.
    is_loaded(&world).await;
    assert!(matches!(&*world.standing.borrow(), Standing::Active(session) if session.session == "s1"));
}

#[tokio::test]
async fn a_change_that_is_held_back_has_its_kind_listed_again() {
    let events = [json!({ "type": "DELETED", "object": pod("a") })];
    let api = vec![system(), served(), list(&[pod("a")], ""), watch(&events), list(&[pod("a")], ""), watch(&[])];
    let world = world(api, vec![declared("e1", "s1"), synced("e1"), held_back(), synced("e1")]).await;
    let came = world.engine.done().await;
    assert_eq!(lines(&came[2])[1], json!({ "remove": { "namespace": "n", "name": "a" } }));
    let replace = lines(&came[3]);
    assert_eq!((&replace[0]["session"], &replace[0]["mode"], replace.len()), (&json!("s1"), &json!("replace"), 2));
    world.api.done().await;
    is_loaded(&world).await;
}
