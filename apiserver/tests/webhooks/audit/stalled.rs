//! Nobody reads the audit log: who waits for it, and what is in it in the end.

use std::cell::Cell;
use std::io::{PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::thread::JoinHandle;
use std::time::Duration;

use plimsoll_apiserver::audit::{self, Mode};
use plimsoll_apiserver::run::Options;
use reqwest::{Method, Response};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::super::eventually::eventually;
use super::super::server::{Kind, MAPS, Server, map, review};

/// What goes on answers within this time.
const GOES_ON: Duration = Duration::from_secs(20);

/// A server whose log is a pipe that nobody reads from yet.
struct Stalled {
    server: Server,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Stalled {
    async fn start(mode: Mode) -> Self {
        let (reader, writer) = std::io::pipe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.yaml");
        let rules = "rules: [{level: None, resources: [{group: admissionregistration.k8s.io}]}, {level: None, verbs: [list]}, {level: Metadata}]";
        std::fs::write(&policy, format!("apiVersion: audit.k8s.io/v1\nkind: Policy\n{rules}\n")).unwrap();
        let path = format!("/proc/self/fd/{}", writer.as_raw_fd()).into();
        let audit = Some(audit::Options { path, policy: Some(policy), longest: 1 << 20, backups: 1, mode });
        Self { server: Server::with(Options { audit, ..Options::default() }).await, reader, writer }
    }

    /// A webhook whose refusal makes a line that no pipe holds.
    async fn fill(&self, query: &str) -> u16 {
        let hook = self.server.hook([review(json!({"allowed": false, "status": {"message": "x".repeat(2 << 20)}}))]);
        self.server.register(Kind::Validating, "c", &[self.server.spec("v", &hook.origin(), json!({}))]).await;
        self.ask("full", Method::POST, &format!("{MAPS}{query}")).await.status().as_u16()
    }

    async fn ask(&self, id: &str, method: Method, path: &str) -> Response {
        let request = self.server.admin().request(method.clone(), format!("{}{path}", self.server.running.url()));
        let request = request.header("audit-id", id).header("content-type", "application/json");
        let request = if method == Method::POST { request.body(map("x").to_string()) } else { request };
        request.send().await.unwrap()
    }

    /// Stops the server while somebody reads; returns the ids of the lines.
    async fn stop(self) -> Vec<String> {
        let reading = read(self.reader);
        self.server.running.stop().await;
        drop(self.writer);
        tokio::task::spawn_blocking(|| reading.join().unwrap()).await.unwrap()
    }
}

fn read(mut reader: PipeReader) -> JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let id = |line: &str| serde_json::from_str::<Json>(line).unwrap()["auditID"].as_str().unwrap().to_owned();
        text.lines().map(id).collect()
    })
}

#[actix_web::test]
async fn only_what_is_written_down_waits() {
    let stalled = Stalled::start(Mode::Blocking).await;
    assert_eq!(stalled.fill("?timeout=5s").await, 504);
    for (id, path) in [("1", "/livez"), ("2", "/readyz?verbose"), ("3", "/healthz/ping"), ("4", "/metrics"), ("", MAPS)] {
        let answer = timeout(GOES_ON, stalled.ask(id, Method::GET, path)).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
    let missing = format!("{MAPS}/missing");
    let late = stalled.ask("5", Method::GET, &format!("{missing}?timeout=1s")).await;
    assert_eq!(late.status(), 504);
    let errors = stalled.server.metric(r#"apiserver_audit_error_total{plugin="log"}"#).await;
    assert_eq!(errors, 0, "late is not lost");
    // One that has time is answered as soon as somebody reads. Each look at the metrics gives one line; the other one is that of `6`.
    let given = async || stalled.server.metric("apiserver_audit_event_total").await;
    let (before, looks) = (given().await, Cell::new(0));
    let (client, url) = (stalled.server.admin().clone(), stalled.server.running.url().to_owned());
    let waits = actix_web::rt::spawn(client.get(format!("{url}{missing}")).header("audit-id", "6").send());
    eventually(async || {
        looks.set(looks.get() + 1);
        (given().await > before + looks.get()).then_some(())
    })
    .await;
    assert!(!waits.is_finished());
    let reading = read(stalled.reader);
    assert_eq!(waits.await.unwrap().unwrap().status(), 404);
    stalled.server.running.stop().await;
    drop(stalled.writer);
    let ids = tokio::task::spawn_blocking(|| reading.join().unwrap()).await.unwrap();
    let mine: Vec<&str> = ids.iter().map(String::as_str).filter(|id| id.len() == 1 || *id == "full").collect();
    assert_eq!(mine, ["full", "1", "2", "3", "4", "5", "6"]);
}

#[actix_web::test]
async fn in_batch_mode_nobody_waits_and_the_end_waits_for_what_is_queued() {
    let stalled = Stalled::start(Mode::Batch { lines: 100 }).await;
    assert_eq!(stalled.fill("").await, 400);
    let expected: Vec<String> = (0..50).map(|number| format!("n{number:02}")).collect();
    for id in &expected {
        let answer = timeout(GOES_ON, stalled.ask(id, Method::GET, &format!("{MAPS}/missing"))).await.unwrap();
        assert_eq!(answer.status(), 404);
    }
    let ids = stalled.stop().await;
    assert_eq!((ids.first().map(String::as_str), &ids[1..]), (Some("full"), expected.as_slice()));
}

#[actix_web::test]
async fn in_batch_mode_what_has_no_room_is_counted() {
    let stalled = Stalled::start(Mode::Batch { lines: 2 }).await;
    assert_eq!(stalled.fill("").await, 400);
    for number in 0..10 {
        stalled.ask(&format!("n{number}"), Method::GET, &format!("{MAPS}/missing")).await;
    }
    let dropped = stalled.server.metric(r#"apiserver_audit_error_total{plugin="buffered"}"#).await;
    // The long line is at work, or waits for that.
    assert!((8..=9).contains(&dropped), "{dropped}");
    let ids = stalled.stop().await;
    assert!(ids.starts_with(&["full".to_owned(), "n0".to_owned()]), "{ids:?}");
}
