//! The log from outside: what is written, in which order, and what happens when nobody takes it.

use std::io::Read;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use flate2::read::GzDecoder;
use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::watch;

use super::Sink as Written;
use super::upload::Sink;
use super::*;
use crate::management::config::parse;
use crate::management::services::ServiceError;
use crate::rego::Module;
use crate::snapshot::{Store, StoreOptions};

mod failing;

/// Nothing here takes so long to be written.
const AGES: Duration = Duration::from_secs(60);

/// A service that can be away, and what has arrived there.
#[derive(Clone, Default)]
struct Service {
    up: Arc<AtomicBool>,
    arrived: Arc<Mutex<Vec<Json>>>,
    refused: Arc<AtomicU64>,
}

impl Sink for Service {
    fn send(&self, batch: Bytes) -> BoxFuture<'_, Result<(), ServiceError>> {
        Box::pin(async move {
            if !self.up.load(Ordering::Relaxed) {
                self.refused.fetch_add(1, Ordering::Relaxed);
                return Err(ServiceError::Status(503));
            }
            let mut text = String::new();
            GzDecoder::new(batch.as_ref()).read_to_string(&mut text).unwrap();
            let events: Vec<Json> = serde_json::from_str(&text).unwrap();
            self.arrived.lock().extend(events);
            Ok(())
        })
    }
}

fn section(text: &str) -> DecisionLogs {
    let services = "services: {s: {url: 'http://s'}}";
    parse(&format!("{services}\ndecision_logs: {text}"), "me").unwrap().decision_logs.unwrap()
}

fn log(config: &DecisionLogs, when_full: WhenFull) -> DecisionLog {
    let labels = [("id".to_owned(), "me".to_owned())].into();
    // How long `wait` waits for room; `fail` waits for the worker, and never in vain.
    let time = if when_full == WhenFull::Fail { Duration::from_secs(30) } else { Duration::from_millis(50) };
    let limits = Limits { time, ..Limits::default() };
    DecisionLog::start(Options { config: config.clone(), labels, file: None, when_full, limits }).unwrap()
}

fn store(policy: &str) -> Store {
    let store = Store::new(StoreOptions::default()).unwrap();
    store.put_policies("p", vec![Module { key: "p.rego".into(), text: policy.into() }]).unwrap();
    store
}

fn entry(store: &Store, number: usize) -> Entry {
    Entry {
        decision_id: format!("d{number}"),
        path: "a/b".into(),
        query: String::new(),
        input: Some(json!({"number": number, "password": "x"}).to_string().into()),
        result: Some(json!(true)),
        error: None,
        requested_by: "127.0.0.1:1".into(),
        headers: BTreeMap::new(),
        metrics: Map::new(),
        rule_labels: Vec::new(),
        custom: Map::new(),
        snapshot: store.load(),
    }
}

/// The worker is a thread of its own: real time.
fn eventually(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < deadline, "it did not come to be");
        std::thread::yield_now();
    }
}

fn numbers(events: &[Json]) -> Vec<u64> {
    events.iter().map(|event| event["input"]["number"].as_u64().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_is_down_for_five_minutes_costs_old_lines_not_decisions() {
    let config = section(
        "{service: s, reporting: {buffer_type: event, buffer_size_limit_events: 100, min_delay_seconds: 1, max_delay_seconds: 5}}",
    );
    let (log, store, service) = (log(&config, WhenFull::Drop), store("package x"), Service::default());
    let (stop, stopped) = watch::channel(false);
    let status = UploadStatus::default();
    let uploader = Uploader::with_sink(log.buffer().unwrap(), Box::new(service.clone()), &config, status.clone());
    let task = tokio::spawn(uploader.run(stopped));
    let began = tokio::time::Instant::now();
    for number in 0..300 {
        log.record(entry(&store, number)).unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(began.elapsed() >= Duration::from_secs(300));
    let counts = log.counts().unwrap().clone();
    eventually(|| counts.dropped_for("buffer") == 200);
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("queue"), log.waiting()), (0, 0, 100));
    // It was asked again and again, but never in a hurry. (Later than the clock says where the worker, a real thread, lags behind a
    // clock that does not wait.)
    let refused = || service.refused.load(Ordering::Relaxed);
    while refused() < 10 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(refused() <= 200, "{}", refused());
    assert_eq!(status.error().unwrap().0, Some(503));
    service.up.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(numbers(&service.arrived.lock()), (200..300).collect::<Vec<_>>(), "the newest, in order, once");
    assert!(status.error().is_none());
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("buffer"), log.waiting()), (100, 200, 0));
    log.record(entry(&store, 300)).unwrap();
    log.close(AGES);
    stop.send_replace(true);
    task.await.unwrap();
    assert_eq!(numbers(&service.arrived.lock()).last(), Some(&300), "what is left is sent at the end");
}

#[tokio::test(start_paused = true)]
async fn batches_are_bounded_and_one_that_cannot_be_is_dropped_and_counted() {
    let config = section("{service: s, reporting: {upload_size_limit_bytes: 400}}");
    let (log, store, service) = (log(&config, WhenFull::Drop), store("package x"), Service::default());
    service.up.store(true, Ordering::Relaxed);
    let noise: String = (0..4000).map(|n: u64| format!("{:x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    for number in 0..20 {
        let mut entry = entry(&store, number);
        if number == 7 {
            entry.custom.insert("noise".into(), noise.clone().into());
        }
        log.record(entry).unwrap();
    }
    log.close(AGES);
    let uploader = Uploader::with_sink(log.buffer().unwrap(), Box::new(service.clone()), &config, UploadStatus::default());
    uploader.run(watch::channel(true).1).await;
    let expected: Vec<u64> = (0..20).filter(|number| *number != 7).collect();
    assert_eq!(numbers(&service.arrived.lock()), expected);
    let counts = log.counts().unwrap();
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("too_large"), log.waiting()), (19, 1, 0));
    assert!(counts.uploads().0 > 1, "{:?}", counts.uploads());
}

#[tokio::test(start_paused = true)]
async fn what_a_service_does_not_take_before_the_end_is_counted_as_lost() {
    let config = section("{service: s}");
    let (log, store, service) = (log(&config, WhenFull::Drop), store("package x"), Service::default());
    for number in 0..7 {
        log.record(entry(&store, number)).unwrap();
    }
    log.close(AGES);
    let uploader = Uploader::with_sink(log.buffer().unwrap(), Box::new(service.clone()), &config, UploadStatus::default());
    uploader.run(watch::channel(true).1).await;
    let counts = log.counts().unwrap();
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("end"), log.waiting()), (0, 7, 0));
    assert!(service.refused.load(Ordering::Relaxed) >= 1);
}

#[test]
fn policies_drop_and_mask_and_a_broken_mask_shows_nothing() {
    let policy = "package system.log\n\ndrop if input.input.number == 1\n\nmask contains \"/input/password\"\n\nmask contains \"nonsense\" if input.input.number == 2";
    let config = section("{service: s}");
    let (log, store) = (log(&config, WhenFull::Drop), store(policy));
    for number in 0..4 {
        log.record(entry(&store, number)).unwrap();
    }
    log.close(AGES);
    let counts = log.counts().unwrap();
    assert_eq!((log.waiting(), counts.dropped_for("policy"), counts.dropped_for("failed")), (2, 1, 1));
    let (batch, _) = log.buffer().unwrap().oldest(1 << 20).unwrap();
    let events: Vec<Json> = serde_json::from_reader(GzDecoder::new(batch.as_ref())).unwrap();
    assert_eq!(numbers(&events), [0, 3]);
    for event in &events {
        assert_eq!(event["input"].get("password"), None);
        assert_eq!(event["erased"], json!(["/input/password"]));
        assert_eq!(event["labels"], json!({"id": "me"}));
    }
}

#[test]
fn only_a_log_that_was_told_to_fails_a_decision() {
    let config = section("{service: s, reporting: {buffer_type: event, buffer_size_limit_events: 1}}");
    let store = store("package x");
    for (when_full, fails) in [(WhenFull::Drop, false), (WhenFull::Wait, true), (WhenFull::Fail, true)] {
        let log = log(&config, when_full);
        // Nobody sends: the buffer takes one, the worker holds one, the queue takes the rest.
        let failed = (0..20_000).any(|number| log.record(entry(&store, number)).is_err());
        assert_eq!(failed, fails, "{when_full:?}");
        log.close(AGES);
    }
}

#[test]
fn more_than_so_many_in_a_second_are_dropped_and_counted() {
    let config = section("{service: s, reporting: {max_decisions_per_second: 5}}");
    let (log, store) = (log(&config, WhenFull::Drop), store("package x"));
    for number in 0..100 {
        log.record(entry(&store, number)).unwrap();
    }
    log.close(AGES);
    let dropped = log.counts().unwrap().dropped_for("rate");
    assert!((1..=95).contains(&dropped), "{dropped}");
    assert_eq!(numbers_in(&log).first(), Some(&0));
}

fn numbers_in(log: &DecisionLog) -> Vec<u64> {
    let (batch, _) = log.buffer().unwrap().oldest(1 << 20).unwrap();
    let events: Vec<Json> = serde_json::from_reader(GzDecoder::new(batch.as_ref())).unwrap();
    numbers(&events)
}

#[test]
fn without_a_log_there_is_no_id() {
    let log = DecisionLog::default();
    assert!(log.decision_id().is_none() && log.counts().is_none());
    log.record(entry(&store("package x"), 1)).unwrap();
    log.close(AGES);
}
