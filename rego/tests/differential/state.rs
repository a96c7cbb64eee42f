//! Clusters as state, objects as inputs: with fields missing, empty, of another type, as they come.

mod tree;

use serde_json::{Map, Value as Json, json};

use super::chance::Chance;

/// Numbers as they can be written; `~` marks them until they are.
const NUMBERS: &[&str] = &[
    "~1.0",
    "~2.50",
    "~1e3",
    "~0.1",
    "~12345678901234567890",
    "~-0.0",
    "~1E-2",
    "~9007199254740993",
    "~0.30000000000000000001",
    "~3",
    "~1e0",
    "~-0",
    "~10e-1",
];

const REGIONS: &[&str] = &["eu", "us", "ap"];
const LABELS: &[&str] = &["tier", "team", "region", "gpu"];
const WORDS: &[&str] = &["prod", "test", "eu", "us", "gold", "a", ""];

/// A document as JSON.
fn text(json: &Json) -> String {
    let mut text = json.to_string();
    for number in NUMBERS {
        text = text.replace(&format!("\"{number}\""), &number[1..]);
    }
    text
}

/// `data.fleet` and some tables that policies read.
pub(super) fn data(chance: &mut Chance, deep: &mut Chance) -> String {
    let clusters: Map<_, _> = (0..chance.below(5) + 1).map(|i| (format!("c{i}"), cluster(chance))).collect();
    let mut data = json!({"fleet": {"clusters": clusters}, "limits": {"eu": 2, "us": 0}, "teams": {"gold": ["prod", "test"]}});
    if chance.one_in(3) {
        data["limits"]["ap"] = word(chance);
    }
    tree::add_to_data(deep, &mut data);
    text(&data)
}

fn cluster(chance: &mut Chance) -> Json {
    let mut cluster = json!({"metadata": {"labels": labels(chance)}, "status": {"ready": chance.one_in(2)}});
    if !chance.one_in(3) {
        cluster["spec"] = json!({"region": chance.pick(REGIONS), "capacity": number(chance), "zones": list(chance)});
    }
    if chance.one_in(8) {
        cluster["metadata"] = json!({});
    }
    cluster
}

/// An object that is to be placed.
pub(super) fn input(chance: &mut Chance, deep: &mut Chance) -> String {
    let containers: Vec<_> = (0..chance.below(3)).map(|i| container(chance, i)).collect();
    let mut object = json!({"kind": chance.pick(&["Deployment", "Job"]), "metadata": {"name": "web", "labels": labels(chance)}});
    if !chance.one_in(12) {
        object["spec"] = json!({"replicas": number(chance), "containers": containers, "regions": list(chance)});
    }
    if chance.one_in(2) {
        object["metadata"]["annotations"] = labels(chance);
    }
    if chance.one_in(24) {
        object["metadata"] = Json::Null;
    }
    object["tree"] = tree::of_input(deep);
    text(&object)
}

fn container(chance: &mut Chance, at: usize) -> Json {
    let mut container = json!({"name": format!("n{at}"), "image": format!("{}/app:{at}", chance.pick(WORDS))});
    if chance.one_in(2) {
        container["cpu"] = number(chance);
    }
    container
}

fn labels(chance: &mut Chance) -> Json {
    (0..chance.below(6) + 2).map(|_| (chance.pick(LABELS).to_owned(), word(chance))).collect::<Map<_, _>>().into()
}

fn list(chance: &mut Chance) -> Json {
    (0..chance.below(5)).map(|_| word(chance)).collect()
}

fn word(chance: &mut Chance) -> Json {
    match chance.below(16) {
        0 => json!(null),
        1 => json!(false),
        2 => json!(3),
        // Two elements: `["prod"]` alone has the hash of `"prod"`, and where both are keys OPA loses one (`v1/ast/term.go`, `object.insert`).
        3 => json!(["prod", 2]),
        _ => json!(chance.pick(WORDS)),
    }
}

fn number(chance: &mut Chance) -> Json {
    match chance.below(9) {
        0 => json!("2"),
        1 => json!(1.5),
        2 => json!(-1),
        3 => json!(chance.pick(&NUMBERS[..10])),
        _ => json!(chance.below(5)),
    }
}
