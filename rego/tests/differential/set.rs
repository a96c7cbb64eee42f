//! A set of modules, and what is asked of it.

use serde_json::json;

use super::chance::Chance;
use super::policies::{self, Policies};
use super::state;

/// Inputs for each set.
const INPUTS: usize = 4;

/// Modules, data, inputs, and how they are asked.
#[derive(Clone)]
pub(super) struct Set {
    pub(super) policies: Policies,
    /// As JSON.
    pub(super) data: String,
    pub(super) inputs: Vec<String>,
    /// Such as `data.place.r0`.
    pub(super) paths: Vec<String>,
    /// Builtins that fail end in errors.
    pub(super) strict: bool,
    /// No indices.
    pub(super) plain: bool,
    /// What is printed is part of the answer.
    pub(super) prints: bool,
}

impl Set {
    /// The set of a number.
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let (mut chance, mut deep) = (Chance::new(seed, number), Chance::new(!seed, number));
        let policies = policies::generate(&mut chance, &mut deep);
        let mut paths = policies.paths();
        if chance.one_in(4) {
            paths.extend(["data.place", "data.lib.fleet", "data.deep"].map(str::to_owned));
        }
        Self {
            data: state::data(&mut chance, &mut deep),
            inputs: (0..INPUTS).map(|_| state::input(&mut chance, &mut deep)).collect(),
            policies,
            paths,
            strict: chance.one_in(4),
            plain: chance.one_in(5),
            prints: chance.one_in(3),
        }
    }

    /// As OPA is asked.
    pub(super) fn question(&self) -> String {
        let modules = self.policies.modules.iter();
        let modules: Vec<_> = modules
            .map(|module| json!({"name": format!("{}.rego", module.name), "head": module.head, "blocks": module.rules}))
            .collect();
        json!({
            "v0": self.policies.v0, "modules": modules, "data": self.data, "inputs": self.inputs, "paths": self.paths,
            "strict": self.strict, "plain": self.plain, "prints": self.prints,
        })
        .to_string()
    }
}
