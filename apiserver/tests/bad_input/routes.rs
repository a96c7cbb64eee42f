//! Every path that is served, as discovery lists it, is closed to who is not known and to who may nothing (lessons of
//! CVE-2025-29922 and CVE-2026-39429).

use serde_json::Value as Json;

use super::server::{ADMIN, BOB, Server};
use super::wire::Connection;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Open to everybody.
const OPEN: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];
/// What everybody who is known may ask.
const QUESTIONS: [&str; 3] = ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];

fn get(connection: &mut Connection, path: &str) -> Json {
    let reply = connection.send(ADMIN, &format!("GET {path}"), "", b"");
    assert_eq!(reply.code, 200, "{path}: {}", reply.text());
    reply.json()
}

fn strings(list: &Json, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

/// All groups and versions, as paths.
fn versions(connection: &mut Connection) -> Vec<String> {
    let mut paths = vec!["/api/v1".to_owned()];
    for group in get(connection, "/apis")["groups"].as_array().unwrap() {
        paths.extend(strings(&group["versions"], "groupVersion").into_iter().map(|version| format!("/apis/{version}")));
    }
    paths
}

/// Every path of a resource: collections, objects, subresources.
fn of_resources(connection: &mut Connection) -> Vec<String> {
    let mut paths = Vec::new();
    for version in versions(connection) {
        for resource in get(connection, &version)["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            let place = if resource["namespaced"] == true { "/namespaces/default" } else { "" };
            match name.split_once('/') {
                Some((plural, sub)) => paths.push(format!("{version}{place}/{plural}/x/{sub}")),
                None => {
                    paths.extend([
                        format!("{version}/{name}"),
                        format!("{version}{place}/{name}"),
                        format!("{version}{place}/{name}/x"),
                    ]);
                }
            }
        }
    }
    paths
}

/// Paths that are no resources.
fn others(connection: &mut Connection) -> Vec<String> {
    let mut paths = versions(connection);
    let fixed =
        ["/", "/api", "/apis", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz/ping", "/debug/pprof", "/logs", "/none"];
    paths.extend(fixed.map(str::to_owned));
    paths.extend(OPEN.map(str::to_owned));
    let documents = get(connection, "/openapi/v3");
    paths.extend(
        documents["paths"].as_object().unwrap().values().map(|entry| entry["serverRelativeURL"].as_str().unwrap().to_owned()),
    );
    paths
}

#[test]
fn every_route_is_closed_by_default() {
    let server = Server::start();
    let mut connection = server.connect();
    let resources = of_resources(&mut connection);
    let others = others(&mut connection);
    assert!(resources.len() > 60 && others.len() > 20, "{} {}", resources.len(), others.len());
    for path in resources.iter().chain(&others) {
        for method in METHODS {
            let about = format!("{method} {path}");
            let reply = connection.send("", &about, "", b"");
            let open = OPEN.contains(&path.as_str());
            match (open, method) {
                (true, "GET") => assert_eq!(reply.code, 200, "{about}"),
                (true, _) => assert!([401, 403, 405].contains(&reply.code), "{about}: {}", reply.code),
                (false, _) => drop(reply.is_status(401, &about)),
            }
        }
    }
    for path in &resources {
        let question = QUESTIONS.iter().any(|question| path.ends_with(question));
        for method in METHODS {
            let about = format!("{method} {path}");
            let reply = connection.send(BOB, &about, "", b"");
            match (question, method) {
                (true, "POST") => assert_ne!(reply.code, 403, "{about}"),
                _ => assert!(
                    [403, 405].contains(&reply.code) && reply.is_status(reply.code, &about).len() > 1,
                    "{about}: {}",
                    reply.code
                ),
            }
        }
    }
    for (path, code) in
        [("/metrics", 403), ("/debug/pprof", 403), ("/none", 403), ("/readyz/ping", 403), ("/api", 200), ("/openapi/v2", 200)]
    {
        assert_eq!(connection.send(BOB, &format!("GET {path}"), "", b"").code, code, "{path}");
    }
}

#[test]
fn wrong_credentials_are_refused_everywhere() {
    let server = Server::start();
    let mut connection = server.connect();
    let long = "x".repeat(5000);
    let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6ZGVmYXVsdDpkZWZhdWx0In0.";
    for token in ["wrong", "admin-toke", "admin-token-", jwt, long.as_str()] {
        for path in ["/healthz", "/api", "/api/v1/namespaces/default", "/none"] {
            connection.send(token, &format!("GET {path}"), "", b"").is_status(401, &format!("{token:.20} {path}"));
        }
    }
}
