//! What is not initialized is not there, for whoever does not ask for it.

use std::collections::BTreeMap;

use plimsoll_apiserver::server::GetVisibility;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{ALL, Caller, MAPS, Server, map, patient};

const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

/// `v0` is visible, `w0` is not, `v1` is visible, `w1` is not, and so on.
async fn mixed(server: &Server, pairs: usize) {
    for number in 0..pairs {
        server.admin.post(MAPS, &map(&format!("{}v", letter(number)))).await.expect(201);
    }
    server.register("c", &[("a", json!({}))]).await;
    for number in 0..pairs {
        server.uninitialized(&format!("{}w", letter(number))).await;
    }
}

fn letter(number: usize) -> char {
    char::from(b'a' + u8::try_from(number).unwrap())
}

#[actix_web::test]
async fn no_read_shows_it_in_any_form() {
    let server = Server::start(patient()).await;
    server.admin.post(MAPS, &map("v")).await.expect(201);
    server.register("c", &[("a", json!({}))]).await;
    server.uninitialized("w").await;
    for form in ["", "Table", "PartialObjectMetadata"] {
        let (one, list) = if form == "PartialObjectMetadata" { (form, "PartialObjectMetadataList") } else { (form, form) };
        let get = async |path: &str, form: &str| match form {
            "" => server.admin.get(path).await,
            form => server.admin.get_as(path, form).await,
        };
        get(&format!("{MAPS}/w"), one).await.expect(404);
        get(&format!("{MAPS}/w?{ALL}"), one).await.expect(200);
        get(&format!("{MAPS}/w?resourceVersion=1"), one).await.expect(404);
        for (query, with) in [
            ("", false),
            ("includeUninitialized=false", false),
            ("includeUninitialized=0", false),
            ("resourceVersion=0", false),
            ("resourceVersion=1", false),
            ("labelSelector=app", false),
            (ALL, true),
        ] {
            let expected: &[&str] = if with { &["v", "w"] } else { &["v"] };
            for collection in [MAPS, "/api/v1/configmaps"] {
                let listed = get(&format!("{collection}?{query}"), list).await.expect(200);
                assert_eq!(listed.names(), expected, "{form} {collection} {query}");
            }
        }
        for selector in ["fieldSelector=metadata.name=w", "fieldSelector=metadata.name==w", "labelSelector=app=w"] {
            assert!(get(&format!("{MAPS}?{selector}"), list).await.expect(200).names().is_empty(), "{form} {selector}");
            assert_eq!(get(&format!("{MAPS}?{selector}&{ALL}"), list).await.expect(200).names(), ["w"], "{form} {selector}");
        }
    }
    let head = server.admin.request(Method::HEAD, &format!("{MAPS}/w")).send().await.unwrap();
    assert_eq!(head.status().as_u16(), 404);
    server.running.stop().await;
}

#[actix_web::test]
async fn pages_and_counts_are_as_if_it_were_not_there() {
    let server = Server::start(patient()).await;
    mixed(&server, 5).await;
    let (mut token, mut seen) = (String::new(), Vec::new());
    for (page, remaining) in [(0, Some(3)), (1, Some(1)), (2, None)] {
        let listed = server.admin.get(&format!("{MAPS}?limit=2&continue={token}")).await.expect(200);
        assert_eq!(listed.body["metadata"]["remainingItemCount"].as_u64(), remaining, "{page}");
        token = listed.body["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        assert!(!decoded(&token).contains('w'), "{}", decoded(&token));
        seen.extend(listed.names());
        // What is revealed between two pages is not part of the list that was begun.
        if page == 0 {
            server.finish("cw").await;
        }
    }
    assert_eq!((token.as_str(), seen), ("", ["av", "bv", "cv", "dv", "ev"].map(str::to_owned).to_vec()));
    let all = server.admin.get(&format!("{MAPS}?limit=3&{ALL}")).await.expect(200);
    assert_eq!(
        (all.names(), all.body["metadata"]["remainingItemCount"].as_u64()),
        (["av", "aw", "bv"].map(str::to_owned).to_vec(), Some(7))
    );
    server.running.stop().await;
}

fn decoded(token: &str) -> String {
    use base64::Engine as _;
    String::from_utf8(base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).unwrap()).unwrap()
}

/// Each fate of an object, as a watcher with and without the flag sees it.
#[actix_web::test]
async fn a_watcher_sees_an_object_from_when_it_is_initialized() {
    let server = Server::start(patient()).await;
    let definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"data": {"type": "object", "additionalProperties": {"type": "string"}}},
            }}}],
        },
    });
    server.admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.expect(201);
    let rules =
        json!({"rules": [{"apiGroups": ["", "example.com"], "apiVersions": ["v1"], "resources": ["configmaps", "widgets"]}]});
    server.register("c", &[("a", rules)]).await;
    for (collection, kind) in [(MAPS, ("v1", "ConfigMap")), (WIDGETS, ("example.com/v1", "Widget"))] {
        let start = server.admin.get(collection).await.body["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
        fates(&server.admin, collection, kind).await;
        let shown = ["ADDED done 2", "MODIFIED done 3", "DELETED done 3", "ADDED last v"];
        let every = [
            "ADDED done v",
            "MODIFIED done 1",
            "MODIFIED done 2",
            "MODIFIED done 3",
            "DELETED done 3",
            "ADDED failed v",
            "MODIFIED failed 1",
            "DELETED failed 1",
            "ADDED gone v",
            "DELETED gone v",
            "ADDED last v",
        ];
        for (query, expected) in [
            ("", shown.as_slice()),
            ("&fieldSelector=metadata.namespace=default", &shown),
            ("&labelSelector=fate", &shown),
            ("&includeUninitialized=false", &shown),
            (&format!("&{ALL}"), &every),
            (&format!("&{ALL}&labelSelector=fate"), &every),
        ] {
            let mut watch = server.admin.watch(&format!("{collection}?watch=1&resourceVersion={start}{query}")).await;
            assert_eq!(watch.until("last").await, expected, "{collection} {query}");
        }
    }
    server.running.stop().await;
}

async fn fates(admin: &Caller, collection: &str, (version, kind): (&str, &str)) {
    let object = |name: &str, data: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "labels": {"fate": name}}, "data": {"k": data}});
    for name in ["done", "failed", "gone"] {
        admin.post(&format!("{collection}?{ALL}"), &object(name, "v")).await.expect(202);
        match name {
            "done" => {
                admin.merge(&format!("{collection}/done"), &json!({"data": {"k": "1"}})).await.expect(200);
                admin
                    .merge(&format!("{collection}/done"), &json!({"metadata": {"initializers": null}, "data": {"k": "2"}}))
                    .await
                    .expect(200);
                admin.merge(&format!("{collection}/done"), &json!({"data": {"k": "3"}})).await.expect(200);
                admin.delete(&format!("{collection}/done")).await.expect(200);
            }
            "failed" => {
                let refuse = json!({"metadata": {"initializers": {"result": {"status": "Failure"}}}, "data": {"k": "1"}});
                admin.merge(&format!("{collection}/failed"), &refuse).await.expect(200);
            }
            _ => drop(admin.delete(&format!("{collection}/gone")).await.expect(200)),
        }
    }
    let mut last = object("last", "v");
    last["metadata"]["initializers"] = json!({});
    admin.post(collection, &last).await.expect(201);
}

#[actix_web::test]
async fn a_watch_that_begins_with_the_state_begins_without_it() {
    let server = Server::start(patient()).await;
    mixed(&server, 2).await;
    let forms = ["", "&resourceVersion=0", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"];
    for form in forms {
        for name in ["", "&fieldSelector=metadata.name!=x"] {
            let mut watch = server.admin.watch(&format!("{MAPS}?watch=1{form}{name}")).await;
            assert_eq!(watch.until("bv").await, ["ADDED av v", "ADDED bv v"], "{form}{name}");
            let mut watch = server.admin.watch(&format!("{MAPS}?watch=1&{ALL}{form}{name}")).await;
            assert_eq!(watch.until("bw").await, ["ADDED av v", "ADDED aw v", "ADDED bv v", "ADDED bw v"], "{form}{name}");
        }
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_collection_is_deleted_with_it_and_the_answer_does_not_tell() {
    let server = Server::start(patient()).await;
    mixed(&server, 4).await;
    let tried = server.admin.delete(&format!("{MAPS}?dryRun=All")).await.expect(200);
    assert_eq!(tried.names(), ["av", "bv", "cv", "dv"]);
    let one = server.admin.delete(&format!("{MAPS}?labelSelector=app=bw")).await.expect(200);
    assert!(one.names().is_empty());
    assert!(server.stored("bw").await.is_none());
    let some = server.admin.delete(&format!("{MAPS}?limit=2")).await.expect(200);
    assert_eq!((some.names(), some.body["metadata"]["remainingItemCount"].as_u64()), (vec!["av".into(), "bv".into()], Some(2)));
    let left = server.admin.get(&format!("{MAPS}?{ALL}")).await.expect(200).names();
    assert_eq!(left, ["cv", "cw", "dv", "dw"]);
    let rest = server.admin.delete(&format!("{MAPS}?{ALL}")).await.expect(200);
    assert_eq!(rest.names(), left);
    assert!(server.admin.get(&format!("{MAPS}?{ALL}")).await.expect(200).names().is_empty());
    server.running.stop().await;
}

#[actix_web::test]
async fn a_get_may_be_set_to_what_upstream_did() {
    let mut settings = patient();
    settings.get = GetVisibility::Upstream;
    let server = Server::start(settings).await;
    server.register("c", &[("a", json!({}))]).await;
    server.uninitialized("x").await;
    server.admin.get(&format!("{MAPS}/x")).await.expect(200);
    assert!(server.admin.get(MAPS).await.expect(200).names().is_empty(), "lists hide it all the same");
    server.running.stop().await;
}

/// What is not seen takes no effect: it grants nothing, defines nothing, is nobody's account.
#[actix_web::test]
async fn what_is_hidden_is_not_in_force() {
    let server = Server::start(patient()).await;
    let alice = Caller::new(&server.running, "alice", &[]);
    let hidden = |mut object: Json| {
        object["metadata"]["initializers"] = json!({"pending": [{"name": "own.example.com"}]});
        object
    };
    let rbac = "rbac.authorization.k8s.io";
    let binding = json!({
        "metadata": {"name": "all"}, "subjects": [{"kind": "User", "name": "alice", "apiGroup": rbac}],
        "roleRef": {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": rbac},
    });
    let definition = json!({
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    let initializer = json!({"metadata": {"name": "c"}, "initializers": [
        {"name": "a.example.com", "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["secrets"]}]},
    ]});
    let secrets = "/api/v1/namespaces/default/secrets";
    let account = "/api/v1/namespaces/default/serviceaccounts";
    let token = json!({"spec": {}});
    let probes = async || {
        let codes = [
            ("binding", alice.get(MAPS).await.code),
            ("definition", server.admin.get("/apis/example.com/v1/gadgets").await.code),
            (
                "initializer",
                server
                    .admin
                    .post(&format!("{secrets}?{ALL}&dryRun=All"), &json!({"metadata": {"name": "s"}}))
                    .await
                    .body
                    .pointer("/metadata/initializers")
                    .map_or(0, |_| 1),
            ),
            ("account", server.admin.post(&format!("{account}/robot/token"), &token).await.code),
        ];
        BTreeMap::from(codes)
    };
    let made = [
        (format!("/apis/{rbac}/v1/clusterrolebindings"), "all", binding),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(), "gadgets.example.com", definition),
        (super::server::CONFIGURATIONS.to_owned(), "c", initializer),
        (account.to_owned(), "robot", json!({"metadata": {"name": "robot"}})),
    ];
    for (collection, _, object) in &made {
        server.admin.post(&format!("{collection}?{ALL}"), &hidden(object.clone())).await.expect(202);
    }
    assert_eq!(probes().await, BTreeMap::from([("binding", 403), ("definition", 404), ("initializer", 0), ("account", 404)]));
    for (collection, name, _) in &made {
        server.admin.merge(&format!("{collection}/{name}"), &json!({"metadata": {"initializers": null}})).await.expect(200);
    }
    assert_eq!(probes().await, BTreeMap::from([("binding", 200), ("definition", 200), ("initializer", 1), ("account", 201)]));
    server.running.stop().await;
}
