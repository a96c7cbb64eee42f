//! Webhooks and initializers: an object is unfinished when it is created, and finished when it is revealed.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{Kind, MAPS, Server, asked, map, review};

const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations";

async fn register(server: &Server) {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]});
    let initializers = json!([{"name": "a.example.com", "rules": [rule.clone()]}, {"name": "b.example.com", "rules": [rule]}]);
    server.post(CONFIGURATIONS, &json!({"metadata": {"name": "c"}, "initializers": initializers})).await.expect(201);
}

async fn change(server: &Server, initializers: Json, data: &str) -> super::server::Answer {
    let patch = json!({"metadata": {"initializers": initializers}, "data": {"k": data}});
    server.ask(Method::PATCH, &format!("{MAPS}/x"), &patch).await
}

/// Whoever judges new objects alone would never see what becomes of one.
#[actix_web::test]
async fn who_judges_new_objects_judges_what_initializers_made_of_them() {
    let server = Server::start().await;
    register(&server).await;
    let hooks = [Kind::Validating, Kind::Mutating].map(|_| server.hook([review(json!({}))]));
    for (kind, hook) in [Kind::Validating, Kind::Mutating].into_iter().zip(&hooks) {
        server.register(kind, "h", &[server.spec("h", &hook.origin(), json!({}))]).await;
    }
    server.post(&format!("{MAPS}?includeUninitialized=1"), &map("x")).await.expect(202);
    change(&server, json!({"pending": [{"name": "b.example.com"}]}), "1").await.expect(200);
    hooks[0].set([review(json!({"allowed": false, "status": {"message": "no"}}))]);
    let refused = change(&server, Json::Null, "2").await.expect(400);
    assert_eq!(refused.message(), "admission webhook \"h.example.com\" denied the request: no");
    server.get(&format!("{MAPS}/x")).await.expect(404);
    hooks[0].set([review(json!({}))]);
    change(&server, Json::Null, "3").await.expect(200);
    change(&server, Json::Null, "4").await.expect(200);
    let seen = |hook| -> Vec<String> {
        let reviews: Vec<Json> = asked(hook);
        reviews
            .iter()
            .map(|review| format!("{} {}", review["operation"], review["object"]["data"]["k"]).replace('"', ""))
            .collect()
    };
    assert_eq!(seen(&hooks[0]), ["CREATE v", "UPDATE 2", "UPDATE 3"], "at its creation and when it is revealed");
    assert_eq!(seen(&hooks[1]), ["CREATE v"], "what changes new objects does not change old ones");
    server.running.stop().await;
}

/// In the second pass of the mutating half nobody is asked again, and nobody is refused for what the first pass put there.
#[actix_web::test]
async fn a_second_pass_keeps_what_the_first_one_put() {
    let server = Server::start().await;
    register(&server).await;
    let hook = server.hook([super::server::patching(json!([{"op": "add", "path": "/data/a", "value": "b"}]))]);
    server.register(Kind::Mutating, "h", &[server.spec("h", &hook.origin(), json!({}))]).await;
    server.grant("tenant", "create", "", "configmaps").await;
    let created = server.ask_as("tenant", Method::POST, &format!("{MAPS}?includeUninitialized=1"), &map("x")).await.expect(202);
    assert_eq!(created.body["data"], json!({"k": "v", "a": "b"}));
    assert_eq!(created.body["metadata"]["initializers"]["pending"].as_array().map(Vec::len), Some(2));
    server.running.stop().await;
}
