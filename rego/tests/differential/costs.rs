//! What evaluations cost, recorded (`costs.jsonl`): an optimisation that is lost changes no answer. Steps are nearly
//! the same on every machine.
//!
//! `DIFFERENTIAL_COSTS=120` writes the file anew, for so many sets. Its differences say what became cheaper, and what dearer.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use plimsoll_rego::program::{Bound, Program, Request};
use plimsoll_rego::value::{Value, json};
use serde::{Deserialize, Serialize};

use super::ours;
use super::set::Set;

const SEED: u64 = 2_026;
const DEPTH: u32 = 1_000;
/// Hashes begin otherwise in each process: now and then one value more is compared.
const BY_CHANCE: u64 = 32;

/// Of one set.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    /// Blocks by module that compile together.
    kept: Vec<Vec<usize>>,
    /// Steps of all documents for all inputs.
    steps: u64,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/differential/costs.jsonl")
}

#[test]
fn evaluations_cost_what_they_did_before() {
    if let Ok(count) = std::env::var("DIFFERENTIAL_COSTS") {
        record(count.parse().unwrap());
    }
    let text = std::fs::read_to_string(file()).unwrap();
    let costs: Vec<Cost> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(costs.len() >= 100, "{}", costs.len());
    for (number, cost) in (0..).zip(costs) {
        let set = Set::new(SEED, number);
        let program =
            ours::compile(&set, &cost.kept).unwrap_or_else(|errors| panic!("set {number}, to be recorded anew: {errors:?}"));
        let steps = steps(&program, &set);
        assert!(steps.abs_diff(cost.steps) <= BY_CHANCE, "set {number}: {steps} steps, recorded are {}", cost.steps);
    }
}

fn record(count: u64) {
    let mut text = String::new();
    for number in 0..count {
        let set = Set::new(SEED, number);
        let kept = kept(&set);
        let cost = Cost { steps: steps(&ours::compile(&set, &kept).unwrap(), &set), kept };
        writeln!(text, "{}", serde_json::to_string(&cost).unwrap()).unwrap();
    }
    std::fs::write(file(), text).unwrap();
}

/// Blocks that compile with those before them.
fn kept(set: &Set) -> Vec<Vec<usize>> {
    let mut kept = vec![Vec::new(); set.policies.modules.len()];
    for (module, blocks) in set.policies.modules.iter().map(|module| module.rules.len()).enumerate() {
        for block in 0..blocks {
            kept[module].push(block);
            if ours::compile(set, &kept).is_err() {
                kept[module].pop();
            }
        }
    }
    kept
}

fn steps(program: &Arc<Program>, set: &Set) -> u64 {
    let bound = program.bind(json::read(set.data.as_bytes(), DEPTH).unwrap());
    let inputs = set.inputs.iter().map(|input| json::read(input.as_bytes(), DEPTH).unwrap());
    inputs.map(|input| set.paths.iter().map(|path| asked(&bound, path, &input)).sum::<u64>()).sum()
}

/// Returns the steps of one evaluation; 0 where it ends in an error.
fn asked(bound: &Bound, path: &str, input: &Value) -> u64 {
    let request = Request { input: Some(input), seed: Some(0), ..Request::default() };
    bound.evaluate(&ours::path(path), &request).map_or(0, |found| found.steps)
}
