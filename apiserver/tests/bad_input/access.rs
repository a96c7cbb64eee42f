//! Reaching for what belongs to others: by prefixes, by continue tokens, by watches (lessons of CVE-2022-3162 and
//! CVE-2026-73499).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value as Json, json};

use super::server::{ADMIN, ALICE, Server};

fn names(list: &Json) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn definition(group: &str, plural: &str, kind: &str) -> Json {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List")},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    })
}

#[test]
fn a_kind_whose_name_begins_another_is_another() {
    let server = Server::start();
    let kinds = [
        ("example.com", "cars", "Car"),
        ("example.com", "carsales", "Carsale"),
        ("example.company", "cars", "Car"),
        ("example.co", "m", "Em"),
        ("s.example.com", "car", "Vehicle"),
    ];
    for (group, plural, kind) in kinds {
        server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition(group, plural, kind));
        for namespace in ["default", "default-2"] {
            if plural == "cars" && group == "example.com" && namespace == "default-2" {
                server.namespace(namespace);
            }
        }
        let object =
            json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": format!("of-{plural}.{group}")}});
        for namespace in ["default", "default-2"] {
            server.create(&format!("/apis/{group}/v1/namespaces/{namespace}/{plural}"), &object);
        }
    }
    let rules = json!([{"verbs": ["list", "watch", "get"], "apiGroups": ["example.com"], "resources": ["cars"]}]);
    server.grant("alice", "default", rules);
    for (group, plural, _) in kinds {
        let path = format!("/apis/{group}/v1/namespaces/default/{plural}");
        let all = server.send(ADMIN, &format!("GET /apis/{group}/v1/{plural}"), "", b"").json();
        assert_eq!(names(&all), vec![format!("of-{plural}.{group}"); 2], "{path}");
        let one = server.send(ADMIN, &format!("GET {path}"), "", b"").json();
        assert_eq!(names(&one), [format!("of-{plural}.{group}")], "{path}");
        let alice = server.send(ALICE, &format!("GET {path}"), "", b"");
        match (group, plural) {
            ("example.com", "cars") => assert_eq!(names(&alice.json()).len(), 1),
            _ => drop(alice.is_status(403, &path)),
        }
    }
}

/// A continue token as the server would make it.
fn forged(revision: u64, start: &str) -> String {
    BASE64.encode(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start}).to_string())
}

#[test]
fn a_continue_token_opens_no_other_place() {
    let server = Server::start();
    for namespace in ["a", "b"] {
        server.namespace(namespace);
        for number in 0..3 {
            server.config_map(namespace, &format!("{namespace}{number}"));
        }
    }
    server.grant("alice", "a", json!([{"verbs": ["list"], "apiGroups": [""], "resources": ["configmaps"]}]));
    let own = "/api/v1/namespaces/a/configmaps";
    let list = |path: &str| server.send(ALICE, &format!("GET {path}"), "", b"");
    let first = list(&format!("{own}?limit=1")).json();
    let revision: u64 = first["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    let page = |path: &str| server.send(ADMIN, &format!("GET {path}"), "", b"").json()["metadata"]["continue"].clone();
    let mut tokens = vec![
        forged(revision, "b/b0\0"),
        forged(revision, "../b/b0\0"),
        forged(revision, "a/../b/b0\0"),
        forged(revision, "/b/b0\0"),
        forged(revision, "\0"),
        forged(revision, ""),
        forged(revision, "configmaps/b/b0\0"),
        forged(0, "a0\0"),
        forged(u64::MAX, "a0\0"),
        BASE64.encode("{}"),
        BASE64.encode("x".repeat(10_000)),
        "no-base64!".to_owned(),
    ];
    for path in ["/api/v1/configmaps?limit=4", "/api/v1/namespaces/b/configmaps?limit=1", "/api/v1/namespaces?limit=1"] {
        tokens.push(page(path).as_str().unwrap().to_owned());
    }
    for token in tokens {
        let about = format!("token {:.60}", String::from_utf8_lossy(&BASE64.decode(&token).unwrap_or_default()));
        let reply = list(&format!("{own}?limit=10&continue={token}"));
        match reply.code {
            200 => assert!(names(&reply.json()).iter().all(|name| name.starts_with('a')), "{about}: {}", reply.text()),
            code => {
                assert!([400, 410, 504].contains(&code), "{about}: {code}");
                reply.is_status(code, &about);
            }
        }
        list(&format!("/api/v1/configmaps?continue={token}")).is_status(403, &about);
        list(&format!("/api/v1/namespaces/b/configmaps?continue={token}")).is_status(403, &about);
    }
}

#[test]
fn who_may_watch_a_namespace_may_not_watch_all() {
    let server = Server::start();
    server.namespace("a");
    server.namespace("ab");
    let verbs = json!(["get", "list", "watch"]);
    server.grant("alice", "a", json!([{"verbs": verbs, "apiGroups": ["", "apps", "extensions"], "resources": ["*"]}]));
    let own = server.send(ALICE, "GET /api/v1/namespaces/a/configmaps?watch=true", "", b"");
    assert_eq!(own.code, 200);
    let others = [
        "/api/v1/configmaps?watch=true",
        "/api/v1/configmaps?watch=1&fieldSelector=metadata.namespace=a",
        "/api/v1/configmaps?watch=&resourceVersion=0",
        "/api/v1/configmaps",
        "/api/v1/configmaps?fieldSelector=metadata.namespace%3Da",
        "/api/v1/namespaces/ab/configmaps?watch=true",
        "/api/v1/namespaces/ab/configmaps/x?watch=true",
        "/api/v1/namespaces?watch=true",
        "/apis/apps/v1/deployments?watch=true",
        "/apis/extensions/v1beta1/deployments?watch=true",
        "/api/v1/watch/configmaps",
        "/api/v1/watch/namespaces/ab/configmaps",
    ];
    for path in others {
        let reply = server.send(ALICE, &format!("GET {path}"), "", b"");
        let code = if path.contains("/watch/") { reply.code } else { 403 };
        reply.is_status(code, path);
        assert!([403, 404].contains(&code), "{path}: {code}");
    }
}

#[test]
fn nobody_lifts_themselves() {
    let server = Server::start();
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let rules = json!([{"verbs": ["*"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings", "clusterrolebindings"]}]);
    // All verbs hold `bind` and `escalate` too, so they are left out.
    let verbs = json!(["create", "update", "patch", "get", "list", "delete"]);
    let rules = json!([{"verbs": verbs, "apiGroups": rules[0]["apiGroups"], "resources": rules[0]["resources"]}]);
    server.grant("alice", "", rules);
    let group = "rbac.authorization.k8s.io";
    let binding = |kind: &str| {
        json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": "up"},
               "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
               "subjects": [{"apiGroup": group, "kind": "User", "name": "alice"}]})
    };
    let role = json!({"apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": {"name": "up"},
                      "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]});
    let attempts = [
        (format!("POST {rbac}/clusterrolebindings"), "application/json", binding("ClusterRoleBinding")),
        (format!("POST {rbac}/namespaces/default/rolebindings"), "application/json", binding("RoleBinding")),
        (format!("POST {rbac}/namespaces/default/roles"), "application/json", role.clone()),
        (format!("PATCH {rbac}/namespaces/default/roles/up?fieldManager=x"), "application/apply-patch+yaml", role),
    ];
    for (request, content_type, object) in attempts {
        let message = server.send(ALICE, &request, content_type, object.to_string().as_bytes()).is_status(403, &request);
        assert!(message.contains("is attempting to grant RBAC permissions not currently held"), "{message}");
    }
    let head = "Impersonate-User: admin\r\nImpersonate-Group: system:masters";
    let mut connection = server.connect();
    let request = format!("GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n{head}\r\n\r\n");
    connection.write(request.as_bytes()).unwrap();
    connection.reply().unwrap().is_status(403, "impersonation");
}
