//! Follows every version of what is stored, as an administrator whose way is never disturbed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::super::e2e::{APPLIED, CERTIFIED, PREFERENCES, REQUIRES_PCI, annotation};
use super::history::{History, Past, Record, Said, State, Stored};
use super::policy::{Fleet, Value};
use super::users::Users;

/// What is followed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    ReplicaSets,
    Clusters,
    Events,
}

/// Begins; returns when what there is has been read. It ends with the users' runtime.
pub(super) fn follow(users: &Users, history: &Arc<History>) {
    for kind in [Kind::Clusters, Kind::ReplicaSets, Kind::Events] {
        let path = kind.path(users.namespace());
        let list = users.get(&path);
        let version = version(&list);
        history.add(|past| kind.start(past, &list, version));
        let history = Arc::clone(history);
        users.watch(path, version, move |event| {
            let (seen, object) = (Instant::now(), &event["object"]);
            history.add(|past| kind.add(past, seen, event["type"] == "DELETED", object));
        });
    }
}

/// Waits until everything up to now has been seen.
pub(super) fn catch_up(users: &Users, history: &History) -> Result<(), String> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let list = users.get(&Kind::ReplicaSets.path(users.namespace()));
        let missing = history.look(|past| {
            let known = |object: &Json| {
                let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
                past.objects.get(uid).and_then(|all| all.last()).is_some_and(|last| last.version >= version(object))
            };
            list["items"].as_array().into_iter().flatten().filter(|object| !known(object)).count()
        });
        match missing {
            0 => return Ok(()),
            _ if Instant::now() > end => return Err(format!("the observer misses {missing} objects: a mistake of this test")),
            _ => std::thread::park_timeout(Duration::from_millis(50)),
        }
    }
}

impl Kind {
    fn path(self, namespace: &str) -> String {
        match self {
            Self::ReplicaSets => format!("/apis/apps/v1/namespaces/{namespace}/replicasets"),
            Self::Clusters => "/apis/cluster.karmada.io/v1alpha1/clusters".into(),
            Self::Events => format!("/api/v1/namespaces/{namespace}/events"),
        }
    }

    fn start(self, past: &mut Past, list: &Json, version: u64) {
        let seen = Instant::now();
        let items = list["items"].as_array().into_iter().flatten();
        match self {
            Self::Clusters => {
                let fleet = items.map(|cluster| (name(cluster), is_certified(cluster))).collect();
                past.fleets.push(State { seen, version, fleet });
            }
            _ => items.for_each(|object| self.add(past, seen, false, object)),
        }
    }

    fn add(self, past: &mut Past, seen: Instant, gone: bool, object: &Json) {
        match self {
            Self::Clusters => {
                let mut fleet: Fleet = past.fleets.last().map(|state| state.fleet.clone()).unwrap_or_default();
                fleet.insert(name(object), is_certified(object));
                past.fleets.push(State { seen, version: version(object), fleet });
            }
            Self::ReplicaSets => {
                let uid = object["metadata"]["uid"].as_str().unwrap().to_owned();
                past.objects.entry(uid).or_default().push(stored(seen, gone, object));
            }
            Self::Events => past.said.extend(said(seen, object).filter(|_| !gone)),
        }
    }
}

fn stored(seen: Instant, gone: bool, object: &Json) -> Stored {
    let managers = object["metadata"]["managedFields"].as_array();
    let last = managers.and_then(|all| all.iter().max_by_key(|entry| entry["time"].as_str().unwrap_or_default().to_owned()));
    Stored {
        seen,
        version: version(object),
        name: name(object),
        asks: annotation(object, REQUIRES_PCI) == Some("true"),
        value: value(object),
        record: annotation(object, APPLIED).map(record),
        manager: last.map(|entry| entry["manager"].to_string()).unwrap_or_default(),
        gone,
    }
}

fn value(object: &Json) -> Value {
    let text = annotation(object, PREFERENCES)?;
    let value: Json = serde_json::from_str(text).unwrap_or_default();
    let weight = |entry: &Json| entry["weight"].as_i64().unwrap_or(-1);
    Some(value["clusters"].as_object().into_iter().flatten().map(|(name, entry)| (name.clone(), weight(entry))).collect())
}

fn record(text: &str) -> Record {
    let value: Json = serde_json::from_str(text).unwrap_or_default();
    let changed = value["fleet"]["changed"].as_str().and_then(|version| version.parse().ok());
    Record { text: text.to_owned(), changed }
}

fn said(seen: Instant, event: &Json) -> Option<Said> {
    let clusters = match event["reason"].as_str()? {
        // What moved it stands behind the clusters, in brackets.
        "PlacementUpdated" => {
            let placed = event["message"].as_str()?.strip_prefix("placed on ")?;
            placed.split(" (").next()?.split(", ").map(str::to_owned).collect()
        }
        "PlacementReverted" => Vec::new(),
        _ => return None,
    };
    let text = |pointer: &str| event.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    let (uid, by, count) = (
        text("/involvedObject/uid"),
        text("/reportingComponent") + " " + &text("/reportingInstance"),
        event["count"].as_u64().unwrap_or_default(),
    );
    Some(Said { seen, version: version(event), uid, by, count, clusters })
}

fn is_certified(cluster: &Json) -> bool {
    annotation(cluster, CERTIFIED) == Some("true")
}

fn name(object: &Json) -> String {
    object["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Of an object or a list.
pub(super) fn version(object: &Json) -> u64 {
    object["metadata"]["resourceVersion"].as_str().and_then(|version| version.parse().ok()).unwrap_or_default()
}
