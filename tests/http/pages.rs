//! Web pages: names that a listener on loopback does not go by, and requests of other sites.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use super::review::Reviewer;
use super::support::{Engine, bare};

/// The status of the answer to a request that is written as it is.
fn raw(stream: &mut (impl Read + Write), head: &str) -> u16 {
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let mut part = [0; 1024];
    while !answer.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "closed without an answer to {head:?}");
        answer.extend_from_slice(&part[..read]);
    }
    String::from_utf8_lossy(&answer)[9..12].parse().unwrap()
}

fn connect(url: &str) -> TcpStream {
    TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap()
}

fn get(url: &str, headers: &str) -> u16 {
    raw(&mut connect(url), &format!("GET /health HTTP/1.1\r\n{headers}\r\n"))
}

fn listening(engine: &Engine) -> [String; 2] {
    [engine.api.clone(), engine.diagnostic.clone().unwrap()]
}

#[tokio::test]
async fn a_page_that_points_its_name_at_loopback_is_refused() {
    let engine = bare(&["--diagnostic-addr=127.0.0.1:0", "--allowed-hosts=opa.internal,10.1.2.3"]);
    for url in listening(&engine) {
        let table = [
            ("Host: localhost\r\n", 200),
            ("Host: localhost:4711\r\n", 200),
            ("Host: 127.0.0.1:8181\r\n", 200),
            ("Host: [::1]:8181\r\n", 200),
            ("Host: opa.internal:8181\r\n", 200),
            ("Host: 10.1.2.3\r\n", 200),
            ("Host: evil.example:8181\r\n", 421),
            ("Host: localhost.evil.example\r\n", 421),
            ("Host: localhost\r\nHost: evil.example\r\n", 421),
            ("Host: 10.1.2.4\r\n", 421),
        ];
        for (headers, expected) in table {
            let found = get(&url, headers);
            // Two hosts are no request at all for some.
            assert!(found == expected || (headers.matches("Host").count() == 2 && found == 400), "{url} {headers:?}: {found}");
        }
        assert_eq!(raw(&mut connect(&url), "GET /health HTTP/1.0\r\n\r\n"), 200, "no browser speaks HTTP/1.0");
        let absolute = |host: &str| format!("GET http://{host}/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_eq!(raw(&mut connect(&url), &absolute("127.0.0.1:1")), 200);
        assert_eq!(raw(&mut connect(&url), &absolute("evil.example")), 421);
    }
    let refused = engine.client.get(format!("{}/v1/data", engine.api)).header("host", "evil.example").send().await.unwrap();
    let refused: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(refused["code"], "misdirected_request", "in OPA's shape");
    assert!(refused["message"].as_str().unwrap().contains("--allowed-hosts=evil.example"), "{refused}");
}

#[tokio::test]
async fn beyond_loopback_and_on_a_socket_any_name_will_do_unless_some_are_given() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("s");
    let addr = format!("--addr=0.0.0.0:0,unix://{}", socket.display());
    let engine = bare(&[&addr, "--authentication=off"]);
    let url = engine.api.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(get(&url, "Host: anything.example\r\n"), 200);
    let request = "GET /health HTTP/1.1\r\nHost: anything.example\r\n\r\n";
    assert_eq!(raw(&mut UnixStream::connect(&socket).unwrap(), request), 200);
    let named =
        bare(&["--addr=0.0.0.0:0", "--authentication=off", "--diagnostic-addr=0.0.0.0:0", "--allowed-hosts=opa.internal"]);
    let local = |url: &str| url.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(get(&local(&named.api), "Host: anything.example\r\n"), 421);
    assert_eq!(get(&local(&named.api), "Host: opa.internal\r\n"), 200);
    assert_eq!(get(&local(named.diagnostic.as_ref().unwrap()), "Host: 10.0.0.7:8282\r\n"), 200, "a kubelet asks by address");
}

#[tokio::test]
async fn requests_of_other_sites_pages_are_refused_on_every_listener() {
    let reviewer = Reviewer::start(&[], &["--diagnostic-addr=127.0.0.1:0"]);
    let port = |url: &str| url.rsplit_once(':').unwrap().1.to_owned();
    for url in listening(&reviewer.engine) {
        let host = format!("127.0.0.1:{}", port(&url));
        let table = [
            (String::new(), 200),
            (format!("Origin: http://{host}\r\n"), 200),
            (format!("Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n"), 200),
            ("Sec-Fetch-Site: none\r\n".to_owned(), 200),
            ("Origin: http://evil.example\r\n".to_owned(), 403),
            ("Origin: http://127.0.0.1:1\r\n".to_owned(), 403),
            ("Origin: null\r\n".to_owned(), 403),
            ("Sec-Fetch-Site: cross-site\r\n".to_owned(), 403),
        ];
        for (headers, expected) in table {
            assert_eq!(get(&url, &format!("Host: {host}\r\n{headers}")), expected, "{url} {headers:?}");
        }
    }
    let url = &reviewer.engine.api;
    let write = "PUT /v1/data/a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(raw(&mut connect(url), write), 403);
    assert_eq!(reviewer.engine.get("/v1/data/a").await.text.trim(), "{}", "nothing was written");
    assert_eq!(reviewer.send_as("/mutate", "http://evil.example").await.status, 403);
}
