//! In what two answers to one question differ, as a list of places.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value as Json;

use super::wire::Reply;

/// Headers of an answer that clients act on.
const HEADERS: [&str; 5] = ["content-type", "content-encoding", "location", "vary", "www-authenticate"];
/// What no two processes answer alike: only whether it is there is compared, and of objects the names.
const VOLATILE: [&str; 6] = [
    "/decision_id",
    "/metrics/*",
    "/provenance/version",
    "/provenance/build_commit",
    "/provenance/build_timestamp",
    "/provenance/build_hostname",
];

/// Steps that Plimsoll answers otherwise than OPA, where, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Difference {
    pub(super) reason: String,
    /// `status`, `text`, `layout`, `header NAME`, or a pointer into the body, where `*` is any name and a last `**` all below.
    pub(super) places: Vec<String>,
    /// `file: case: step`.
    pub(super) steps: BTreeSet<String>,
}

impl Difference {
    /// Whether it accounts for a place.
    pub(super) fn covers(&self, place: &str) -> bool {
        self.places.iter().any(|pattern| matches(pattern, place))
    }
}

fn matches(pattern: &str, place: &str) -> bool {
    let (mut pattern, mut place) = (pattern.split('/'), place.split('/'));
    loop {
        match (pattern.next(), place.next()) {
            (None, None) => return true,
            (Some("**"), _) => return true,
            (Some("*"), Some(_)) => {}
            (Some(a), Some(b)) if a == b => {}
            _ => return false,
        }
    }
}

/// Every place in which they differ.
pub(super) fn differences(ours: &Reply, theirs: &Reply) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    if ours.status != theirs.status {
        places.insert("status".to_owned());
    }
    for name in HEADERS.iter().filter(|name| ours.header(name) != theirs.header(name)) {
        places.insert(format!("header {name}"));
    }
    let (a, b) = (ours.text(), theirs.text());
    match (serde_json::from_str(&a), serde_json::from_str(&b)) {
        (Ok(ours), Ok(theirs)) => {
            if (indented(&a), a.ends_with('\n')) != (indented(&b), b.ends_with('\n')) {
                places.insert("layout".to_owned());
            }
            below("", &ours, &theirs, &mut places);
        }
        _ if a != b => drop(places.insert("text".to_owned())),
        _ => {}
    }
    places
}

fn indented(text: &str) -> bool {
    text.starts_with("{\n  ") || text.starts_with("[\n  ")
}

fn below(place: &str, a: &Json, b: &Json, places: &mut BTreeSet<String>) {
    if VOLATILE.iter().any(|volatile| matches(volatile, place)) {
        return;
    }
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            for name in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
                let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => below(&place, a, b, places),
                    _ => drop(places.insert(place)),
                }
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(index, (a, b))| below(&format!("{place}/{index}"), a, b, places));
        }
        _ if a == b => {}
        _ => drop(places.insert(if place.is_empty() { "/".to_owned() } else { place.to_owned() })),
    }
}
