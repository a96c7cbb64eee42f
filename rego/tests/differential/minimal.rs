//! The smallest part of a set that is still answered differently.

use std::path::Path;

use super::opa;
use super::set::Set;
use super::verdict::{Counts, Difference, judge};

/// What differs, and all that is needed for it.
pub(super) fn of(program: &Path, mut set: Set, mut difference: Difference) -> String {
    if let (Some(input), Some(path)) = (difference.input, difference.path) {
        (set.inputs, set.paths) = (vec![set.inputs[input].clone()], vec![set.paths[path].clone()]);
    }
    for module in 0..set.policies.modules.len() {
        let mut at = 0;
        while at < set.policies.modules[module].rules.len() {
            let mut fewer = set.clone();
            fewer.policies.modules[module].rules.remove(at);
            match asked(program, &fewer) {
                Err(other) => (set, difference) = (fewer, other),
                Ok(()) => at += 1,
            }
        }
    }
    shown(&set, &difference)
}

fn asked(program: &Path, set: &Set) -> Result<(), Difference> {
    let answer = opa::answers(program, std::iter::once(set.question())).next().unwrap();
    judge(set, &answer, &mut Counts::default())
}

fn shown(set: &Set, difference: &Difference) -> String {
    let modules = set.policies.modules.iter();
    let rules: Vec<_> = modules.flat_map(|module| module.rules.iter().map(|rule| format!("{}: {rule}", module.name))).collect();
    let Set { strict, plain, prints, policies, data, inputs, .. } = set;
    let Difference { what, opa, ours, .. } = difference;
    let input = if difference.input.is_some() { inputs[0].as_str() } else { "" };
    format!(
        "v0: {}, strict: {strict}, without indices: {plain}, prints: {prints}\n{}\ndata: {data}\ninput: {input}\n{what}\nOPA:  {opa}\nours: {ours}",
        policies.v0,
        rules.join("\n")
    )
}
