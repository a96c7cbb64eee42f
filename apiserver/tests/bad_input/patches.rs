//! Patches that cost more than they say (lessons of CVE-2019-1002100 and CVE-2018-14632).

use serde_json::{Value as Json, json};

use super::server::{ADMIN, Server};

const VICTIM: &str = "/api/v1/namespaces/default/configmaps/victim";

fn patch(server: &Server, operations: &Json) -> (u16, String) {
    let body = operations.to_string();
    let reply = server.send(ADMIN, &format!("PATCH {VICTIM}"), "application/json-patch+json", body.as_bytes());
    let message = if reply.code == 200 { String::new() } else { reply.is_status(reply.code, "patch") };
    (reply.code, message)
}

#[test]
fn a_json_patch_has_a_bounded_number_of_operations() {
    let server = Server::start();
    server.config_map("default", "victim");
    let test = json!({"op": "test", "path": "/data/of", "value": "default"});
    let many = |count: usize| Json::Array(vec![test.clone(); count]);
    assert_eq!(patch(&server, &many(10_000)).0, 200);
    let (code, message) = patch(&server, &many(10_001));
    assert_eq!(code, 413);
    assert!(message.contains("The allowed maximum operations in a JSON patch is 10000, got 10001"), "{message}");
}

#[test]
fn copies_do_not_double_without_end() {
    let server = Server::start();
    server.config_map("default", "victim");
    server.is_well();
    let before = server.peak();
    let mut operations = vec![json!({"op": "add", "path": "/data/a", "value": "x".repeat(1000)})];
    operations.extend((0..40).map(|number| json!({"op": "copy", "from": "/data", "path": format!("/data/k{number}")})));
    let (code, message) = patch(&server, &Json::Array(operations));
    assert_eq!(code, 413, "{message}");
    let growth = server.peak() - before;
    assert!(growth < 32 << 10, "{growth} KiB");
    server.is_well();
}

#[test]
fn operations_on_what_is_not_there_are_refused() {
    let server = Server::start();
    server.config_map("default", "victim");
    let index = "/metadata/managedFields/99999999999999999999";
    let cases = [
        (json!([{"op": "remove", "path": "/data/none"}]), 422),
        (json!([{"op": "replace", "path": "/metadata/managedFields/7", "value": {}}]), 422),
        (json!([{"op": "add", "path": index, "value": {}}]), 422),
        (json!([{"op": "test", "path": "/data/of", "value": "other"}]), 422),
        (json!([{"op": "move", "from": "/data", "path": "/data/of"}]), 422),
        (json!([{"op": "fly", "path": "/data"}]), 422),
        (json!({"op": "remove"}), 400),
        (json!("x"), 400),
    ];
    for (operations, code) in cases {
        let (found, message) = patch(&server, &operations);
        assert_eq!(found, code, "{operations}: {message}");
    }
    server.is_well();
}

#[test]
fn a_patch_cannot_make_an_object_of_any_size() {
    let server = Server::start();
    server.config_map("default", "victim");
    for number in 0..4 {
        let body = json!({"data": {format!("k{number}"): "x".repeat(500 << 10)}}).to_string();
        let reply = server.send(ADMIN, &format!("PATCH {VICTIM}"), "application/merge-patch+json", body.as_bytes());
        match number {
            0 | 1 => assert_eq!(reply.code, 200, "{}", reply.text()),
            _ => assert!([413, 422].contains(&reply.code) && !reply.is_status(reply.code, "size").is_empty()),
        }
    }
}
