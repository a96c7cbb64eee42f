//! Codes, reasons and messages that clients decode, and the edge around them.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{MAPS, Server, client, config_map, reply, text};

#[actix_web::test]
async fn errors_have_kubernetes_codes_and_texts() {
    let server = Server::start().await;
    server.config_map("taken", "1").await;
    let named = |name: &str| format!("{MAPS}/{name}");
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "other"}});
    let none = Json::Null;
    let table: [(Method, String, &Json, u16, &str, &str); 27] = [
        (Method::GET, named("x"), &none, 404, "NotFound", r#"configmaps "x" not found"#),
        (
            Method::GET,
            "/apis/apps/v1/namespaces/default/deployments/x".into(),
            &none,
            404,
            "NotFound",
            r#"deployments.apps "x" not found"#,
        ),
        (Method::GET, "/api/v1/nothing".into(), &none, 404, "NotFound", "the server could not find the requested resource"),
        (Method::GET, "/nothing".into(), &none, 404, "NotFound", "the server could not find the requested resource"),
        (Method::POST, MAPS.into(), &config_map("taken", "2"), 409, "AlreadyExists", r#"configmaps "taken" already exists"#),
        (
            Method::POST,
            "/api/v1/namespaces/none/configmaps".into(),
            &config_map("a", ""),
            404,
            "NotFound",
            r#"namespaces "none" not found"#,
        ),
        (
            Method::POST,
            MAPS.into(),
            &other,
            400,
            "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (Method::POST, MAPS.into(), &json!({"kind": "Pod", "apiVersion": "v1"}), 400, "BadRequest", ""),
        (
            Method::POST,
            MAPS.into(),
            &json!({"metadata": {}}),
            422,
            "Invalid",
            r#"ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required"#,
        ),
        (Method::POST, MAPS.into(), &json!([]), 400, "BadRequest", ""),
        (
            Method::POST,
            named("x"),
            &config_map("x", ""),
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        ),
        (
            Method::PUT,
            named("x"),
            &config_map("y", ""),
            400,
            "BadRequest",
            "the name of the object (y) does not match the name on the URL (x)",
        ),
        (Method::PUT, named("x"), &config_map("x", ""), 404, "NotFound", r#"configmaps "x" not found"#),
        (Method::PATCH, named("taken"), &json!({}), 415, "UnsupportedMediaType", ""),
        (Method::DELETE, named("x"), &none, 404, "NotFound", r#"configmaps "x" not found"#),
        (
            Method::DELETE,
            "/api/v1/namespaces/default".into(),
            &none,
            403,
            "Forbidden",
            r#"namespaces "default" is forbidden: this namespace may not be deleted"#,
        ),
        (Method::DELETE, format!("{}?propagationPolicy=Never", named("taken")), &none, 422, "Invalid", ""),
        (Method::GET, format!("{MAPS}?resourceVersion=abc"), &none, 400, "BadRequest", ""),
        (
            Method::GET,
            format!("{MAPS}?resourceVersionMatch=Exact"),
            &none,
            422,
            "Invalid",
            r#"ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"#,
        ),
        (Method::GET, format!("{MAPS}?resourceVersion=0&resourceVersionMatch=Exact"), &none, 422, "Invalid", ""),
        (Method::GET, format!("{MAPS}?continue=x"), &none, 400, "BadRequest", ""),
        (Method::GET, format!("{MAPS}?labelSelector=a%20in%20(b"), &none, 400, "BadRequest", ""),
        (Method::GET, format!("{MAPS}?fieldSelector=spec.x=1"), &none, 400, "BadRequest", ""),
        (Method::GET, format!("{MAPS}?timeout=soon"), &none, 400, "BadRequest", ""),
        (Method::POST, format!("{MAPS}?dryRun=Some"), &config_map("a", ""), 422, "Invalid", ""),
        (Method::GET, "/api//v1/pods".into(), &none, 400, "BadRequest", ""),
        (Method::GET, "/api/v1/namespaces/default%2Fx".into(), &none, 400, "BadRequest", ""),
    ];
    for (method, path, body, code, reason, message) in table {
        let request = server.request(method.clone(), &path);
        let request = if body.is_null() { request } else { request.json(body) };
        let reply = reply(request).await;
        let found = (reply.code, text(&reply.body, "/reason"));
        assert_eq!(found, (code, reason), "{method} {path}: {}", reply.body);
        assert_eq!(text(&reply.body, "/kind"), "Status", "{method} {path}");
        assert_eq!(reply.body["code"], code, "{method} {path}");
        assert!(message.is_empty() || text(&reply.body, "/message") == message, "{method} {path}: {}", reply.body);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn callers_are_known_and_held_to_roles() {
    let server = Server::start().await;
    let nobody =
        reqwest::Client::builder().tls_certs_only([reqwest::Certificate::from_pem(server.running.ca().as_bytes()).unwrap()]);
    let nobody = nobody.build().unwrap();
    let url = |path: &str| format!("{}{path}", server.running.url());
    assert_eq!(reply(nobody.get(url("/readyz"))).await.code, 200);
    let unknown = reply(nobody.get(url(MAPS))).await;
    assert_eq!((unknown.code, text(&unknown.body, "/message")), (401, "Unauthorized"));
    let user = client(&server.running, "u", &[]);
    let refused = reply(user.get(url(MAPS))).await;
    let message =
        r#"configmaps is forbidden: User "u" cannot list resource "configmaps" in API group "" in the namespace "default""#;
    assert_eq!((refused.code, text(&refused.body, "/message")), (403, message));
    server.running.stop().await;
}

#[actix_web::test]
async fn every_answer_has_an_audit_id_and_its_form_is_negotiated() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let path = format!("{MAPS}/a");
    let with = |accept: &'static str| reply(server.request(Method::GET, &path).header("accept", accept));
    let plain = with("*/*").await;
    assert!(plain.headers.contains_key("audit-id"));
    assert_eq!(plain.headers["content-type"], "application/json");
    let yaml = with("application/yaml").await;
    assert!(yaml.body.as_str().unwrap().contains("kind: ConfigMap\n"), "{}", yaml.body);
    let table = with("application/json;as=Table;v=v1;g=meta.k8s.io,application/json").await;
    assert_eq!(table.body["kind"], "Table");
    assert_eq!(table.body["rows"][0]["cells"][0], "a");
    let metadata = with("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io").await;
    assert_eq!(metadata.body["kind"], "PartialObjectMetadata");
    assert_eq!(metadata.body.get("data"), None);
    for accept in ["application/vnd.kubernetes.protobuf", "application/json;as=Nothing;v=v1;g=meta.k8s.io"] {
        let refused = with(accept).await;
        assert_eq!((refused.code, text(&refused.body, "/reason")), (406, "NotAcceptable"), "{accept}");
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn large_bodies_are_refused_and_health_is_told() {
    let server = Server::start().await;
    let big = json!({"metadata": {"name": "big"}, "data": {"k": "x".repeat(4 << 20)}});
    let refused = server.post(MAPS, &big).await;
    assert_eq!((refused.code, text(&refused.body, "/message")), (413, "Request entity too large: limit is 3145728"));
    for path in ["/healthz", "/livez", "/readyz", "/readyz/storage"] {
        assert_eq!(server.get(path).await.body, "ok", "{path}");
    }
    let verbose = server.get("/readyz?verbose").await;
    assert!(verbose.body.as_str().unwrap().contains("[+]bootstrap ok"), "{}", verbose.body);
    let told = server.get("/version").await.body;
    assert_eq!((text(&told, "/major"), text(&told, "/minor")), ("1", "36"));
    let metrics = server.get("/metrics").await;
    assert!(metrics.body.as_str().unwrap().contains("apiserver_request_total"));
    server.running.stop().await;
}
