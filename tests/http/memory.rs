//! One budget of memory: hostile bodies at every endpoint of a process with a small one, and a decision after each.

mod amplified;
mod bundles;
mod growing;
mod large;
mod stalled;

use std::fs;

use serde_json::Value as Json;

use super::decisions::{BY_NAME, KEYS};
use super::review::{Reviewer, review_v1};
use super::support::{Engine, replica_set};

/// Of the processes here.
pub(crate) const BUDGET: &str = "--memory-limit=256Mi";
/// What the process may have had at most: the budget, and what the allocator does not count.
pub(crate) const PEAK: u64 = (256 + 64) << 20;

pub(crate) fn reviewer() -> Reviewer {
    Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS, BUDGET])
}

/// A number of `/proc/PID/status`, in bytes.
pub(crate) fn status(engine: &Engine, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", engine.pid())).expect("the process is alive");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap() << 10
}

/// An ordinary decision is made, both ways.
pub(crate) async fn decides(reviewer: &Reviewer, after: &str) {
    let object = replica_set("placed");
    let v0 = reviewer.engine.ask("POST", "/v0/data/kubernetes/placement", object.to_string()).await;
    assert_eq!(v0.status, 200, "after {after}: {v0:?}");
    let review = reviewer.ask("/mutate", &review_v1("CREATE", &object, &Json::Null)).await.json();
    assert_eq!(review["response"]["allowed"], true, "after {after}: {review}");
}
