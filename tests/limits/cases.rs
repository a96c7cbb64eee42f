//! Shapes times uses, and which of them are tried.

use super::chance::Chance;
use super::{every, shapes};

/// How many a sample has.
const SAMPLE: usize = 400;

/// One evaluation.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) text: String,
}

/// Every combination, in an order that does not change.
pub(super) fn all() -> Vec<Case> {
    let uses = every::uses();
    let shapes = shapes::all();
    let case = |(shape, rules, statements): &shapes::Shape, (used, text): &(String, String)| Case {
        name: format!("{used} on {shape}"),
        text: format!("package n\n\n{rules}\nr := x if {{\n{statements}{text}\n}}\n"),
    };
    shapes.iter().flat_map(|shape| uses.iter().map(move |used| case(shape, used))).collect()
}

/// What is tried now.
pub(super) fn chosen() -> Vec<Case> {
    let all = all();
    if let Ok(wanted) = std::env::var("LIMITS_CASES") {
        return all.into_iter().filter(|case| wanted == "all" || case.name.contains(&wanted)).collect();
    }
    let seed = std::env::var("LIMITS_SEED").map_or(1, |text| text.parse().unwrap());
    let mut chance = Chance::new(seed, 0);
    (0..SAMPLE).map(|_| all[chance.below(all.len())].clone()).collect()
}
