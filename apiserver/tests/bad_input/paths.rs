//! Paths that different layers might read differently (lessons of CVE-2022-3162 and CVE-2026-26205).

use super::server::{ADMIN, BOB, Server};

#[test]
fn only_canonical_paths_are_read() {
    let server = Server::start();
    let paths = [
        "//api/v1/namespaces",
        "/api//v1/namespaces",
        "/api/v1//namespaces",
        "/api/v1/namespaces//default",
        "/./api/v1/namespaces",
        "/api/v1/./namespaces",
        "/api/v1/namespaces/../namespaces",
        "/api/v1/namespaces/..",
        "/api/v1/%2e%2e/v1/namespaces",
        "/api/v1/%2E%2E/v1/namespaces",
        "/api/v1/namespaces/%2e",
        "/api/v1/namespaces/default%2fconfigmaps",
        "/api/v1/namespaces/default%2Fconfigmaps",
        "/api/v1/namespaces/a%252fb",
        "/api/v1/namespaces/a%00b",
        "/api/v1/namespaces/%ff",
        "/api/v1/namespaces/%zz",
        "/healthz//",
        "//healthz",
    ];
    for path in paths {
        for (token, who) in [(ADMIN, "admin"), (BOB, "bob"), ("", "nobody")] {
            let reply = server.send(token, &format!("GET {path}"), "", b"");
            let codes: &[u16] = if token.is_empty() { &[400, 401] } else { &[400] };
            assert!(codes.contains(&reply.code), "{who} {path}: {} {}", reply.code, reply.text());
            reply.is_status(reply.code, path);
        }
    }
    server.is_well();
}

#[test]
fn an_escaped_letter_is_the_letter() {
    let server = Server::start();
    for path in ["/api/v1/namespaces/d%65fault", "/api/v1/%6eamespaces/default", "/api/v1/namespaces/default/"] {
        assert_eq!(server.send(ADMIN, &format!("GET {path}"), "", b"").code, 200, "{path}");
        server.send(BOB, &format!("GET {path}"), "", b"").is_status(403, path);
    }
}

#[test]
fn names_that_would_leave_their_place_are_refused() {
    let server = Server::start();
    for name in [".", "..", "a/b", "a%b", "a\u{0}b", "../x", "A", ""] {
        let object = serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        let reply =
            server.send(ADMIN, "POST /api/v1/namespaces/default/configmaps", "application/json", object.to_string().as_bytes());
        reply.is_status(422, name);
    }
}

#[test]
fn strange_requests_are_answered_or_closed() {
    let server = Server::start();
    let requests = [
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "\r\n\r\n\0\0\0".to_owned(),
        format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(1 << 20)),
        format!("GET /api HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(1 << 20)),
        format!("GET /api HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(10_000)),
        "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n".to_owned(),
    ];
    for request in requests {
        let mut connection = server.connect();
        // It may be closed before everything is written.
        if connection.write(request.as_bytes()).is_ok()
            && let Ok(reply) = connection.reply()
        {
            assert!((400..500).contains(&reply.code), "{request:.60}: {}", reply.code);
        }
    }
    server.is_well();
}
