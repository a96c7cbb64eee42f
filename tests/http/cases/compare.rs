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

/// OPA goes through variables in the order of a hash table.
const UNORDERED: &str = "/explanation/*/locals";

/// Steps that Plimsoll answers otherwise than OPA, where, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Difference {
    pub(super) reason: String,
    /// `status`, `text`, `layout`, `numbers`, `header NAME`, or a pointer into the body, where `*` is any name and a last `**` all below.
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
    match (ours.json(), theirs.json()) {
        (Some(ours), Some(theirs)) => {
            if (indented(&a), a.ends_with('\n')) != (indented(&b), b.ends_with('\n')) {
                places.insert("layout".to_owned());
            }
            below("", &ours, &theirs, &mut places);
            if places.is_empty() && ours.get("metrics").is_none() && numbers(&a) != numbers(&b) {
                places.insert("numbers".to_owned());
            }
        }
        _ if a != b => drop(places.insert("text".to_owned())),
        _ => {}
    }
    places
}

/// Numbers as they are written: parsed, large ones are alike.
fn numbers(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let (mut quoted, mut escaped, mut number) = (false, false, String::new());
    for c in text.chars().chain([' ']) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '0'..='9' | '.' | '-' | '+' => number.push(c),
            'e' | 'E' if !number.is_empty() => number.push('e'),
            _ if !number.is_empty() => numbers.push(std::mem::take(&mut number)),
            _ => {}
        }
    }
    numbers.sort_unstable();
    numbers
}

fn indented(text: &str) -> bool {
    text.starts_with("{\n  ") || text.starts_with("[\n  ")
}

fn sorted(items: &[Json]) -> Vec<String> {
    let mut items: Vec<_> = items.iter().map(ToString::to_string).collect();
    items.sort_unstable();
    items
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
        (Json::Array(a), Json::Array(b)) if matches(UNORDERED, place) => {
            if sorted(a) != sorted(b) {
                places.insert(place.to_owned());
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(index, (a, b))| below(&format!("{place}/{index}"), a, b, places));
        }
        _ if a == b => {}
        _ => drop(places.insert(if place.is_empty() { "/".to_owned() } else { place.to_owned() })),
    }
}
