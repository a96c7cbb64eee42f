//! Connections: too many, too fast, silent, stalled; and who is answered all the same.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::review::{Reviewer, review_v1};
use super::support::{DEADLINE, Engine, bare, eventually, replica_set};

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Its body does not come.
const STALLED: &[u8] = b"POST /v1/data HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n";
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

fn address(url: &str) -> SocketAddr {
    url.rsplit_once("//").unwrap().1.parse().unwrap()
}

/// A connection of the peer 127.0.0.`peer`.
async fn connect(to: SocketAddr, peer: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, peer], 0))).unwrap();
    socket.connect(to).await.unwrap()
}

/// Asks, and says whether an answer began.
async fn answered(stream: &mut TcpStream, request: &[u8]) -> bool {
    let mut begin = [0; 12];
    let asked = stream.write_all(request).await.is_ok();
    let read = timeout(DEADLINE, stream.read_exact(&mut begin)).await.expect("answered or closed within the deadline");
    asked && read.is_ok() && begin.starts_with(b"HTTP/1.1 200")
}

/// A connection at work: its request has been taken, and waits for its body.
async fn stalled(to: SocketAddr, peer: u8) -> TcpStream {
    let mut stream = connect(to, peer).await;
    stream.write_all(STALLED).await.unwrap();
    let mut told = [0; CONTINUE.len()];
    timeout(DEADLINE, stream.read_exact(&mut told)).await.expect("taken within the deadline").unwrap();
    assert_eq!(told, CONTINUE);
    stream
}

async fn closed(stream: &mut TcpStream) -> bool {
    matches!(timeout(DEADLINE, stream.read(&mut [0; 16])).await.expect("closed within the deadline"), Ok(0) | Err(_))
}

async fn metric(engine: &Engine, series: &str) -> f64 {
    let url = format!("{}/metrics", engine.diagnostic.as_ref().unwrap());
    let text = engine.client.get(url).send().await.unwrap().text().await.unwrap();
    text.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok()).unwrap_or_else(|| panic!("{series}:\n{text}"))
}

fn small(more: &[&str]) -> Engine {
    bare(&[&["--diagnostic-addr=127.0.0.1:0", "--max-connections=16", "--max-connections-per-peer=8"], more].concat())
}

#[tokio::test]
async fn a_full_listener_turns_newcomers_away_and_health_answers() {
    let engine = small(&[]);
    let (api, diagnostic) = (address(&engine.api), address(engine.diagnostic.as_ref().unwrap()));
    let mut at_work = Vec::new();
    for peer in [2, 3] {
        for _ in 0..8 {
            at_work.push(stalled(api, peer).await);
        }
    }
    assert!(!answered(&mut connect(api, 4).await, HEALTH).await, "it is full");
    assert!(answered(&mut connect(diagnostic, 4).await, HEALTH).await, "health has a listener of its own");
    assert!(metric(&engine, "plimsoll_connections_closed_total{listener=\"api\",reason=\"full\"}").await >= 1.0);
    at_work.truncate(12);
    eventually("there is room again", async || answered(&mut connect(api, 4).await, HEALTH).await.then_some(())).await;
}

#[tokio::test]
async fn silent_and_idle_connections_give_way_and_a_peer_at_work_keeps_its_own() {
    let engine = small(&[]);
    let api = address(&engine.api);
    let mut own = connect(api, 2).await;
    assert!(answered(&mut own, HEALTH).await);
    let mut at_work = stalled(api, 2).await;
    let mut silent = Vec::new();
    for number in 0..200 {
        silent.push(connect(api, 3 + number % 20).await);
    }
    // Those that are still on their way in would make room of newcomers that have not asked yet.
    let evicted = "plimsoll_connections_closed_total{listener=\"api\",reason=\"evicted\"}";
    eventually("all have been taken", async || (metric(&engine, evicted).await >= 185.0).then_some(())).await;
    for peer in [2, 3, 60] {
        assert!(answered(&mut connect(api, peer).await, HEALTH).await, "{peer}");
    }
    assert!(closed(&mut silent[0]).await);
    // What it had asked before is answered: its connection was not silent.
    at_work.write_all(b"{\"a\":1234}").await.unwrap();
    let mut begin = [0; 12];
    at_work.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
}

#[tokio::test]
async fn a_peer_that_comes_too_fast_waits_and_then_is_turned_away_and_others_are_not() {
    let engine = bare(&["--diagnostic-addr=127.0.0.1:0", "--max-connection-rate=4"]);
    let api = address(&engine.api);
    let mut refused = 0;
    let mut tasks = Vec::new();
    for _ in 0..40 {
        tasks.push(tokio::spawn(async move { answered(&mut connect(api, 2).await, HEALTH).await }));
    }
    for task in tasks {
        refused += usize::from(!task.await.unwrap());
    }
    assert!(refused > 0, "40 at once, where 4 are taken and 4 wait");
    assert!(answered(&mut connect(api, 3).await, HEALTH).await, "another peer");
    let health = engine.client.get(format!("{}/health", engine.diagnostic.as_ref().unwrap())).timeout(Duration::from_secs(10));
    assert_eq!(health.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_flood_of_handshakes_on_one_listener_keeps_nobody_out() {
    let reviewer = Reviewer::start(&[], &["--diagnostic-addr=127.0.0.1:0"]);
    let engine = &reviewer.engine;
    let review = address(engine.review.as_ref().unwrap());
    // More than a worker of the HTTP library would have taken at a time: the first bytes of a handshake, and nothing else.
    let mut flood = Vec::new();
    for _ in 0..1200 {
        let mut stream = connect(review, 2).await;
        // It may have lost its place already.
        let _ = stream.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01]).await;
        flood.push(stream);
    }
    let started = tokio::time::Instant::now();
    for _ in 0..5 {
        assert_eq!(engine.get("/health").await.status, 200);
        let answer = reviewer.ask("/mutate", &review_v1("CREATE", &replica_set("x"), &serde_json::Value::Null)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // The handshakes of the flood end after 5 s; nobody waited for that.
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    drop(flood);
}
