//! Bodies that begin and do not go on.

use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::json;
use tokio::task::JoinHandle;

use super::{PEAK, decides, reviewer, status};
use crate::http::review::Reviewer;
use crate::http::support::{Answer, eventually};

/// As many as stopped every decision before there was a budget.
const MANY: usize = 70;
/// Time for what is refused at once.
const AT_ONCE: Duration = Duration::from_secs(20);

/// The start of a review, then nothing.
fn begin(reviewer: &Reviewer, start: String) -> JoinHandle<Answer> {
    let body = stream::iter([Ok::<_, std::io::Error>(Bytes::from(start))]).chain(stream::pending());
    let request = reviewer.request("/mutate").body(reqwest::Body::wrap_stream(body));
    tokio::spawn(async move { Answer::of(request.send().await.unwrap()).await })
}

fn start(bytes: usize) -> String {
    let start = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}).to_string();
    format!("{},\"request\":{{\"uid\":\"u1\",\"object\":\"{}", start.trim_end_matches('}'), "x".repeat(bytes))
}

#[tokio::test]
async fn stalled_bodies_stop_no_decision_and_end_with_an_answer() {
    let reviewer = reviewer();
    let mut large: Vec<_> = (0..MANY).map(|_| begin(&reviewer, start(4 << 20))).collect();
    let mut refused = Vec::new();
    // The share holds a few of them; the others are refused at once, by a verdict.
    eventually("most are refused", async || {
        while let Some(at) = large.iter().position(JoinHandle::is_finished) {
            refused.push(large.swap_remove(at));
        }
        (refused.len() >= MANY / 2).then_some(())
    })
    .await;
    for answer in refused {
        let answer = tokio::time::timeout(AT_ONCE, answer).await.unwrap().unwrap();
        let response = &answer.json()["response"];
        assert_eq!((&response["uid"], &response["status"]["code"]), (&json!("u1"), &json!(429)), "{answer:?}");
        assert_eq!(response["status"]["details"], json!({"retryAfterSeconds": 1}));
    }
    assert!(!large.is_empty(), "some are held");
    decides(&reviewer, "stalled bodies").await;
    assert_eq!(reviewer.engine.get("/health/ready").await.status, 200);
    let little: Vec<_> = (0..MANY).map(|_| begin(&reviewer, start(1 << 10))).collect();
    decides(&reviewer, "more of them").await;
    for answer in little {
        let answer = answer.await.unwrap();
        assert_eq!((answer.status, &answer.json()["reason"]), (408, &json!("Timeout")), "{answer:?}");
    }
    decides(&reviewer, "their end").await;
    let peak = status(&reviewer.engine, "VmHWM:");
    assert!(peak <= PEAK, "{} MiB", peak >> 20);
}
