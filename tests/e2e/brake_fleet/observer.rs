//! Follows every version of every object as it is stored, as an administrator whose way is never disturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use reqwest::Method;
use serde_json::Value as Json;

use super::super::support::api::{Api, Request};
use super::super::support::eventually::eventually;
use super::super::support::fixtures::{PREFERENCES, clusters_in};

/// Where an object stands; nothing: without a placement.
pub(super) type Stands = Option<Vec<String>>;

/// One version of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) number: u64,
    pub(super) zone: usize,
    pub(super) stands: Stands,
}

/// By the object's name.
pub(super) type Objects = BTreeMap<String, Version>;

/// Every version that was stored, oldest first, by the object's name.
type Past = BTreeMap<String, Vec<Version>>;

/// What was seen.
pub(super) struct Observer {
    api: Api,
    path: String,
    past: Arc<Mutex<Past>>,
}

impl Observer {
    /// Begins, with what there is; `watching` is for the observer's thread.
    pub(super) fn start(api: Api, watching: Api, path: &str) -> Self {
        let observer = Self { api, path: path.to_owned(), past: Arc::default() };
        let list = observer.read(path);
        let past = Arc::clone(&observer.past);
        items(&list).for_each(|object| add(&past, object));
        let from = format!("{path}?watch=1&resourceVersion={}", list["metadata"]["resourceVersion"].as_str().unwrap());
        // It ends with the API server, or with the first event that nobody waits for.
        thread::spawn(move || {
            watching.watch(&from, |event| {
                match event["type"].as_str().unwrap() {
                    "DELETED" => drop(past.lock().remove(name(&event["object"]))),
                    "ADDED" | "MODIFIED" => add(&past, &event["object"]),
                    other => panic!("the observer is told {other}: {event}"),
                }
                Arc::strong_count(&past) > 1
            });
        });
        observer
    }

    /// What is stored now; all that led to it has been seen.
    pub(super) fn now(&self) -> Objects {
        let listed: Objects = items(&self.read(&self.path)).map(|object| (name(object).to_owned(), version(object))).collect();
        eventually("the observer has seen what is stored", || {
            let past = self.past.lock();
            let last = |name: &String| past.get(name).and_then(|all| all.last()).map_or(0, |last| last.number);
            let missing: Vec<&String> =
                listed.iter().filter(|(name, version)| last(name) < version.number).map(|(name, _)| name).collect();
            if missing.is_empty() { Ok(()) } else { Err(format!("{missing:?}")) }
        });
        listed
    }

    /// The objects that stood anywhere else since then, whether they came back or not.
    pub(super) fn moved_since(&self, then: &Objects) -> BTreeSet<String> {
        self.now();
        let past = self.past.lock();
        let moved = |(name, before): (&String, &Version)| {
            let later = past.get(name)?.iter().filter(|version| version.number > before.number);
            later.map(|version| &version.stands).any(|stands| *stands != before.stands).then(|| name.clone())
        };
        then.iter().filter_map(moved).collect()
    }

    /// A list of other objects: their names and versions.
    pub(super) fn versions(&self, path: &str) -> BTreeMap<String, u64> {
        items(&self.read(path)).map(|object| (name(object).to_owned(), number(object))).collect()
    }

    fn read(&self, path: &str) -> Json {
        let request = Request { method: Method::GET, path: path.into(), content_type: "application/json", body: Json::Null };
        let answer = self.api.call(&request);
        assert!(answer.accepted(), "{answer:?}");
        answer.body
    }
}

fn add(past: &Mutex<Past>, object: &Json) {
    past.lock().entry(name(object).to_owned()).or_default().push(version(object));
}

fn items(list: &Json) -> impl Iterator<Item = &Json> {
    list["items"].as_array().unwrap().iter()
}

fn name(object: &Json) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

fn number(object: &Json) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

pub(super) fn version(object: &Json) -> Version {
    let zone = object["metadata"]["labels"]["zone"].as_str().unwrap();
    Version {
        number: number(object),
        zone: zone.trim_start_matches('z').parse().unwrap(),
        stands: clusters_in(object, PREFERENCES),
    }
}
