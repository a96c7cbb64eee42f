//! Lists: revisions and pages. The two chunking tests are those of Kubernetes' conformance suite ("Servers with support for
//! API chunking").

use plimsoll_apiserver::run::Options;
use plimsoll_apiserver::storage::HistoryLimits;

use super::server::{MAPS, Server, text, version};

fn names(list: &serde_json::Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| text(item, "/metadata/name")).collect()
}

#[actix_web::test]
async fn a_list_is_as_of_the_revision_that_was_asked_for() {
    let server = Server::start().await;
    let first = version(&server.config_map("a", "1").await);
    let second = version(&server.config_map("b", "1").await);
    let table = [
        (String::new(), 200, vec!["a", "b"]),
        ("resourceVersion=0".into(), 200, vec!["a", "b"]),
        (format!("resourceVersion={first}"), 200, vec!["a", "b"]),
        (format!("resourceVersion={first}&limit=5"), 200, vec!["a"]),
        (format!("resourceVersion={first}&resourceVersionMatch=NotOlderThan&limit=5"), 200, vec!["a", "b"]),
        (format!("resourceVersion={first}&resourceVersionMatch=Exact"), 200, vec!["a"]),
        (format!("resourceVersion={second}&resourceVersionMatch=Exact"), 200, vec!["a", "b"]),
        ("labelSelector=data=1&fieldSelector=metadata.name=b".into(), 200, vec!["b"]),
        ("labelSelector=data!=1".into(), 200, vec![]),
        ("fieldSelector=metadata.name!=a,metadata.namespace=default".into(), 200, vec!["b"]),
    ];
    for (query, code, expected) in table {
        let reply = server.get(&format!("{MAPS}?{query}")).await;
        assert_eq!((reply.code, names(&reply.body)), (code, expected), "{query}");
    }
    let future = server.get(&format!("{MAPS}?resourceVersion={}", second + 1000)).await;
    assert_eq!(future.code, 504);
    assert_eq!(text(&future.body, "/details/causes/0/reason"), "ResourceVersionTooLarge");
    assert_eq!(
        text(&future.body, "/message"),
        format!("Timeout: Too large resource version: {}, current: {second}", second + 1000)
    );
    server.running.stop().await;
}

#[actix_web::test]
async fn pages_are_of_one_revision() {
    let server = Server::start().await;
    for index in 0..40 {
        server.config_map(&format!("map-{index:03}"), "1").await;
    }
    let (mut found, mut token, mut revision) = (Vec::new(), String::new(), 0);
    for page in 0.. {
        let reply = server.get(&format!("{MAPS}?limit=17&continue={token}")).await;
        assert_eq!(reply.code, 200, "{}", reply.body);
        if page == 0 {
            revision = version(&reply.body);
        }
        assert_eq!(version(&reply.body), revision);
        found.extend(names(&reply.body).into_iter().map(str::to_owned));
        let left = reply.body.pointer("/metadata/remainingItemCount").and_then(serde_json::Value::as_u64);
        token = text(&reply.body, "/metadata/continue").to_owned();
        assert_eq!(left, (!token.is_empty()).then_some(40 - found.len() as u64));
        server.config_map(&format!("map-000-later-{page}"), "1").await;
        if token.is_empty() {
            break;
        }
    }
    let expected: Vec<_> = (0..40).map(|index| format!("map-{index:03}")).collect();
    assert_eq!(found, expected);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_page_of_a_forgotten_revision_goes_on_inconsistently() {
    let history = HistoryLimits { events: 5, ..HistoryLimits::default() };
    let server = Server::with(Options { history, ..Options::default() }).await;
    for index in 0..10 {
        server.config_map(&format!("map-{index}"), "1").await;
    }
    let first = server.get(&format!("{MAPS}?limit=4")).await.body;
    let token = text(&first, "/metadata/continue").to_owned();
    // Kept snapshots are few: enough others push this one out, and its events are long gone.
    for index in 0..20 {
        server.config_map(&format!("other-{index}"), "1").await;
        server.get(&format!("{MAPS}?limit=1")).await;
    }
    let refused = server.get(&format!("{MAPS}?limit=4&continue={token}")).await;
    assert_eq!((refused.code, text(&refused.body, "/reason")), (410, "Expired"), "{}", refused.body);
    let fresh = text(&refused.body, "/metadata/continue");
    let rest = server.get(&format!("{MAPS}?continue={fresh}")).await;
    assert_eq!(rest.code, 200, "{}", rest.body);
    assert_eq!(names(&rest.body).len(), 6 + 20);
    server.running.stop().await;
}
