//! Users who create objects all the while, through kube-apiserver and both webhooks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::super::e2e::{Kubectl, PREFERENCES, annotated, clusters_in, pci_replica_set, replica_set, unique};
use super::chance::Chance;
use super::client::Client;
use super::figures::Figures;
use super::readiness::is_ready;

/// kube-apiserver gives up on a webhook earlier.
const PATIENCE: Duration = Duration::from_secs(60);

/// Objects that are there at once: a fleet that only grows would be a fleet that needs more memory.
const ALIVE: usize = 500;

/// What came of all creates.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    pub(super) figures: Figures,
    pub(super) stored: usize,
    /// Objects whose placement is not what policy says.
    pub(super) wrong: Vec<String>,
    /// Creates that were not answered by the engine.
    pub(super) lost: Vec<String>,
    /// Refusals while readiness was true before and after.
    pub(super) untruthful: Vec<String>,
}

/// Who creates, and where.
pub(super) struct Users {
    client: Client,
    url: String,
    diagnostic: String,
}

impl Users {
    pub(super) fn new(kubectl: &Kubectl, namespace: &str, diagnostic: &str) -> Self {
        let (client, server) = Client::admin(kubectl, PATIENCE);
        let url = format!("{server}/apis/apps/v1/namespaces/{namespace}/replicasets");
        Self { client, url, diagnostic: diagnostic.to_owned() }
    }

    /// Creates until it is over.
    pub(super) fn create(&self, chance: &mut Chance, over: &AtomicBool) -> Admitted {
        let (mut admitted, mut alive) = (Admitted::default(), VecDeque::new());
        while !over.load(Ordering::Relaxed) {
            let (object, expected) = wish(chance);
            self.one(&object, expected, &mut admitted);
            alive.push_back(object);
            if alive.len() > ALIVE {
                alive.pop_front().iter().for_each(|object| self.delete(object, &mut admitted));
            }
        }
        admitted
    }

    /// Deletes one, if it was stored.
    fn delete(&self, object: &Json, admitted: &mut Admitted) {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let started = Instant::now();
        match self.client.ask("DELETE", &format!("{}/{name}", self.url), "application/json", Vec::new()) {
            Ok((status @ (200 | 404), _)) => admitted.figures.add(format!("delete: {status}"), started.elapsed()),
            other => admitted.lost.push(format!("delete {name}: {other:?}")),
        }
    }

    /// One create, and what is stored of it.
    pub(super) fn one(&self, object: &Json, expected: Option<&[&str]>, admitted: &mut Admitted) {
        let ready = || is_ready(&self.client, &self.diagnostic) == Ok(true);
        let (before, started) = (ready(), Instant::now());
        let answer = self.client.ask("POST", &self.url, "application/json", object.to_string().into_bytes());
        let took = started.elapsed();
        let name = &object["metadata"]["name"];
        let (status, body) = match answer {
            Ok(answer) => answer,
            Err(error) => return admitted.lost.push(format!("{name}: {error}")),
        };
        admitted.figures.add(format!("create: {status}"), took);
        match status {
            201 => {
                admitted.stored += 1;
                let stored: Json = serde_json::from_str(&body).unwrap();
                let found = clusters_in(&stored, PREFERENCES);
                if found.as_deref().map(|found| found.iter().map(String::as_str).collect::<Vec<_>>()).as_deref() != expected {
                    admitted.wrong.push(format!("{name}: {found:?} instead of {expected:?}"));
                }
            }
            // Said by the engine, in a verdict.
            413 | 429 | 503 if body.contains("denied the request") => {
                if status != 413 && before && ready() {
                    admitted.untruthful.push(format!("{name}: {status} {body}"));
                }
            }
            _ => admitted.lost.push(format!("{name}: {status} {body}")),
        }
    }
}

/// An object, and the clusters that policy names for it.
pub(super) fn wish(chance: &mut Chance) -> (Json, Option<&'static [&'static str]>) {
    let name = unique("siege");
    let (object, expected): (Json, Option<&[&str]>) =
        if chance.one_in(3) { (replica_set(&name), None) } else { (pci_replica_set(&name), Some(&["alpha"])) };
    let object = match chance.below(4) {
        // What the developer wishes; policy says otherwise.
        0 if expected.is_some() => annotated(object, PREFERENCES, r#"{"clusters":{"beta":{"weight":1}},"rebalance":true}"#),
        1 => annotated(object, "example.com/text", &"x".repeat(100 << 10)),
        _ => object,
    };
    (with_containers(object, chance.below(20)), expected)
}

fn with_containers(mut object: Json, count: usize) -> Json {
    let container = |n: usize| json!({"name": format!("c{n}"), "image": "registry.example/shop:1"});
    object["spec"]["template"]["spec"]["containers"] = (0..=count).map(container).collect::<Vec<_>>().into();
    object
}
