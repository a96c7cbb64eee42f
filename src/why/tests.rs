//! What is said of decisions is true.

mod generated;
mod table;

use std::time::Duration;

use plimsoll_contract::source::Declare;
use plimsoll_contract::why::{Alternative, Condition, Reached, Why};
use serde_json::{Value as Json, json};

use super::{Request, why};
use crate::decision::testing::row;
use crate::decision::{Config, Subject, Way, Writer};
use crate::rego::Module;
use crate::snapshot::{Store, StoreOptions};

/// The decision of an object under some policies, on some clusters, explained.
fn explained(policies: &[(&str, &str)], clusters: &[Json], object: &Json) -> Why {
    let store = Store::new(StoreOptions::default()).unwrap();
    let kind = row("federation/v1beta1/clusters", "Cluster", |kind| {
        kind.namespaced = false;
        kind.fleet = true;
    });
    let declared = store.declare("test", Declare { kinds: vec![kind], ..Declare::default() }).unwrap();
    let module = |(key, text): &(&str, &str)| Module { key: (*key).into(), text: (*text).into() };
    store.put_policies("files", policies.iter().map(module).collect()).unwrap();
    let header = json!({"session": declared.session, "kind": "federation/v1beta1/clusters", "mode": "replace"});
    let body: String = std::iter::once(&header).chain(clusters).map(|line| format!("{line}\n")).collect();
    store.sync("test", body.as_bytes()).unwrap();
    let subject = Subject { object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
    let request = Request { clusters: Vec::new(), time: Duration::from_secs(600) };
    why(&store.load(), subject, &Config::default(), &request).unwrap()
}

fn cluster(name: &str, labels: &Json, spec: &Json) -> Json {
    json!({"apiVersion": "federation/v1beta1", "kind": "Cluster", "metadata": {"name": name, "labels": labels}, "spec": spec})
}

fn workload(labels: &Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a", "namespace": "shop", "labels": labels}})
}

/// What is said of a cluster, a line for each body, and below it one for each condition that does not hold.
fn lines(why: &Why, cluster: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let found = why.clusters.iter().find(|found| found.name == cluster).unwrap();
    found.alternatives.iter().for_each(|alternative| body(alternative, 0, &mut lines));
    lines
}

fn body(alternative: &Alternative, level: usize, lines: &mut Vec<String>) {
    let holds = if alternative.holds { " holds" } else { "" };
    lines.push(format!("{}{}:{}{holds}", "  ".repeat(level), alternative.rule, alternative.location.row));
    alternative.conditions.iter().for_each(|condition| expression(condition, level, lines));
}

fn expression(condition: &Condition, level: usize, lines: &mut Vec<String>) {
    let said = match condition.result {
        Reached::Holds if level == 0 => return,
        Reached::Holds => "holds",
        Reached::Fails if condition.together => "fails together",
        Reached::Fails => "fails",
        Reached::NotReached => "not reached",
        Reached::NotSeparable => "not separable",
    };
    let found: Vec<_> = condition.found.iter().map(|(text, value)| format!(" ({text} is {value})")).collect();
    lines.push(format!("{}- {} {said}{}", "  ".repeat(level), condition.text, found.concat()));
    condition.alternatives.iter().for_each(|alternative| body(alternative, level + 1, lines));
}
