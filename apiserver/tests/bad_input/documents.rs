//! Documents that are cheap to send and dear to read (lessons of CVE-2019-11253).

use super::server::{ADMIN, Server};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// What a bad document may cost the server at most, in KiB; far below what it would unfold to.
const GROWTH: u64 = 32 << 10;

fn deep(open: &str, close: &str) -> String {
    format!("{}{}", open.repeat(10_000), close.repeat(10_000))
}

#[test]
fn deep_documents_are_refused_wherever_a_document_is_read() {
    let server = Server::start();
    server.config_map("default", "victim");
    let victim = format!("{CONFIG_MAPS}/victim");
    let documents = [deep("[", "]"), deep("{\"a\":", "}").replace("}}", "1}}"), deep("{a: ", "}")];
    let readers = [
        (format!("POST {CONFIG_MAPS}"), "application/json"),
        (format!("POST {CONFIG_MAPS}"), "application/yaml"),
        (format!("PUT {victim}"), "application/json"),
        (format!("PUT {victim}"), "application/yaml"),
        (format!("PATCH {victim}"), "application/json-patch+json"),
        (format!("PATCH {victim}"), "application/merge-patch+json"),
        (format!("PATCH {victim}"), "application/strategic-merge-patch+json"),
        (format!("PATCH {victim}?fieldManager=x"), "application/apply-patch+yaml"),
        (format!("DELETE {victim}"), "application/json"),
        (format!("DELETE {CONFIG_MAPS}"), "application/json"),
        ("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews".to_owned(), "application/json"),
        ("POST /api/v1/namespaces/default/serviceaccounts/default/token".to_owned(), "application/json"),
    ];
    for (request, content_type) in &readers {
        for document in &documents {
            let about = format!("{request} {content_type} {}", &document[..8]);
            server.send(ADMIN, request, content_type, document.as_bytes()).is_status(400, &about);
        }
    }
    server.is_well();
}

#[test]
fn as_many_brackets_as_a_body_holds_are_refused_at_once() {
    let server = Server::start();
    let before = server.peak();
    for (content_type, open) in
        [("application/yaml", "["), ("application/yaml", "{a: "), ("application/yaml", "- "), ("application/json", "[")]
    {
        let body = format!("a: {}", open.repeat((2 << 20) / open.len()));
        let body = if content_type == "application/json" { body.replace("a: ", "") } else { body };
        server.send(ADMIN, &format!("POST {CONFIG_MAPS}"), content_type, body.as_bytes()).is_status(400, open);
    }
    server.is_well();
    let growth = server.peak() - before;
    assert!(growth < 16 * GROWTH, "{growth} KiB");
}

#[test]
fn deep_fields_inside_an_object_are_refused() {
    let server = Server::start();
    let object = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"deep"}},"data":{}}}"#,
        deep("{\"a\":", "}").replace("}}", "1}}")
    );
    server.send(ADMIN, &format!("POST {CONFIG_MAPS}"), "application/json", object.as_bytes()).is_status(400, "deep data");
    server.send(ADMIN, &format!("GET {CONFIG_MAPS}/deep"), "", b"").is_status(404, "nothing is stored");
}

/// Nine names, each ten times the one before: a billion letters in 600 bytes.
fn aliases() -> String {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x,x]\n");
    for (last, next) in ('a'..'i').zip('b'..='i') {
        bomb.push_str(&format!("{next}: &{next} [{}]\n", vec![format!("*{last}"); 10].join(",")));
    }
    bomb
}

#[test]
fn yaml_aliases_do_not_unfold() {
    let server = Server::start();
    server.config_map("default", "victim");
    server.is_well();
    let before = server.peak();
    let bomb = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: victim}}\n{}", aliases());
    let circle = "a: &a [*a]\n";
    let requests = [
        (format!("POST {CONFIG_MAPS}"), "application/yaml"),
        (format!("PUT {CONFIG_MAPS}/victim"), "application/yaml"),
        (format!("PATCH {CONFIG_MAPS}/victim?fieldManager=x"), "application/apply-patch+yaml"),
    ];
    for (request, content_type) in &requests {
        for text in [bomb.as_str(), circle] {
            server.send(ADMIN, request, content_type, text.as_bytes()).is_status(400, &format!("{request} {text:.20}"));
        }
    }
    server.is_well();
    let growth = server.peak() - before;
    assert!(growth < GROWTH, "{growth} KiB");
}

#[test]
fn what_is_no_document_is_refused() {
    let server = Server::start();
    let post = format!("POST {CONFIG_MAPS}");
    let cases: [(&[u8], &str, u16); 12] = [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"\xff\xfe\x00", "application/json", 400),
        (b"null", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{\"a\":1e999}", "application/json", 400),
        (b"\0\0\0", "application/yaml", 400),
        (b"k8s\0\n", "application/vnd.kubernetes.protobuf", 400),
        (b"k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "application/vnd.kubernetes.protobuf", 400),
        (b"no magic", "application/vnd.kubernetes.protobuf", 400),
        (b"\xd9\xd9\xf7\xa0", "application/cbor", 415),
        (b"{}", "text/plain", 415),
    ];
    for (body, content_type, code) in cases {
        let about = format!("{content_type} {:?}", String::from_utf8_lossy(body));
        server.send(ADMIN, &post, content_type, body).is_status(code, &about);
    }
    server.is_well();
}
