//! Too much of everything: silent connections, large bodies, random paths (lessons of CVE-2026-73500, CVE-2020-8551,
//! CVE-2026-44247 and CVE-2020-8552).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use super::server::{ADMIN, BOB, Server};
use super::wire::{Connection, closed};

/// What 100 MB may cost the server at most, in KiB.
const GROWTH: u64 = 16 << 10;
const MEGABYTE: usize = 1 << 20;

/// How many, from the environment: CI has no time for as many as the `just` recipe.
fn count(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn silent_connections_are_closed_and_others_served_meanwhile() {
    let server = Server::start();
    let number = count("SILENT_CONNECTIONS", 300);
    let silent: Vec<_> = (0..number).map(|_| server.peer().dial()).collect();
    let secured: Vec<Connection> = (0..number / 3).map(|_| server.connect()).collect();
    let started: Vec<Connection> = (0..number / 3)
        .map(|_| {
            let mut connection = server.connect();
            connection.write(b"GET /api HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
            connection
        })
        .collect();
    for _ in 0..20 {
        server.is_well();
    }
    assert!(silent.into_iter().all(|mut stream| closed(&mut stream)), "silent before TLS");
    assert!(secured.into_iter().all(|mut connection| connection.is_closed()), "silent after TLS");
    assert!(started.into_iter().all(|mut connection| connection.is_closed()), "silent in the middle of the headers");
    server.is_well();
}

#[test]
fn a_large_body_is_refused_before_it_is_held() {
    let server = Server::start();
    server.config_map("default", "victim");
    server.is_well();
    let before = server.peak();
    let victim = "/api/v1/namespaces/default/configmaps/victim";
    let requests = [
        "POST /api/v1/namespaces/default/configmaps",
        &format!("PUT {victim}"),
        &format!("PATCH {victim}"),
        &format!("DELETE {victim}"),
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    ];
    for request in requests {
        for chunked in [false, true] {
            let reply = flood(&mut server.connect(), ADMIN, request, chunked);
            let message = reply.is_status(413, &format!("{request}, chunked: {chunked}"));
            assert_eq!(message, "Request entity too large: limit is 3145728");
        }
        flood(&mut server.connect(), BOB, &request.replace("authorization.k8s.io/v1/self", "authorization.k8s.io/v1/"), true)
            .is_status(403, request);
    }
    let growth = server.peak() - before;
    assert!(growth < GROWTH, "{growth} KiB");
    server.is_well();
}

/// Sends 100 MB, or as much as the server takes, and reads its answer.
fn flood(connection: &mut Connection, token: &str, request: &str, chunked: bool) -> super::wire::Reply {
    let length = if chunked { "Transfer-Encoding: chunked".to_owned() } else { format!("Content-Length: {}", 100 * MEGABYTE) };
    let kind = if request.starts_with("PATCH") { "application/merge-patch+json" } else { "application/json" };
    let head =
        format!("{request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\n{length}\r\n\r\n");
    connection.write(head.as_bytes()).unwrap();
    let part = vec![b' '; MEGABYTE];
    for _ in 0..100 {
        let frame = if chunked { format!("{:x}\r\n", part.len()).into_bytes() } else { Vec::new() };
        let end: &[u8] = if chunked { b"\r\n" } else { b"" };
        let sent: io::Result<()> = [&frame, &part, end].into_iter().try_for_each(|bytes| connection.write(bytes));
        if sent.is_err() {
            break;
        }
    }
    connection.reply().unwrap()
}

#[test]
fn random_paths_make_no_new_series() {
    let server = Server::start();
    let mut connection = server.connect();
    let visit = |connection: &mut Connection, from: usize, number: usize| {
        for seed in from..from + number {
            let mut word = String::new();
            write!(word, "w{:x}", seed.wrapping_mul(0x9e37_79b9)).unwrap();
            let method = ["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"][seed % 6];
            let path = match seed % 7 {
                0 => format!("/{word}"),
                1 => format!("/api/v1/{word}"),
                2 => format!("/apis/{word}/v1/things"),
                3 => format!("/api/v1/namespaces/{word}/configmaps/{word}"),
                4 => format!("/apis/apps/v1/namespaces/default/deployments/x/{word}"),
                5 => format!("/api/{word}/pods?watch={word}&fieldManager={word}"),
                _ => format!("/readyz/{word}"),
            };
            let token = [ADMIN, BOB, word.as_str()][seed % 3];
            let reply = connection.send(token, &format!("{method} {path}"), "application/json", b"");
            assert!(reply.code >= 400 || reply.code == 200, "{method} {path}: {}", reply.code);
        }
    };
    // The first round makes every combination of method, kind of path, caller and code.
    visit(&mut connection, 0, 2 * 6 * 7 * 3);
    // The first look is counted too.
    series(&mut connection);
    let before = series(&mut connection);
    visit(&mut connection, 1000, count("RANDOM_PATHS", 2_000));
    let after = series(&mut connection);
    assert_eq!(after.difference(&before).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(!after.iter().any(|name| name.contains("w9e37")), "a word of a path is a label");
}

/// Names and labels of all that is counted.
fn series(connection: &mut Connection) -> BTreeSet<String> {
    let reply = connection.send(ADMIN, "GET /metrics", "", b"");
    assert_eq!(reply.code, 200);
    let text = reply.text();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
}
