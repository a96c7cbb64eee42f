//! The smallest part of a set that is still answered differently.

use super::opa::Opa;
use super::set::Set;
use super::verdict::{Counts, Difference, judge};

/// What differs, and all that is needed for it.
pub(super) fn of(opa: &mut Opa, mut set: Set, mut difference: Difference) -> String {
    if let (Some(input), Some(path)) = (difference.input, difference.path) {
        (set.inputs, set.paths) = (vec![set.inputs[input].clone()], vec![set.paths[path].clone()]);
    }
    for module in 0..set.policies.modules.len() {
        let mut many = set.policies.modules[module].rules.len().div_ceil(2);
        while many > 0 {
            without(opa, (&mut set, &mut difference), module, many);
            many /= 2;
        }
    }
    shown(&set, &difference)
}

/// Leaves out so many rules of a module at once, wherever what is left differs still.
fn without(opa: &mut Opa, (set, difference): (&mut Set, &mut Difference), module: usize, many: usize) {
    let mut at = 0;
    while at < set.policies.modules[module].rules.len() {
        let mut fewer = set.clone();
        let rules = &mut fewer.policies.modules[module].rules;
        rules.drain(at..rules.len().min(at + many));
        match judge(&fewer, &opa.ask(&fewer.question()), &mut Counts::default()) {
            Err(other) => (*set, *difference) = (fewer, other),
            Ok(()) => at += many,
        }
    }
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
