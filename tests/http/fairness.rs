//! What one request costs the others: nothing.

use std::time::{Duration, Instant};

use serde_json::json;

use super::decisions::{BY_NAME, KEYS};
use super::review::{Reviewer, review_v1};
use super::support::{Engine, engine, eventually, replica_set};

/// Takes far longer than any limit here.
const SLOW: &str = "package slow

endless := count([1 |
	some i in numbers.range(1, 3000)
	some j in numbers.range(1, 3000)
	some k in numbers.range(1, 3000)
	i * j * k == 7
])
";
/// Requests of each kind: more than there are workers.
const MANY: usize = 6;
const DECISIONS: usize = 30;

/// The value of one row of the metrics.
pub(crate) async fn metric(engine: &Engine, row: &str) -> f64 {
    let text = engine.get("/metrics").await.text;
    let line = text.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(' ')).map(str::to_owned);
    line.unwrap_or_else(|| panic!("no {row} in {text}")).parse().unwrap()
}

/// The median time of a decision, one after the other.
async fn decision_time(engine: &Engine) -> Duration {
    let mut times = Vec::new();
    for _ in 0..DECISIONS {
        let started = Instant::now();
        let answer = engine.ask("POST", "/v0/data/kubernetes/placement", replica_set("placed").to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        times.push(started.elapsed());
    }
    times.sort_unstable();
    times[DECISIONS / 2]
}

#[tokio::test]
async fn slow_readers_delay_no_decision() {
    let engine = engine(&[("p.rego", BY_NAME), ("slow.rego", SLOW)], &["--eval-timeout=50s", KEYS]);
    decision_time(&engine).await;
    let idle = decision_time(&engine).await;
    let ask = |method, path: &str, body: &str| {
        let request = engine.client.request(method, format!("{}{path}", engine.api)).body(body.to_owned());
        tokio::spawn(request.send())
    };
    let query = json!({"query": "x := data.slow.endless"}).to_string();
    let readers = (0..MANY)
        .flat_map(|_| [ask(reqwest::Method::GET, "/v1/data/slow/endless", ""), ask(reqwest::Method::POST, "/v1/query", &query)]);
    let readers: Vec<_> = readers.collect();
    let running = async |pool: &str| metric(&engine, &format!("plimsoll_pool_jobs{{pool=\"{pool}\",state=\"running\"}}")).await;
    eventually("readers loop", async || (running("data").await + running("query").await >= 1.0).then_some(())).await;
    let beside = decision_time(&engine).await;
    assert!(running("data").await + running("query").await >= 1.0, "they looped all the while");
    assert!(readers.iter().all(|reader| !reader.is_finished()));
    // Where a reader holds a worker that decisions need, this is the time of the reader: thousands of times as long.
    let ratio = beside.as_secs_f64() / idle.as_secs_f64();
    assert!(ratio < 50.0, "{beside:?} beside slow readers, {idle:?} alone: {ratio:.1} x");
    let ready = engine.get("/health/ready").await;
    assert_eq!(ready.status, 200, "{ready:?}");
}

#[tokio::test]
async fn a_slow_policy_ends_at_its_limit_and_delays_no_health_check() {
    let slow = "package kubernetes.placement\nimport data.slow\nannotations[\"example.com/n\"] := slow.endless\n";
    let engine = engine(&[("p.rego", slow), ("slow.rego", SLOW)], &["--eval-timeout=1s", "--annotation-keys=example.com/n"]);
    let url = format!("{}/v0/data/kubernetes/placement", engine.api);
    let slow: Vec<_> = (0..8).map(|_| tokio::spawn(engine.client.post(&url).body(replica_set("x").to_string()).send())).collect();
    // Health is answered while every worker is busy; a deadline, not a measurement.
    let health = engine.client.get(format!("{}/health/live", engine.api)).timeout(Duration::from_secs(10));
    assert_eq!(health.send().await.unwrap().status(), 200);
    for answer in slow {
        let status = answer.await.unwrap().unwrap().status().as_u16();
        assert!([500, 503].contains(&status), "{status}: stopped at its limit, or refused after waiting too long");
    }
}

/// Whoever is seen for the first time waits for a worker.
#[tokio::test]
async fn a_slow_policy_delays_no_review_that_policy_needs_not_be_asked_for() {
    let slow = "package kubernetes.placement\nimport data.slow\nannotations[\"example.com/n\"] := \"1\"\n\
                errors contains \"slow\" if { startswith(input.metadata.name, \"slow\"); slow.endless }\n";
    let flags = ["--eval-timeout=50s", "--annotation-keys=example.com/n"];
    let reviewer = Reviewer::start(&[("p.rego", slow), ("slow.rego", SLOW)], &flags);
    let review = |name: &str| review_v1("CREATE", &replica_set(name), &serde_json::Value::Null);
    let first = reviewer.ask("/mutate", &review("quick")).await.json();
    let engine = &reviewer.engine;
    let url = format!("{}/v0/data/kubernetes/placement", engine.api);
    let ask = |n: usize| tokio::spawn(engine.client.post(&url).body(replica_set(&format!("slow-{n}")).to_string()).send());
    let asked: Vec<_> = (0..64).map(ask).collect();
    let waiting = async || metric(engine, "plimsoll_pool_jobs{pool=\"decide\",state=\"waiting\"}").await;
    eventually("all workers are busy", async || (waiting().await >= 1.0).then_some(())).await;
    assert_eq!(reviewer.ask("/mutate", &review("quick")).await.json(), first);
    assert!(waiting().await >= 1.0, "no worker was free in between");
    asked.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn readers_are_shed_at_once_and_told_when_to_come_back() {
    let engine = engine(&[("slow.rego", SLOW)], &["--eval-timeout=50s"]);
    let url = format!("{}/v1/data/slow/endless", engine.api);
    let asked: Vec<_> = (0..200).map(|_| tokio::spawn(engine.client.get(&url).send())).collect();
    // The row is there once something was refused.
    let shed = "plimsoll_refused_total{pool=\"data\",reason=\"overloaded\"}";
    eventually("readers are shed", async || engine.get("/metrics").await.text.contains(shed).then_some(())).await;
    let answer = engine.get("/v1/data/slow/endless").await;
    assert_eq!((answer.status, &answer.json()["code"], answer.header("retry-after")), (429, &json!("overloaded"), "1"));
    asked.iter().for_each(tokio::task::JoinHandle::abort);
    // Those who hung up leave their places: another one waits there, where it would be refused at once.
    eventually("there is room again", async || {
        let waits = engine.client.get(&url).timeout(Duration::from_secs(1)).send().await;
        waits.is_err_and(|error| error.is_timeout()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_review_without_time_is_refused_by_a_verdict() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let review = review_v1("CREATE", &replica_set("placed"), &serde_json::Value::Null);
    for path in ["/mutate?timeout=0s", "/validate?timeout=0s"] {
        let answer = reviewer.ask(path, &review).await;
        let response = &answer.json()["response"];
        assert_eq!((answer.status, &response["allowed"], &response["uid"]), (200, &json!(false), &review["request"]["uid"]));
        let status = &response["status"];
        assert_eq!((&status["code"], &status["reason"]), (&json!(429), &json!("TooManyRequests")), "{response}");
        assert_eq!(status["details"], json!({"retryAfterSeconds": 1}));
    }
}
