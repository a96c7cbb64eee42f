//! What compiles is asked for all of its documents, within bounds: twice, with indices and without, in order and out of order, and
//! there is one answer.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use plimsoll_rego::compile::Options;
use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Bound, Request};
use plimsoll_rego::value::{Value, json};

use super::compiler::compiled;

/// What policies may read: some of it is there, some is of another shape than they think.
const DATA: &str = r#"{"kubernetes": {"clusters": {
    "berlin": {"metadata": {"name": "berlin", "labels": {"region": "eu"}}, "status": {"ready": true, "cpu": 4}, "n": [1, 2, 3]},
    "oregon": {"metadata": {"name": "oregon"}, "status": null, "n": []}}},
    "a": {"b": {"c": [1, 2.5, -3, "x", null, true, {"y": []}]}}, "b": "text", "list": ["b", "a", "b"], "n": 7}"#;
const INPUT: &str = r#"{"kind": "ReplicaSet", "list": ["b", "a", "b"], "a": 1, "n": 3, "s": "a.b,c", "x": {"y": {"z": [1, "2"]}},
    "request": {"kind": {"kind": "Deployment"}, "object": {"metadata": {"name": "w", "annotations": {}}, "spec": {"replicas": 3}}}}"#;

static DOCUMENTS: LazyLock<[Value; 2]> = LazyLock::new(|| [DATA, INPUT].map(|text| json::read(text.as_bytes(), 128).unwrap()));

/// Comprehensions that are looked up do not find two values of one key, as in OPA.
const CONFLICT: &str = "object keys must be unique";

/// Without indices rules with constant values are left at the first of them, as in OPA (`opa eval --disable-indexing`).
const DIFFERS: &str = "produced conflicting values";

/// What is too long to be shown.
const LONGEST: usize = 64 << 10;

/// One input.
pub(crate) fn run(input: &[u8]) {
    let Some(program) = compiled(input, &Options::default()) else { return };
    let [data, input] = &*DOCUMENTS;
    let bound = program.bind(data.clone());
    let plain = Request { input: Some(input), limits: bounds(), seed: Some(1), ..Request::default() };
    let once = answer(&bound, &plain);
    let unheard = Arc::new(Mutex::new(|_, _| {}));
    let others =
        [plain.clone(), Request { without_indices: true, ..plain.clone() }, Request { print: Some(unheard), ..plain.clone() }];
    for (number, request) in others.iter().enumerate() {
        let other = answer(&bound, request);
        let may_miss = |text: &String| text.contains(CONFLICT) || (request.without_indices && text.contains(DIFFERS));
        let told = |answer: &Option<String>| answer.as_ref().is_none_or(may_miss);
        assert!(told(&once) || told(&other) || once == other, "{number}: {once:?} and {other:?}");
    }
}

fn bounds() -> Limits {
    Limits { time: Duration::from_secs(5), steps: 200_000, memory: 32 << 20, depth: 1_000, ..Limits::default() }
}

/// The answer or the error; nothing when a bound was reached, which another way to it may not reach.
fn answer(bound: &Bound, request: &Request<'_>) -> Option<String> {
    match bound.document(&[], request) {
        Ok(None) => Some("undefined".to_owned()),
        Ok(Some(value)) => json::write(&value, LONGEST).ok(),
        Err(error) if error.halt.is_some() => None,
        Err(error) => Some(format!("{error} {:?}", error.span)),
    }
}
