//! Everything that can go wrong with a call, under both failure policies and for both kinds of webhooks.

use serde_json::{Value as Json, json};

use super::engine::{Act, Engine, nobody, ok, status};
use super::server::{Kind, MAPS, Server, map, patching, review};

/// A fault, and how it shows.
struct Row {
    name: &'static str,
    /// `None`: nobody listens.
    act: Option<Act>,
    /// In the message.
    says: &'static str,
    /// In the metrics.
    code: u16,
}

fn row(name: &'static str, act: Act, says: &'static str, code: u16) -> Row {
    Row { name, act: Some(act), says, code }
}

fn table() -> Vec<Row> {
    let late = "?timeout=1s\": context deadline exceeded";
    let moved = Act::Reply(302, "location: https://localhost:1/\r\n", String::new());
    let wrong_version = json!({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {"uid": "x"}});
    vec![
        Row { name: "refused", act: None, says: "failed to call webhook: Post \"https://", code: 503 },
        row("timeout", Act::Hang, late, 503),
        row("reset", Act::Reset, "failed to call webhook: Post \"https://", 503),
        row("closed", Act::Close, "failed to call webhook: Post \"https://", 503),
        row(
            "half",
            Act::Bytes("HTTP/1.1 200 X\r\ncontent-length: 50\r\n\r\n{".into()),
            "failed to call webhook: Post \"https://",
            503,
        ),
        row("no HTTP", Act::Bytes("hello\r\n\r\n".into()), "failed to call webhook: Post \"https://", 503),
        row("endless", Act::Endless, "the answer is larger than 4194304 bytes", 503),
        row(
            "a gigabyte announced",
            Act::Bytes("HTTP/1.1 200 X\r\ncontent-length: 1073741824\r\n\r\n".into()),
            "the answer is larger than 4194304 bytes",
            503,
        ),
        row("500", status(500), "an error on the server (\"unknown\") has prevented the request from succeeding", 500),
        row("404", status(404), "the server could not find the requested resource", 404),
        row("redirect", moved, "status code 302 but did not return more information; redirects are not followed", 302),
        row("no JSON", ok("hello"), "failed to call webhook: expected value", 503),
        row("no review", ok("{}"), "received invalid webhook response: webhook response was absent", 503),
        row(
            "Status",
            ok(json!({"kind": "Status", "apiVersion": "v1", "message": "boom", "code": 418})),
            "converting (v1.Status) to (v1.AdmissionReview): unknown conversion",
            503,
        ),
        row("wrong uid", review(json!({"uid": "x"})), "received invalid webhook response: expected response.uid=", 503),
        row(
            "wrong version",
            ok(wrong_version),
            "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
            503,
        ),
    ]
}

async fn check(server: &Server, kind: Kind, row: &Row, url: &str, number: usize) {
    for policy in ["Fail", "Ignore"] {
        let hook = format!("{}{number}{}", policy.to_lowercase(), if kind == Kind::Mutating { "m" } else { "v" });
        let spec = server.spec(&hook, url, json!({"failurePolicy": policy, "timeoutSeconds": 1}));
        server.register(kind, &hook, &[spec]).await;
        let answer = server.post(MAPS, &map(&hook)).await;
        let full = format!("{hook}.example.com");
        let about = format!("{} {kind:?} {policy}: {answer:?}", row.name);
        if policy == "Fail" {
            assert_eq!((answer.code, &answer.body["reason"]), (500, &json!("InternalError")), "{about}");
            let head = format!("Internal error occurred: failed calling webhook \"{full}\": ");
            assert!(answer.message().starts_with(&head) && answer.message().contains(row.says), "{about}");
        } else {
            assert_eq!(answer.code, 201, "{about}");
        }
        counted(server, kind, row, &full, policy == "Fail").await;
        server.unregister(kind, &hook).await;
    }
}

async fn counted(server: &Server, kind: Kind, row: &Row, hook: &str, rejected: bool) {
    let kind = if kind == Kind::Mutating { "admit" } else { "validating" };
    let code = row.code;
    let prefix = "apiserver_admission_webhook_";
    let called =
        format!(r#"{prefix}request_total{{code="{code}",name="{hook}",operation="CREATE",rejected="{rejected}",type="{kind}"}}"#);
    let refused = format!(
        r#"{prefix}rejection_count{{error_type="calling_webhook_error",name="{hook}",operation="CREATE",rejection_code="{code}",type="{kind}"}}"#
    );
    let open = format!(r#"{prefix}fail_open_count{{name="{hook}",type="{kind}"}}"#);
    let found = [server.metric(&called).await, server.metric(&refused).await, server.metric(&open).await];
    assert_eq!(found, [1, u64::from(rejected), u64::from(!rejected)], "{} {hook}", row.name);
}

#[actix_web::test]
async fn a_failed_call_is_what_the_failure_policy_says() {
    let server = Server::start().await;
    for (number, row) in table().iter().enumerate() {
        for kind in [Kind::Mutating, Kind::Validating] {
            let hook: Option<Engine> = row.act.clone().map(|act| server.hook([act]));
            let url = hook.as_ref().map_or_else(|| nobody().replace("http://", "https://"), Engine::origin);
            check(&server, kind, row, &url, number).await;
        }
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_certificate_must_be_trusted_and_have_the_name() {
    let server = Server::start().await;
    let elsewhere = server.hook_called("elsewhere", [review(json!({}))]);
    let plain = Engine::start([ok("{}")]);
    let rows = [
        ("wrong name", elsewhere.origin(), "certificate not valid for name"),
        ("no TLS", plain.origin().replace("http://127.0.0.1", "https://localhost"), "failed to call webhook: Post \"https://"),
    ];
    for (number, (name, url, says)) in rows.into_iter().enumerate() {
        let row = Row { name, act: None, says, code: 503 };
        check(&server, Kind::Validating, &row, &url, 100 + number).await;
    }
    assert!(elsewhere.came().is_empty(), "nothing is sent to whom we do not know");
    let mut spec = server.spec("ca", &elsewhere.origin(), json!({}));
    spec["clientConfig"]["caBundle"] = "bm8gcGVt".into();
    server.register(Kind::Validating, "ca", &[spec]).await;
    let refused = server.post(MAPS, &map("x")).await.expect(500);
    assert!(refused.message().contains("could not get REST client: unable to load root certificates"), "{refused:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_patch_that_does_not_apply_is_no_matter_of_the_failure_policy() {
    let server = Server::start().await;
    let test = json!([{"op": "test", "path": "/data/k", "value": "other"}]);
    let many: Vec<Json> = (0..10_001).map(|_| json!({"op": "add", "path": "/data/k", "value": "w"})).collect();
    let grown = json!([{"op": "add", "path": "/data/big", "value": "x".repeat(2 << 20)}]);
    let undecodable = json!({"patch": "bm90IGpzb24=", "patchType": "JSONPatch"});
    let table = [
        ("test", patching(test), [500, 500]),
        ("missing", patching(json!([{"op": "remove", "path": "/none"}])), [500, 500]),
        ("unknown", patching(json!([{"op": "frobnicate", "path": "/data/k"}])), [500, 500]),
        ("many", patching(many.into()), [500, 500]),
        ("grown", patching(grown), [500, 500]),
        ("shape", patching(json!([{"op": "add", "path": "/data", "value": 7}])), [500, 500]),
        ("unused-type", review(json!({"patch": "W10=", "patchType": "X"})), [201, 201]),
        ("type", review(json!({"patch": "W3t9XQ==", "patchType": "X"})), [500, 201]),
        ("undecodable", review(undecodable), [500, 201]),
        ("empty", patching(json!([])), [201, 201]),
        ("null", patching(Json::Null), [201, 201]),
    ];
    for (name, act, expected) in table {
        let hook = server.hook([act]);
        for (policy, code) in ["Fail", "Ignore"].into_iter().zip(expected) {
            let spec = server.spec("p", &hook.origin(), json!({"failurePolicy": policy}));
            server.register(Kind::Mutating, "p", &[spec]).await;
            let answer = server.post(MAPS, &map(&format!("{name}-{}", policy.to_lowercase()))).await;
            assert_eq!(answer.code, code, "{name} {policy}: {answer:?}");
            assert!(code == 201 || answer.message().contains("p.example.com"), "{name} {policy}: {answer:?}");
            server.unregister(Kind::Mutating, "p").await;
        }
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_patch_where_there_is_no_object_is_an_error() {
    let server = Server::start().await;
    let hook = server.hook([patching(json!([{"op": "add", "path": "/data/k", "value": "w"}]))]);
    let rules = json!([{"operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
    server
        .register(Kind::Mutating, "d", &[server.spec("d", &hook.origin(), json!({"rules": rules, "failurePolicy": "Ignore"}))])
        .await;
    server.post(MAPS, &map("x")).await.expect(201);
    let refused = server.delete(&format!("{MAPS}/x")).await.expect(500);
    let why = "admission webhook \"d.example.com\" attempted to modify the object, which is not supported for this operation";
    assert_eq!(refused.message(), format!("Internal error occurred: {why}"));
    server.running.stop().await;
}
