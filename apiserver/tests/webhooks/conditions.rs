//! Match conditions: what they say decides whether the webhook is called. The verdicts and texts are those of kube-apiserver
//! 1.36.3 for the same conditions and object.

use serde_json::{Value as Json, json};

use super::server::{Kind, MAPS, Server, map, review};

const FORBIDDEN: &str = "configmaps \"x\" is forbidden: ";

fn conditions(texts: &[&str]) -> Json {
    texts.iter().enumerate().map(|(number, text)| json!({"name": format!("c{number}"), "expression": text})).collect()
}

/// The code, whether the webhook was called, and the message of a refusal.
async fn tried(server: &Server, kind: Kind, texts: &[&str], policy: &str) -> (u16, bool, String) {
    let hook = server.hook([review(json!({}))]);
    let members = json!({"matchConditions": conditions(texts), "failurePolicy": policy});
    server.register(kind, "c", &[server.spec("h", &hook.origin(), members)]).await;
    let answer = server.post(&format!("{MAPS}?dryRun=All"), &map("x")).await;
    server.unregister(kind, "c").await;
    (answer.code, !hook.came().is_empty(), answer.message().to_owned())
}

/// Conditions, whether the webhook is called, and why the request is refused under `Fail`.
type Row = (&'static [&'static str], bool, &'static str);

const TABLE: [Row; 15] = [
    (&["oldObject == null"], true, ""),
    (&["request.userInfo.username == 'admin'"], true, ""),
    (&["request.dryRun == true && request.options.kind == 'CreateOptions'"], true, ""),
    (&["has(object.metadata.annotations)"], false, ""),
    (&["object.data.all(key, key == 'k')"], true, ""),
    (&["'app' in object.metadata.labels", "type(object.data) == map"], true, ""),
    (&["object.metadata.?none.orValue('x') == 'x'", "[1, 2].exists_one(x, x == 1)"], true, ""),
    (&["request.name == 'other'"], false, ""),
    (&["true", "false"], false, ""),
    (&["namespaceObject == null"], true, ""),
    (&["object.metadata.none == 1", "false"], false, ""),
    (&["false", "object.metadata.none == 1"], false, ""),
    (&["object.metadata.none == 1"], false, "expression 'object.metadata.none == 1' resulted in error: no such key: none"),
    (&["object.metadata.name > 1"], false, "expression 'object.metadata.name > 1' resulted in error: no such overload"),
    (
        &["object.metadata.none == 1", "request.subResource == 'x'"],
        false,
        "[expression 'object.metadata.none == 1' resulted in error: no such key: none, \
         expression 'request.subResource == 'x'' resulted in error: no such key: subResource]",
    ),
];

#[actix_web::test]
async fn a_condition_decides_whether_the_webhook_is_called() {
    let server = Server::start().await;
    for (texts, called, why) in TABLE {
        for kind in [Kind::Mutating, Kind::Validating] {
            let found = tried(&server, kind, texts, "Fail").await;
            let refused = (403, called, format!("{FORBIDDEN}{why}"));
            let expected = if why.is_empty() { (201, called, String::new()) } else { refused };
            assert_eq!(found, expected, "{kind:?} {texts:?}");
            assert_eq!(tried(&server, kind, texts, "Ignore").await, (201, called, String::new()), "{kind:?} {texts:?}");
        }
    }
    let labels = r#"{kind="webhook",name="h.example.com",operation="CREATE",type="admit"}"#;
    let metric = |name: &str| format!("apiserver_admission_match_condition_{name}{labels}");
    let found = [
        server.metric(&metric("exclusions_total")).await,
        server.metric(&metric("evaluation_errors_total")).await,
        server.metric(&metric("evaluation_seconds_count")).await,
    ];
    assert_eq!(found, [10, 8, 30]);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_condition_that_would_cost_too_much_is_not_evaluated() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    let twice = conditions(&["object.data.all(a, object.data.all(b, a == b || a != b))"]);
    server.register(Kind::Validating, "c", &[server.spec("h", &hook.origin(), json!({"matchConditions": twice}))]).await;
    server.post(MAPS, &map("small")).await.expect(201);
    let mut large = map("x");
    let entries = (0..2_000).map(|number| (format!("k{number}"), Json::from("v")));
    large["data"] = entries.collect::<serde_json::Map<_, _>>().into();
    let refused = server.post(MAPS, &large).await.expect(403);
    assert!(refused.message().contains("would exceed the cost limit"), "{refused:?}");
    assert_eq!(hook.came().len(), 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_condition_that_does_not_compile_is_not_stored() {
    let server = Server::start().await;
    let spec = server.spec("h", "https://localhost", json!({"matchConditions": conditions(&["params.path == '/'"])}));
    let object = json!({"metadata": {"name": "c"}, "webhooks": [spec]});
    let refused = server.post(&Kind::Validating.collection(), &object).await.expect(422);
    let why = "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')";
    assert!(refused.message().contains(why), "{refused:?}");
    server.running.stop().await;
}
