//! A configuration is in force from the commit that made it until the one that deletes it.

use std::time::Duration;

use serde_json::json;

use super::engine::Act;
use super::server::{Kind, MAPS, Server, map, review};

/// Upstream's tests create objects until one meets the new webhook (a "marker"); here the first one does. `MARKERS` says how often that is
/// tried.
#[actix_web::test]
async fn the_next_request_meets_a_new_configuration_and_not_a_deleted_one() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({"allowed": false}))]);
    for number in 0..std::env::var("MARKERS").map_or(300, |text| text.parse().unwrap()) {
        let (name, kind) = (format!("n{number}"), if number % 2 == 0 { Kind::Mutating } else { Kind::Validating });
        server.register(kind, &name, &[server.spec("h", &hook.origin(), json!({}))]).await;
        server.post(MAPS, &map(&name)).await.expect(400);
        server.unregister(kind, &name).await;
        server.post(MAPS, &map(&name)).await.expect(201);
        assert_eq!(hook.came().len(), number + 1);
    }
    server.running.stop().await;
}

/// A request keeps the configurations that it began with.
#[actix_web::test]
async fn a_configuration_that_goes_while_its_webhook_is_called_lets_the_request_end() {
    let server = Server::start().await;
    let (slow, last) = (server.hook([Act::Hang]), server.hook([review(json!({"allowed": false}))]));
    server
        .register(
            Kind::Mutating,
            "c",
            &[server.spec("m", &slow.origin(), json!({"timeoutSeconds": 2, "failurePolicy": "Ignore"}))],
        )
        .await;
    server.register(Kind::Validating, "c", &[server.spec("v", &last.origin(), json!({}))]).await;
    let object = map("x");
    let request = server.post(MAPS, &object);
    let deletes = async {
        while slow.came().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server.unregister(Kind::Mutating, "c").await;
        server.unregister(Kind::Validating, "c").await;
    };
    let (refused, ()) = tokio::join!(request, deletes);
    refused.expect(400);
    assert_eq!(last.came().len(), 1, "it began before");
    server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!(last.came().len(), 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_server_starts_again_although_a_webhook_for_everything_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(Some(folder.path().into())).await;
    let everything = json!({"rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]});
    server.register(Kind::Mutating, "all", &[server.spec("all", "https://127.0.0.1:1/", everything)]).await;
    server.post(MAPS, &map("x")).await.expect(500);
    server.running.stop().await;
    let server = Server::keeping(Some(folder.path().into())).await;
    server.post(MAPS, &map("x")).await.expect(500);
    server.unregister(Kind::Mutating, "all").await;
    server.post(MAPS, &map("x")).await.expect(201);
    server.running.stop().await;
}
