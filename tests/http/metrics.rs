//! `docs/metrics.md` and the engine say the same.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use serde_json::{Value as Json, json};

use super::decisions::{BY_NAME, KEYS};
use super::review::{Reviewer, review_v1};
use super::sources::{declare, sync};
use super::support::{eventually, replica_set};

/// Name to type and labels.
type Table = BTreeMap<String, (String, BTreeSet<String>)>;

fn documented() -> Table {
    let page = include_str!("../../docs/metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let labels = cells[3].split(',').map(|label| label.trim().trim_matches('`').to_owned());
        let labels = labels.filter(|label| !label.is_empty()).collect();
        (cells[1].trim_matches('`').to_owned(), (cells[2].to_owned(), labels))
    };
    rows.map(row).collect()
}

fn shown(text: &str) -> Table {
    let mut table = Table::new();
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("# TYPE ") {
            let (name, kind) = declared.split_once(' ').unwrap();
            table.insert(name.to_owned(), (kind.to_owned(), BTreeSet::new()));
        } else if let Some((series, labels)) = line.split_once('{').filter(|_| !line.starts_with('#')) {
            let name = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| series.strip_suffix(suffix)).unwrap_or(series);
            let labels = labels.split_once('}').unwrap().0.split("\",").filter(|label| !label.is_empty());
            let labels = labels.map(|label| label.split_once('=').unwrap().0.to_owned());
            let entry = table.get_mut(name).or(None).unwrap_or_else(|| panic!("{name} has no type"));
            entry.1.extend(labels.filter(|label| label != "le"));
        }
    }
    table
}

#[tokio::test]
async fn the_page_describes_every_metric_and_no_other() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let engine = &reviewer.engine;
    let kinds = json!([{"gvr": "apps/v1/replicasets", "kind": "ReplicaSet", "place": true}]);
    let session = declare(engine, "fleet", kinds).await.session;
    let mut object = replica_set("placed");
    object["metadata"]["uid"] = "u".into();
    object["metadata"]["resourceVersion"] = "1".into();
    sync(engine, "fleet", &session, "apps/v1/replicasets", "replace", &[object]).await;
    reviewer.ask("/mutate", &review_v1("CREATE", &replica_set("x"), &Json::Null)).await;
    let since = engine.get("/plimsoll/v1/placements").await.json()["since"].to_string();
    let stream = engine.client.get(format!("{}/plimsoll/v1/placements?watch&since={since}", engine.api)).send().await;
    stream.unwrap().bytes_stream().next().await;
    // A timeout that leaves no time for anything: refused while it waits.
    reviewer.ask("/mutate?timeout=0s", &review_v1("CREATE", &replica_set("x"), &Json::Null)).await;
    let shown = eventually("the sweep has ended", async || {
        let table = shown(&engine.get("/metrics").await.text);
        table.contains_key("plimsoll_placements").then_some(table)
    })
    .await;
    let (log, other): (Table, Table) = documented().into_iter().partition(|(name, _)| name.starts_with("plimsoll_decision_log"));
    assert_eq!(shown, other);
    assert!(!log.is_empty());
}

#[tokio::test]
async fn a_decision_log_has_metrics_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    // A service that nobody answers for: a batch fails.
    let config = "{services: {s: {url: 'http://127.0.0.1:1'}}, decision_logs: {service: s, console: true,
        reporting: {min_delay_seconds: 1, max_delay_seconds: 1}}}";
    std::fs::write(dir.path().join("opa.yaml"), config).unwrap();
    let engine = super::support::start(dir, &["--config-file=opa.yaml"]);
    engine.get("/v1/data/a").await;
    let documented: Table = documented().into_iter().filter(|(name, _)| name.starts_with("plimsoll_decision_log")).collect();
    eventually("a batch was sent", async || {
        let mut table = shown(&engine.get("/metrics").await.text);
        table.retain(|name, _| name.starts_with("plimsoll_decision_log"));
        (table == documented).then_some(())
    })
    .await;
}

#[tokio::test]
async fn paths_and_methods_of_strangers_make_no_series() {
    let engine = super::support::bare(&[]);
    for number in 0..50 {
        engine.ask(&format!("METHOD{number}"), &format!("/random/{number}"), "").await;
        engine.get(&format!("/v1/data/{number}")).await;
    }
    let text = engine.get("/metrics").await.text;
    let series = text.lines().filter(|line| line.starts_with("http_request_duration_seconds_count")).count();
    assert_eq!(series, 2, "{text}");
}
