//! Webhooks that mean no good.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::engine::Act;
use super::server::{Kind, MAPS, Server, map};

#[actix_web::test]
async fn an_endless_answer_is_read_as_far_as_the_limit() {
    let server = Server::start().await;
    let hook = server.hook([Act::Endless]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({"timeoutSeconds": 30}))]).await;
    server.post(MAPS, &map("x")).await.expect(500);
    // What the kernel and TLS hold beside the limit.
    assert!(hook.sent() < 64 << 20, "{}", hook.sent());
    server.running.stop().await;
}

#[actix_web::test]
async fn webhooks_that_hang_end_with_the_request_and_stop_nobody_else() {
    let server = Server::start().await;
    let hook = server.hook([Act::Hang]);
    let specs: Vec<_> =
        (0..5).map(|number| server.spec(&format!("m{number}"), &hook.origin(), json!({"failurePolicy": "Ignore"}))).collect();
    server.register(Kind::Mutating, "c", &specs).await;
    let start = Instant::now();
    let object = map("x");
    let slow = async {
        let answer = server.post(&format!("{MAPS}?timeout=2s"), &object).await;
        (answer, start.elapsed())
    };
    let quick = async {
        while hook.came().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let secret = json!({"metadata": {"name": "s"}});
        server.post("/api/v1/namespaces/default/secrets", &secret).await.expect(201);
        start.elapsed()
    };
    let ((answer, took), other) = tokio::join!(slow, quick);
    assert_eq!((answer.code, &answer.body["reason"]), (504, &json!("Timeout")), "{answer:?}");
    assert!(took < Duration::from_secs(6) && other < took, "{took:?} {other:?}");
    server.get(&format!("{MAPS}/x")).await.expect(404);
    server.running.stop().await;
}

/// The server is its own webhook: each call makes another ConfigMap, which calls again. Deadlines end it.
#[actix_web::test]
async fn a_webhook_that_leads_back_into_the_server_ends() {
    let server = Server::start().await;
    let mut spec = server.spec("loop", &format!("{}{MAPS}", server.running.url()), json!({"timeoutSeconds": 1}));
    spec["clientConfig"]["caBundle"] = STANDARD.encode(server.running.ca()).into();
    server.register(Kind::Validating, "c", &[spec]).await;
    let refused = server.post(MAPS, &map("x")).await.expect(500);
    assert!(refused.message().contains("failed calling webhook \"loop.example.com\""), "{refused:?}");
    server.unregister(Kind::Validating, "c").await;
    server.post(MAPS, &map("x")).await.expect(201);
    server.running.stop().await;
}

/// What was idle and was closed is not a failed call: another connection is opened.
#[actix_web::test]
async fn a_webhook_that_closes_its_connections_loses_no_call() {
    let server = Server::start().await;
    let body = json!({"response": {"allowed": true}}).to_string();
    // As if the connection stayed open, which it does not.
    let hook = server.hook([Act::Bytes(format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{body}", body.len()))]);
    let spec = server.spec("v", &hook.origin(), json!({"admissionReviewVersions": ["v1beta1"]}));
    server.register(Kind::Validating, "c", &[spec]).await;
    for number in 0..20 {
        server.post(MAPS, &map(&format!("m{number}"))).await.expect(201);
    }
    assert_eq!((hook.came().len(), hook.connections()), (20, 20));
    server.running.stop().await;
}
