//! Watches. The first five are Kubernetes' conformance tests of "Watchers".

use plimsoll_apiserver::run::Options;
use plimsoll_apiserver::storage::HistoryLimits;
use serde_json::json;

use super::server::{MAPS, PATIENCE, Server, config_map, text, version};

async fn update(server: &Server, name: &str, data: &str) -> u64 {
    let reply = server.put(&format!("{MAPS}/{name}"), &config_map(name, data)).await;
    assert_eq!(reply.code, 200, "{}", reply.body);
    version(&reply.body)
}

#[actix_web::test]
async fn a_watch_goes_on_from_the_last_revision_it_has_seen() {
    let server = Server::start().await;
    let start = version(&server.config_map("a", "0").await);
    let mut watch = server.watch(&format!("{MAPS}?watch=1&resourceVersion={start}")).await;
    update(&server, "a", "1").await;
    let seen = version(&watch.next().await.unwrap()["object"]);
    drop(watch);
    update(&server, "a", "2").await;
    server.delete(&format!("{MAPS}/a")).await;
    let mut watch = server.watch(&format!("{MAPS}?watch=1&resourceVersion={seen}")).await;
    assert_eq!(watch.take(2).await, ["MODIFIED a 2", "DELETED a 2"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_watch_begins_at_a_given_revision() {
    let server = Server::start().await;
    server.config_map("a", "0").await;
    let first = update(&server, "a", "1").await;
    update(&server, "a", "2").await;
    server.delete(&format!("{MAPS}/a")).await;
    let mut watch = server.watch(&format!("{MAPS}?watch=1&resourceVersion={first}")).await;
    assert_eq!(watch.take(2).await, ["MODIFIED a 2", "DELETED a 2"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn additions_changes_and_deletions_reach_those_who_select_them() {
    let server = Server::start().await;
    let path = |selector: &str| format!("{MAPS}?watch=1&labelSelector={selector}");
    let mut a = server.watch(&path("data=a")).await;
    let mut b = server.watch(&path("data=b")).await;
    let mut both = server.watch(&path("data%20in%20(a,b)")).await;
    server.config_map("x", "a").await;
    server.config_map("y", "b").await;
    server.delete(&format!("{MAPS}/x")).await;
    server.delete(&format!("{MAPS}/y")).await;
    assert_eq!(a.take(2).await, ["ADDED x a", "DELETED x a"]);
    assert_eq!(b.take(2).await, ["ADDED y b", "DELETED y b"]);
    assert_eq!(both.take(4).await, ["ADDED x a", "ADDED y b", "DELETED x a", "DELETED y b"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn an_object_that_is_not_selected_any_more_is_deleted_for_the_watcher() {
    let server = Server::start().await;
    let mut watch = server.watch(&format!("{MAPS}?watch=1&labelSelector=data=a")).await;
    server.config_map("x", "a").await;
    let left = update(&server, "x", "b").await;
    update(&server, "x", "c").await;
    update(&server, "x", "a").await;
    assert_eq!(watch.brief().await, "ADDED x");
    let gone = watch.next().await.unwrap();
    assert_eq!((text(&gone, "/type"), text(&gone, "/object/data/k")), ("DELETED", "a"));
    assert_eq!(version(&gone["object"]), left);
    assert_eq!(watch.take(1).await, ["ADDED x a"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn watchers_see_the_same_order() {
    let server = Server::start().await;
    let start = version(&server.config_map("first", "").await);
    let mut watches = Vec::new();
    for _ in 0..10 {
        watches.push(server.watch(&format!("{MAPS}?watch=1&resourceVersion={start}")).await);
    }
    let writes = (0..40).map(|index| {
        let server = &server;
        async move { server.config_map(&format!("x-{index}"), "").await }
    });
    futures::future::join_all(writes).await;
    let mut orders = Vec::new();
    for watch in &mut watches {
        orders.push(watch.take(40).await);
    }
    assert!(orders.iter().all(|order| *order == orders[0]));
    server.running.stop().await;
}

#[actix_web::test]
async fn too_old_is_said_in_the_stream() {
    let history = HistoryLimits { events: 3, ..HistoryLimits::default() };
    let server = Server::with(Options { history, ..Options::default() }).await;
    let start = version(&server.config_map("a", "0").await);
    for data in 0..10 {
        update(&server, "a", &data.to_string()).await;
    }
    let mut watch = server.watch(&format!("{MAPS}?watch=1&resourceVersion={start}")).await;
    let event = watch.next().await.unwrap();
    assert_eq!((text(&event, "/type"), text(&event, "/object/reason")), ("ERROR", "Expired"));
    assert_eq!(event["object"]["code"], 410);
    assert!(text(&event, "/object/message").starts_with(&format!("too old resource version: {start} (")), "{event}");
    assert_eq!(watch.next().await, None);
    server.running.stop().await;
}

#[actix_web::test]
async fn the_present_state_comes_first_and_a_watch_list_says_where_it_ends() {
    let server = Server::start().await;
    for name in ["a", "b"] {
        server.config_map(name, name).await;
    }
    let latest = version(&server.get(MAPS).await.body);
    let mut plain = server.watch(&format!("{MAPS}?watch=True&timeoutSeconds=1")).await;
    assert_eq!(plain.take(2).await, ["ADDED a a", "ADDED b b"]);
    assert_eq!(plain.next().await, None, "no bookmarks unasked, and the stream ends in time");
    let listing = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = server.watch(&format!("{MAPS}?watch=1&{listing}")).await;
    assert_eq!(watch.take(2).await, ["ADDED a a", "ADDED b b"]);
    let mark = watch.next().await.unwrap();
    assert_eq!(text(&mark, "/type"), "BOOKMARK");
    assert_eq!(mark["object"]["metadata"]["annotations"], json!({"k8s.io/initial-events-end": "true"}));
    assert_eq!(version(&mark["object"]), latest);
    server.config_map("c", "c").await;
    assert_eq!(watch.brief().await, "ADDED c");
    let refused = server.get(&format!("{MAPS}?watch=1&sendInitialEvents=true")).await;
    assert_eq!(refused.code, 422, "{}", refused.body);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_short_watch_that_allows_bookmarks_ends_in_one() {
    let server = Server::start().await;
    server.config_map("a", "a").await;
    let latest = version(&server.get(MAPS).await.body);
    let mut watch =
        server.watch(&format!("{MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion={latest}")).await;
    let mark = watch.next().await.unwrap();
    assert_eq!((text(&mark, "/type"), version(&mark["object"])), ("BOOKMARK", latest));
    assert_eq!(watch.next().await, None);
    server.running.stop().await;
}

#[actix_web::test]
async fn one_object_is_watched_by_its_name() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let mut by_path = server.watch(&format!("{MAPS}/a?watch=1")).await;
    let mut by_selector = server.watch("/api/v1/configmaps?watch=1&fieldSelector=metadata.name=a").await;
    server.config_map("b", "1").await;
    update(&server, "a", "2").await;
    for watch in [&mut by_path, &mut by_selector] {
        assert_eq!(watch.take(2).await, ["ADDED a 1", "MODIFIED a 2"]);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn dropped_watches_are_forgotten_and_a_stop_ends_the_others() {
    let server = Server::start().await;
    let mut watches = Vec::new();
    for _ in 0..20 {
        watches.push(server.watch(&format!("{MAPS}?watch=1&resourceVersion=1")).await);
    }
    let mut last = watches.pop().unwrap();
    drop(watches);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        server.config_map(&format!("x-{}", uuid::Uuid::new_v4()), "").await;
        let metrics = server.get("/metrics").await.body;
        if metrics.as_str().unwrap().contains("\napiserver_longrunning_requests 1\n") {
            break;
        }
        assert!(tokio::time::Instant::now() < deadline, "dropped watches are still counted");
    }
    let stopping = server.running.stop();
    let ending = async { while last.next().await.is_some() {} };
    futures::future::join(stopping, ending).await;
}
