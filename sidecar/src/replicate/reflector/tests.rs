//! The list-and-watch loop against a scripted API server.

use plimsoll_contract::kind::Kind;
use serde_json::json;
use tokio::time::timeout;

use super::*;
use crate::scripted::{Call, End, Scripted, call, stream};

const LIST: &[&str] = &["GET /api/v1/namespaces/n/pods?", "limit=500"];
const NEXT: &[&str] = &["limit=500", "continue=c1"];

fn pod(name: &str, version: u32) -> serde_json::Value {
    json!({ "metadata": { "name": name, "namespace": "n", "uid": name, "resourceVersion": version.to_string() } })
}

fn list(items: &[serde_json::Value], version: u32, next: &str) -> String {
    json!({ "metadata": { "resourceVersion": version.to_string(), "continue": next }, "items": items }).to_string()
}

fn event(kind: &str, object: serde_json::Value) -> String {
    format!("{}\n", json!({ "type": kind, "object": object }))
}

fn watch_from(version: u32, body: String, end: End) -> Call {
    let version = format!("resourceVersion={version}");
    let parts = ["watch=true", "allowWatchBookmarks=true", "timeoutSeconds=290", "fieldSelector=", &version];
    stream(&parts, body, end)
}

fn expired() -> serde_json::Value {
    json!({ "kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version" })
}

async fn follow(calls: Vec<Call>) -> (Scripted, mpsc::Receiver<Step>) {
    follow_probing(calls, Duration::from_secs(3600)).await
}

async fn follow_probing(calls: Vec<Call>, probe: Duration) -> (Scripted, mpsc::Receiver<Step>) {
    let server = Scripted::start(calls).await;
    let mut kind = Kind::new(Gvr::try_from("v1/pods".to_owned()).unwrap(), "Pod");
    kind.namespaces = vec!["n".into()];
    kind.field_selector = Some("spec.nodeName=a".into());
    let scopes = Scope::of_kind(&server.client(), &kind);
    let metrics = Metrics::new().unwrap();
    let reflector = Reflector { gvr: kind.gvr, scopes, relist: Duration::from_secs(3600), probe, metrics };
    (server, reflector.start())
}

/// The next steps in short.
async fn told(steps: &mut mpsc::Receiver<Step>, number: usize) -> Vec<String> {
    let mut told = Vec::new();
    while told.len() < number {
        let step = timeout(Duration::from_secs(20), steps.recv()).await;
        let step = step.unwrap_or_else(|_| panic!("nothing after {told:?}")).expect("the reflector goes on");
        told.push(match step {
            Step::Begin => "begin".into(),
            Step::Page(objects) => {
                let names: Vec<String> = objects.into_iter().map(|object| object.name.name).collect();
                format!("page {}", names.join(","))
            }
            Step::End(version) => format!("end {version}"),
            Step::Change(Change::Put(object)) => format!("put {}@{}", object.name.name, object.resource_version),
            Step::Change(Change::Remove(name)) => format!("remove {}", name.name),
            Step::Current => "current".into(),
            Step::Trouble(fault) => format!("trouble {}", fault.code().unwrap_or_default()),
        });
    }
    told
}

#[tokio::test]
async fn a_list_in_pages_then_events_and_bookmarks() {
    let events = [
        event("ADDED", pod("c", 11)),
        event("DELETED", pod("a", 12)),
        event("BOOKMARK", json!({ "kind": "Pod", "metadata": { "resourceVersion": "20" } })),
    ];
    let (server, mut steps) = follow(vec![
        call(LIST, 200, list(&[pod("a", 1)], 10, "c1")),
        call(NEXT, 200, list(&[pod("b", 2)], 10, "")),
        watch_from(10, events.concat(), End::Close),
        watch_from(20, String::new(), End::Hang),
    ])
    .await;
    let expected = ["begin", "page a", "page b", "end 10", "put c@11", "remove a", "current"];
    assert_eq!(told(&mut steps, 7).await, expected);
    server.done().await;
}

#[tokio::test]
async fn t12_a_watch_that_is_too_old_is_answered_by_a_full_list() {
    for (name, gone) in [
        ("in the stream", watch_from(10, event("ERROR", expired()), End::Close)),
        ("at once", call(&["watch=true"], 410, expired())),
    ] {
        let (server, mut steps) = follow(vec![
            call(LIST, 200, list(&[pod("a", 1), pod("b", 1)], 10, "")),
            gone,
            call(LIST, 200, list(&[pod("b", 1)], 30, "")),
            watch_from(30, String::new(), End::Hang),
        ])
        .await;
        let expected = ["begin", "page a,b", "end 10", "begin", "page b", "end 30"];
        assert_eq!(told(&mut steps, 6).await, expected, "{name}");
        server.done().await;
    }
}

#[tokio::test]
async fn t13_half_a_list_never_ends_and_begins_again() {
    let (server, mut steps) = follow(vec![
        call(LIST, 200, list(&[pod("a", 1)], 10, "c1")),
        call(NEXT, 410, expired()),
        call(LIST, 200, list(&[pod("b", 1)], 11, "")),
        watch_from(11, String::new(), End::Hang),
    ])
    .await;
    let expected = ["begin", "page a", "trouble 410", "begin", "page b", "end 11"];
    assert_eq!(told(&mut steps, 6).await, expected);
    server.done().await;
}

#[tokio::test]
async fn a_watch_that_breaks_off_in_the_middle_of_a_line_goes_on_after_the_last_whole_one() {
    let half = event("MODIFIED", pod("a", 13));
    let broken = format!("{}{}", event("MODIFIED", pod("a", 12)), &half[..half.len() / 2]);
    let (server, mut steps) = follow(vec![
        call(LIST, 200, list(&[pod("a", 1)], 10, "")),
        watch_from(10, broken, End::Break),
        watch_from(12, half, End::Hang),
    ])
    .await;
    let expected = ["begin", "page a", "end 10", "put a@12", "trouble 0", "put a@13"];
    assert_eq!(told(&mut steps, 6).await, expected);
    server.done().await;
}

#[tokio::test]
async fn a_bad_object_costs_one_warning_not_the_others() {
    let events = ["not json\n".to_owned(), event("ADDED", json!({ "metadata": {} })), event("ADDED", pod("c", 12))];
    let (server, mut steps) =
        follow(vec![call(LIST, 200, list(&[json!("bad"), pod("a", 1)], 10, "")), watch_from(10, events.concat(), End::Hang)])
            .await;
    assert_eq!(told(&mut steps, 4).await, ["begin", "page a", "end 10", "put c@12"]);
    server.done().await;
}

#[tokio::test]
async fn t14_an_api_server_that_is_away_is_asked_again_and_named() {
    let (server, mut steps) = follow(vec![
        call(LIST, 503, json!({ "kind": "Status", "code": 503, "reason": "x", "message": "later" })),
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
    ])
    .await;
    assert_eq!(told(&mut steps, 5).await, ["begin", "trouble 503", "begin", "page ", "end 10"]);
    server.done().await;
}

#[tokio::test]
async fn a_quiet_collection_is_proved_current_by_a_list_of_one() {
    let calls = vec![
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
        call(&["limit=1 "], 200, list(&[], 15, "")),
        call(&["limit=1 "], 200, list(&[], 15, "")),
    ];
    let (_server, mut steps) = follow_probing(calls, Duration::from_millis(100)).await;
    assert_eq!(told(&mut steps, 5).await, ["begin", "page ", "end 10", "current", "current"]);
}
