//! Streams of pods: admission says whether they may be opened, before anybody looks for a kubelet.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{Kind, Server, asked, map, patching, review};

const PODS: &str = "/api/v1/namespaces/default/pods";
const NO_HOST: &str = "pod web does not have a host assigned";

async fn with_a_pod() -> Server {
    let server = Server::start().await;
    let spec = json!({"containers": [{"name": "web", "image": "w:1"}, {"name": "log", "image": "l:1"}]});
    server.post(PODS, &json!({"metadata": {"name": "web"}, "spec": spec})).await.expect(201);
    server
}

/// A hook's members for one of them, or all.
fn connecting(resource: &str) -> Json {
    json!({"rules": [{"operations": ["CONNECT"], "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource]}]})
}

#[actix_web::test]
async fn a_hook_is_shown_the_options_and_may_refuse_the_stream() {
    let server = with_a_pod().await;
    let hook = server.hook([review(json!({"allowed": false, "status": {"message": "not here"}}))]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), connecting("pods/attach"))]).await;
    let path = format!("{PODS}/web/attach?container=web&stdin=true&stdout=true");
    for method in [Method::GET, Method::POST] {
        let refused = server.ask(method, &path, &Json::Null).await.expect(400);
        assert_eq!(refused.message(), "admission webhook \"v.example.com\" denied the request: not here");
    }
    let review = &asked(&hook)[0];
    let options = json!({"kind": "PodAttachOptions", "apiVersion": "v1", "stdin": true, "stdout": true, "container": "web"});
    assert_eq!((&review["object"], &review["oldObject"], &review["options"]), (&options, &Json::Null, &Json::Null));
    assert_eq!(review["kind"], json!({"group": "", "version": "v1", "kind": "PodAttachOptions"}));
    assert_eq!(review["resource"], json!({"group": "", "version": "v1", "resource": "pods"}));
    assert_eq!(
        ["operation", "subResource", "name", "namespace"].map(|field| review[field].as_str().unwrap()),
        ["CONNECT", "attach", "web", "default"],
    );
    let other = server.get(&format!("{PODS}/web/exec?container=web&command=sh")).await.expect(400);
    assert_eq!(other.message(), NO_HOST, "exec is no attach");
    server.unregister(Kind::Validating, "c").await;
    assert_eq!(server.get(&path).await.expect(400).message(), NO_HOST);
    assert_eq!(hook.came().len(), 2);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_mutating_hook_may_change_the_options_that_others_are_shown() {
    let server = with_a_pod().await;
    let first = server.hook([patching(json!([{"op": "add", "path": "/container", "value": "log"}]))]);
    let last = server.hook([review(json!({}))]);
    server.register(Kind::Mutating, "c", &[server.spec("m", &first.origin(), connecting("pods/*"))]).await;
    server.register(Kind::Validating, "c", &[server.spec("v", &last.origin(), connecting("*/*"))]).await;
    let answer = server.post(&format!("{PODS}/web/exec?command=sh"), &Json::Null).await.expect(400);
    assert_eq!(answer.message(), NO_HOST, "a container is named");
    let expected = json!({"kind": "PodExecOptions", "apiVersion": "v1", "command": ["sh"], "container": "log"});
    assert_eq!(asked(&last)[0]["object"], expected);
    server.get(&format!("{PODS}/none/portforward?ports=80")).await.expect(404);
    assert_eq!(asked(&last)[1]["object"]["ports"], json!([80]), "admission comes first, as upstream");
    server.running.stop().await;
}

#[actix_web::test]
async fn what_is_no_stream_of_a_container_is_refused() {
    let server = with_a_pod().await;
    server.post("/api/v1/namespaces/default/configmaps", &map("x")).await.expect(201);
    let table = [
        (Method::GET, "pods/web/attach", 400, "a container name must be specified for pod web, choose one of: [web log]"),
        (Method::GET, "pods/web/attach?container=none", 400, "container none is not valid for pod web"),
        (Method::GET, "pods/web/portforward", 400, NO_HOST),
        (Method::POST, "pods/web/attach?container=web&dryRun=All", 400, "dryRun is not supported"),
        (Method::PUT, "pods/web/attach", 405, "does not allow this method"),
        (Method::DELETE, "pods/web/exec", 405, "does not allow this method"),
        (Method::GET, "pods/web/proxy", 404, "could not find"),
        (Method::GET, "configmaps/x/attach", 404, "could not find"),
    ];
    for (method, path, code, part) in table {
        let answer = server.ask(method.clone(), &format!("/api/v1/namespaces/default/{path}"), &Json::Null).await;
        assert!(answer.code == code && answer.message().contains(part), "{method} {path}: {answer:?}");
    }
    let placed =
        json!({"metadata": {"name": "placed"}, "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i:1"}]}});
    server.post(PODS, &placed).await.expect(201);
    let refused = server.get(&format!("{PODS}/placed/attach")).await.expect(500);
    assert!(refused.message().contains("error dialing backend") && refused.message().contains("n1"), "{refused:?}");
    let listed = server.get("/api/v1").await.expect(200).body;
    let attach = json!({
        "name": "pods/attach", "singularName": "", "namespaced": true, "kind": "PodAttachOptions", "verbs": ["create", "get"],
    });
    assert!(listed["resources"].as_array().unwrap().contains(&attach), "{listed}");
    server.running.stop().await;
}

/// Websockets begin with a GET, which must not be a way round the right to create.
#[actix_web::test]
async fn who_may_only_get_streams_opens_none() {
    let server = with_a_pod().await;
    let grant = |verbs: Json| json!({"metadata": {"name": "streams"}, "rules": [{"apiGroups": [""], "resources": ["pods/attach"], "verbs": verbs}]});
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    server.post(roles, &grant(json!(["get"]))).await.expect(201);
    let binding = json!({
        "metadata": {"name": "dev"}, "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "dev"}],
        "roleRef": {"kind": "Role", "apiGroup": "rbac.authorization.k8s.io", "name": "streams"},
    });
    server.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", &binding).await.expect(201);
    let path = format!("{PODS}/web/attach?container=web");
    let refused = server.ask_as("dev", Method::GET, &path, &Json::Null).await.expect(403);
    assert!(refused.message().contains("cannot create resource \"pods/attach\""), "{refused:?}");
    server.ask_as("dev", Method::GET, &format!("{PODS}/web/exec?container=web"), &Json::Null).await.expect(403);
    server.ask(Method::PUT, &format!("{roles}/streams"), &grant(json!(["get", "create"]))).await.expect(200);
    assert_eq!(server.ask_as("dev", Method::GET, &path, &Json::Null).await.expect(400).message(), NO_HOST);
    server.running.stop().await;
}
