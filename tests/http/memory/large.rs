//! The largest objects that the API server takes: decided within bounds, or refused by a verdict.

use serde_json::{Value as Json, json};

use super::{reviewer, status};
use crate::http::review::review_v1;
use crate::http::support::replica_set;

/// What such a review may take above idle.
const ABOVE_IDLE: u64 = 64 << 20;

fn object(filling: Json) -> Json {
    let mut object = replica_set("placed");
    object["metadata"]["uid"] = "u".into();
    object["spec"]["template"] = filling;
    object
}

#[tokio::test]
async fn three_megabytes_beside_the_stored_version_take_no_more_than_64_mib() {
    let texts: Vec<String> = (0..30).map(|n| n.to_string().repeat(100_000)).map(|text| text[..100_000].to_owned()).collect();
    let containers: Vec<Json> = (0..3_000_000 / 42).map(|n| json!({"name": format!("{n:07}"), "value": "0123456789"})).collect();
    for (name, filling, decided) in [("texts", json!(texts), true), ("containers", json!(containers), false)] {
        let reviewer = reviewer();
        let mut new = object(filling.clone());
        new["spec"]["replicas"] = 7.into();
        let review = review_v1("UPDATE", &new, &object(filling));
        assert!((5_500_000..8 << 20).contains(&review.to_string().len()));
        super::decides(&reviewer, "the start").await;
        let idle = status(&reviewer.engine, "VmRSS:");
        for path in ["/mutate", "/validate"] {
            let response = reviewer.ask(path, &review).await.json()["response"].take();
            match decided {
                // The validating side alone denies, for no mutating one wrote the decision.
                true => assert!(response["status"]["code"].is_null() || path == "/validate", "{name}: {response}"),
                false => assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(413)), "{name}"),
            }
        }
        let above = status(&reviewer.engine, "VmHWM:") - idle;
        assert!(above <= ABOVE_IDLE, "{name}: {} MiB above idle", above >> 20);
        super::decides(&reviewer, name).await;
    }
}
