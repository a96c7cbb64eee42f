//! What an AdmissionReview costs beside the same decision over OPA's data API: time of the server on the processor, for objects of classes
//! that were seen before. Reviews come over TLS on connections that are kept, as from an API server.
//!
//! `cargo bench --bench review`; `STYLES`, `CLUSTERS` and `RUNS` as in `--bench serve`.

mod http;
mod support;

use std::time::Duration;

use http::client::Load;
use http::server::{Server, Style};
use http::workload::{CLASSES, OBJECTS, fleet, object, runs, sizes};
use support::{Outcome, human, line, row, title};

const V0: &str = "/v0/data/kubernetes/placement";
/// Of each measurement.
const TIME: Duration = Duration::from_secs(2);

fn main() -> Outcome<()> {
    for style in Style::all() {
        for clusters in sizes() {
            title(&format!("{clusters} clusters, {}", style.0))?;
            let mut rounds = (0..runs()).map(|_| round(&style, clusters)).collect::<Outcome<Vec<_>>>()?;
            rounds.sort_by(f64::total_cmp);
            let median = rounds.get(rounds.len() / 2).copied().unwrap_or_default();
            line(&format!("  a review takes {median:.2} x, median of {}", rounds.len()))?;
        }
    }
    Ok(())
}

/// Returns how many times as much a review takes.
fn round(style: &Style, clusters: usize) -> Outcome<f64> {
    let server = Server::plimsoll(style)?;
    server.put("/v1/data/kubernetes/clusters", &fleet(clusters))?;
    let plain = Load::post(V0, OBJECTS, |n| object(n, n % CLASSES));
    let review = Load::post("/mutate", OBJECTS, |n| review(n, &object(n, n % CLASSES))).reviewed();
    plain.warm_up(&server, CLASSES)?;
    review.warm_up(&server, CLASSES)?;
    let (plain, review) = (plain.measure(&server, TIME)?, review.measure(&server, TIME)?);
    server.has_placed_all()?;
    for (name, measured) in [("v0", &plain), ("AdmissionReview", &review)] {
        row(name, format!("{:.0}/s", measured.per_second))?;
        row("  on the server's processor, each", human(measured.processor))?;
    }
    Ok(review.processor.as_secs_f64() / plain.processor.as_secs_f64())
}

/// As kube-apiserver sends it.
fn review(n: usize, object: &str) -> String {
    let kind = r#""kind":{"group":"apps","version":"v1","kind":"ReplicaSet"}"#;
    let resource = r#""resource":{"group":"apps","version":"v1","resource":"replicasets"}"#;
    let user = r#""userInfo":{"username":"system:serviceaccount:shop:deployer","groups":["system:authenticated"]}"#;
    let rest = r#""operation":"CREATE","namespace":"ns-000","oldObject":null,"dryRun":false,"options":null"#;
    format!(
        r#"{{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{{"uid":"705ab4f5-6393-11e8-b7cc-{n:012}",{kind},{resource},{user},{rest},"object":{object}}}}}"#
    )
}
