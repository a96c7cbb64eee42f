//! Readers whose evaluations grow to the limit of the whole process, and decisions beside them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::reviewer;
use crate::http::support::replica_set;

/// Keeps every text that it makes.
const GROWING: &str = "s := sprintf(\"%060000d\", [1]); x := count([[t] | some i in numbers.range(1, 10000); t := concat(\"\", [s, format_int(i, 10)])])";
const READERS: usize = 4;
/// So often a reader comes to the limit.
const TIMES: usize = 5;

#[tokio::test]
async fn a_reader_that_takes_all_memory_fails_no_decision() {
    let reviewer = reviewer();
    let refused = Arc::new(AtomicUsize::new(0));
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let (client, url) = (reviewer.engine.client.clone(), format!("{}/v1/query", reviewer.engine.api));
            let refused = Arc::clone(&refused);
            tokio::spawn(async move {
                while refused.load(Ordering::Relaxed) < TIMES {
                    let answer = client.post(&url).body(json!({"query": GROWING}).to_string()).send().await;
                    let text = answer.unwrap().text().await.unwrap();
                    refused.fetch_add(usize::from(text.contains("memory limit")), Ordering::Relaxed);
                }
            })
        })
        .collect();
    let mut object = replica_set("placed");
    // Takes a part of what there is for decisions, all of which is theirs.
    object["spec"]["large"] = vec![json!({"a": 0}); 15_000].into();
    let object = object.to_string();
    let mut decisions = 0;
    while readers.iter().any(|reader| !reader.is_finished()) {
        let answer = reviewer.engine.ask("POST", "/v0/data/kubernetes/placement", object.clone()).await;
        assert_eq!(answer.status, 200, "after {decisions} others: {answer:?}");
        decisions += 1;
    }
    for reader in readers {
        reader.await.unwrap();
    }
    assert!(decisions > TIMES, "{decisions} decisions while readers came to the limit");
}
