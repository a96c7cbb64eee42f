//! The list-and-watch loop against a scripted API server.

use plimsoll_contract::kind::Kind;
use serde_json::json;
use tokio::time::timeout;

use super::*;
use crate::cluster::connection::Connection;
use crate::replicate::seen::Seen;
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
    let metadata = json!({ "continue": "inconsistent" });
    json!({ "kind": "Status", "metadata": metadata, "code": 410, "reason": "Expired", "message": "too old resource version" })
}

fn pace() -> MirrorConfig {
    let millis = Duration::from_millis;
    let (retry, retry_most) = (millis(5), millis(20));
    MirrorConfig {
        probe: Duration::from_secs(3600),
        moment: millis(300),
        reopen: millis(50),
        retry,
        retry_most,
        ..MirrorConfig::default()
    }
}

fn probing() -> MirrorConfig {
    MirrorConfig { probe: Duration::from_millis(100), ..pace() }
}

async fn follow(calls: Vec<Call>) -> (Scripted, mpsc::Receiver<Step>) {
    let (server, steps, _) = follow_with(calls, &["n"], pace()).await;
    (server, steps)
}

async fn follow_with(calls: Vec<Call>, namespaces: &[&str], pace: MirrorConfig) -> (Scripted, mpsc::Receiver<Step>, Metrics) {
    let server = Scripted::start(calls).await;
    let connection = Connection::of(server.client());
    let (steps, metrics) = follow_by(&connection, namespaces, pace);
    (server, steps, metrics)
}

fn follow_by(connection: &Connection, namespaces: &[&str], pace: MirrorConfig) -> (mpsc::Receiver<Step>, Metrics) {
    let mut kind = Kind::new(Gvr::try_from("v1/pods".to_owned()).unwrap(), "Pod");
    kind.namespaces = namespaces.iter().map(ToString::to_string).collect();
    kind.field_selector = Some("spec.nodeName=a".into());
    let scopes = Scope::of_kind(connection, &kind, &pace);
    let metrics = Metrics::new().unwrap();
    let reflector = Reflector { gvr: kind.gvr, scopes, relist: Duration::from_secs(3600), pace, metrics: metrics.clone() };
    (reflector.start(), metrics)
}

/// The next steps in short.
async fn told(steps: &mut mpsc::Receiver<Step>, number: usize) -> Vec<String> {
    let mut told = Vec::new();
    while told.len() < number {
        let step = timeout(Duration::from_secs(20), steps.recv()).await;
        let step = step.unwrap_or_else(|_| panic!("nothing after {told:?}")).expect("the reflector goes on");
        told.push(match step {
            Step::Begin(_) => "begin".into(),
            Step::Page(objects) => {
                let names: Vec<String> = objects.into_iter().map(|object| object.name.name).collect();
                format!("page {}", names.join(","))
            }
            Step::End => "end".into(),
            Step::Change(Change::Put(object), _) => format!("put {}@{}", object.name.name, object.resource_version),
            Step::Change(Change::Remove(name), _) => format!("remove {}", name.name),
            Step::Current(Seen { version, is_list, .. }) => {
                let version = version.map_or("-".into(), |version| version.to_string());
                format!("current {version}{}", if is_list { "" } else { " not by a list" })
            }
            Step::Trouble(Trouble { verb, fault, .. }) => format!("trouble {verb} {}", fault.code().unwrap_or_default()),
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
    let expected = ["begin", "page a", "page b", "end", "put c@11", "remove a"];
    assert_eq!(told(&mut steps, 6).await, expected);
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
        let expected = ["begin", "page a,b", "end", "begin", "page b", "end"];
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
    let expected = ["begin", "page a", "begin", "page b", "end"];
    assert_eq!(told(&mut steps, 5).await, expected);
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
    let expected = ["begin", "page a", "end", "put a@12", "trouble watch 0", "put a@13"];
    assert_eq!(told(&mut steps, 6).await, expected);
    server.done().await;
}

#[tokio::test]
async fn a_bad_object_costs_one_warning_not_the_others() {
    let events = ["not json\n".to_owned(), event("ADDED", json!({ "metadata": {} })), event("ADDED", pod("c", 12))];
    let (server, mut steps) =
        follow(vec![call(LIST, 200, list(&[json!("bad"), pod("a", 1)], 10, "")), watch_from(10, events.concat(), End::Hang)])
            .await;
    assert_eq!(told(&mut steps, 4).await, ["begin", "page a", "end", "put c@12"]);
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
    assert_eq!(told(&mut steps, 4).await, ["trouble list 503", "begin", "page ", "end"]);
    server.done().await;
}

fn newest(version: u32) -> Call {
    call(&["limit=1 "], 200, list(&[], version, ""))
}

fn aside_from(version: u32, body: String, end: End) -> Call {
    stream(&["watch=true", "allowWatchBookmarks=true", "timeoutSeconds=3", &format!("resourceVersion={version} ")], body, end)
}

fn bookmark(version: u32) -> String {
    event("BOOKMARK", json!({ "kind": "Pod", "metadata": { "resourceVersion": version.to_string() } }))
}

#[tokio::test]
async fn a_list_of_one_proves_a_watch_that_has_come_to_its_version() {
    let events = [event("ADDED", pod("c", 15)), bookmark(20)].concat();
    let calls = vec![call(LIST, 200, list(&[], 10, "")), watch_from(10, events, End::Hang), newest(20), newest(20)];
    let (server, mut steps, _) = follow_with(calls, &["n"], probing()).await;
    assert_eq!(told(&mut steps, 5).await[3..], ["put c@15", "current 20"], "the bookmark alone proves nothing");
    assert_eq!(told(&mut steps, 1).await, ["current 20"]);
    let came = server.done().await;
    let is_of_any = came[2..].iter().all(|call| !call.line.contains("fieldSelector"));
    assert!(is_of_any, "the API server would look for one that fits: {came:?}");
}

#[tokio::test]
async fn a_second_watch_that_ends_in_a_bookmark_proves_a_watch_that_is_behind() {
    let calls = vec![
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
        newest(15),
        aside_from(10, bookmark(16), End::Hang),
        newest(19),
        aside_from(16, bookmark(18), End::Hang),
    ];
    let (server, mut steps, _) = follow_with(calls, &["n"], probing()).await;
    let expected = ["begin", "page ", "end", "current 16", "current 18 not by a list"];
    assert_eq!(told(&mut steps, 5).await, expected);
    server.done().await;
}

#[tokio::test]
async fn a_watch_that_does_not_tell_what_a_second_one_does_is_stalled_and_opened_again() {
    let missed = event("ADDED", pod("c", 15));
    let calls = vec![
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
        newest(15),
        aside_from(10, missed.clone() + &bookmark(15), End::Hang),
        watch_from(10, missed, End::Hang),
        newest(15),
    ];
    let (server, mut steps, metrics) = follow_with(calls, &["n"], probing()).await;
    assert_eq!(told(&mut steps, 5).await[3..], ["put c@15", "current 15"], "not proved before it is told");
    server.done().await;
    let text = metrics.text().unwrap();
    assert!(text.contains(r#"plimsoll_sidecar_watches_total{kind="v1/pods",result="stalled"} 1"#), "{text}");
}

#[tokio::test]
async fn lists_that_pass_while_watches_stall_prove_nothing() {
    let calls = vec![
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
        newest(15),
        aside_from(10, String::new(), End::Close),
        newest(15),
        aside_from(10, String::new(), End::Break),
        newest(16),
        aside_from(10, bookmark(16), End::Hang),
    ];
    let (server, mut steps, _) = follow_with(calls, &["n"], probing()).await;
    assert_eq!(told(&mut steps, 4).await, ["begin", "page ", "end", "current 16"], "only the bookmark proves it");
    server.done().await;
}

/// What an API server of this version says while a kind is quiet: lists go on, and watches end at their time without a word.
async fn told_on_a_quiet_kind(minor: &str, ends: End) -> Vec<String> {
    let aside = || stream(&["watch=true", "timeoutSeconds=1", "resourceVersion=10 "], String::new(), ends);
    let version = || {
        let mut info = json!({ "gitVersion": "", "gitCommit": "", "gitTreeState": "", "buildDate": "" });
        for (key, value) in [("major", "1"), ("minor", minor), ("goVersion", ""), ("compiler", ""), ("platform", "")] {
            info[key] = value.into();
        }
        call(&["GET /version "], 200, info)
    };
    let is_asked = matches!(ends, End::CloseAfter(_));
    let mut calls = vec![call(LIST, 200, list(&[], 10, "")), watch_from(10, String::new(), End::Hang), newest(15), aside()];
    calls.extend(is_asked.then(version));
    calls.extend([newest(10)]);
    let pace = MirrorConfig { confirm: Duration::from_secs(1), ..probing() };
    let (server, mut steps, _) = follow_with(calls, &["n"], pace).await;
    let told = told(&mut steps, 4).await;
    if told[3] == "current 10" {
        server.done().await;
    }
    told
}

#[tokio::test]
async fn before_1_31_a_second_watch_that_ends_at_its_time_proves_a_quiet_kind() {
    let in_time = End::CloseAfter(Duration::from_millis(1050));
    assert_eq!(told_on_a_quiet_kind("28+", in_time).await[3], "current 15", "no bookmark will ever come");
    // Elsewhere only what reaches the list's version by itself is proved.
    assert_eq!(told_on_a_quiet_kind("31", in_time).await[3], "current 10");
    assert_eq!(told_on_a_quiet_kind("28", End::Close).await[3], "current 10", "cut short");
}

#[tokio::test]
async fn a_version_that_goes_back_is_answered_by_a_full_list() {
    let calls = vec![
        call(LIST, 200, list(&[pod("a", 9)], 10, "")),
        watch_from(10, String::new(), End::Hang),
        newest(7),
        call(LIST, 200, list(&[pod("b", 3)], 7, "")),
        watch_from(7, String::new(), End::Hang),
    ];
    let (server, mut steps, _) = follow_with(calls, &["n"], probing()).await;
    assert_eq!(told(&mut steps, 6).await, ["begin", "page a", "end", "begin", "page b", "end"]);
    server.done().await;
}

#[tokio::test]
async fn retry_after_is_honoured_on_lists_and_beside_watches() {
    let details = json!({ "retryAfterSeconds": 1 });
    let busy = json!({ "kind": "Status", "code": 429, "reason": "TooManyRequests", "message": "later", "details": details });
    let calls = vec![
        call(LIST, 429, busy.clone()),
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, String::new(), End::Hang),
        call(&["limit=1 "], 429, busy),
        newest(10),
    ];
    let (server, mut steps, _) = follow_with(calls, &["n"], probing()).await;
    assert_eq!(told(&mut steps, 1).await, ["trouble list 429"]);
    let (start, second) = (Instant::now(), Duration::from_millis(900));
    assert_eq!(told(&mut steps, 3).await, ["begin", "page ", "end"]);
    assert!(start.elapsed() >= second, "{:?}", start.elapsed());
    assert_eq!(told(&mut steps, 1).await, ["current 10"], "the watch stays open");
    assert!(start.elapsed() >= second * 2, "{:?}", start.elapsed());
    server.done().await;
}

#[tokio::test]
async fn a_forbidden_namespace_is_named_and_does_not_stop_the_others() {
    let forbidden = || json!({ "kind": "Status", "code": 403, "reason": "Forbidden", "message": "no" });
    let of = |namespace: &str| format!("/namespaces/{namespace}/pods?");
    let (open, shut) = (of("open"), of("shut"));
    let calls = vec![
        call(&[&open, "limit=500"], 200, list(&[pod("a", 1)], 10, "")),
        call(&[&shut, "limit=500"], 200, list(&[pod("b", 1)], 11, "")),
        stream(&[&open, "resourceVersion=10", "watch=true"], String::new(), End::Hang),
        call(&[&shut, "watch=true"], 403, forbidden()),
        call(&[&shut, "watch=true"], 403, forbidden()),
        // What happens in the open one is told all the same; the kind is not proved meanwhile.
        call(&[&open, "limit=1 "], 200, list(&[], 10, "")),
        stream(&[&shut, "resourceVersion=11", "watch=true"], event("ADDED", pod("c", 12)), End::Hang),
    ];
    let pace = MirrorConfig {
        probe: Duration::from_millis(400),
        retry: Duration::from_millis(300),
        retry_most: Duration::from_millis(300),
        ..pace()
    };
    let (server, mut steps, _) = follow_with(calls, &["open", "shut"], pace).await;
    let expected = ["begin", "page a", "page b", "end", "trouble watch 403", "trouble watch 403", "put c@12"];
    let told = told(&mut steps, 7).await;
    assert_eq!(told, expected);
    server.done().await;
}

#[tokio::test]
async fn new_credentials_open_the_watch_again_where_it_was_without_a_list() {
    let calls = vec![
        call(LIST, 200, list(&[], 10, "")),
        watch_from(10, event("ADDED", pod("a", 12)), End::Hang),
        watch_from(12, event("ADDED", pod("b", 13)), End::Hang),
    ];
    let server = Scripted::start(calls).await;
    let connection = Connection::of(server.client());
    let (mut steps, metrics) = follow_by(&connection, &["n"], pace());
    assert_eq!(told(&mut steps, 4).await[3..], ["put a@12"]);
    connection.exchange(server.client());
    assert_eq!(told(&mut steps, 1).await, ["put b@13"]);
    server.done().await;
    let text = metrics.text().unwrap();
    assert!(text.contains(r#"plimsoll_sidecar_watches_total{kind="v1/pods",result="renewed"} 1"#), "{text}");
}

#[tokio::test]
async fn a_relist_that_is_forbidden_in_one_namespace_leaves_all_watches_open() {
    let forbidden = json!({ "kind": "Status", "code": 403, "reason": "Forbidden", "message": "no" });
    let of = |namespace: &str| format!("/namespaces/{namespace}/pods?");
    let (open, shut) = (of("open"), of("shut"));
    let calls = vec![
        call(&[&open, "limit=500"], 200, list(&[pod("a", 1)], 10, "")),
        call(&[&shut, "limit=500"], 200, list(&[pod("b", 1)], 11, "")),
        stream(&[&open, "resourceVersion=10", "watch=true"], String::new(), End::Hang),
        // Too old: everything is listed again, which fails.
        call(&[&shut, "watch=true"], 410, expired()),
        call(&[&open, "limit=500"], 200, list(&[pod("a", 1)], 20, "")),
        call(&[&shut, "limit=500"], 403, forbidden),
        stream(&[&open, "resourceVersion=10", "watch=true"], event("ADDED", pod("c", 21)), End::Hang),
        call(&[&shut, "watch=true"], 410, expired()),
        call(&[&shut, "limit=1 "], 200, list(&[], 22, "")),
        call(&[&open, "limit=500"], 200, list(&[pod("a", 1)], 22, "")),
        call(&[&shut, "limit=500"], 200, list(&[pod("b", 1)], 22, "")),
    ];
    let pace = MirrorConfig { retry: Duration::from_millis(500), retry_most: Duration::from_millis(500), ..pace() };
    let (server, mut steps, _) = follow_with(calls, &["open", "shut"], pace).await;
    let expected = [
        "begin",
        "page a",
        "page b",
        "end",
        "begin",
        "page a",
        "trouble list 403",
        "put c@21",
        "begin",
        "page a",
        "page b",
        "end",
    ];
    assert_eq!(told(&mut steps, 12).await, expected);
    server.done().await;
}
