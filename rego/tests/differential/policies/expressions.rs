//! What rules read, compute and compare.

use super::words::{CALLS, CLUSTER, COMPARE, LISTS, OBJECT, WORDS};
use crate::differential::chance::Chance;

pub(super) fn list(chance: &mut Chance) -> String {
    chance.pick(LISTS).to_owned()
}

/// A value of the object.
pub(super) fn value(chance: &mut Chance) -> String {
    match chance.below(10) {
        0 | 1 => chance.pick(WORDS).to_owned(),
        2 | 3 => call(chance),
        _ => chance.pick(OBJECT).to_owned(),
    }
}

fn call(chance: &mut Chance) -> String {
    let call = chance.pick(CALLS);
    let (a, b, list) = (operand(chance), operand(chance), chance.pick(LISTS));
    // The letters stand alone: nothing in a call looks like them.
    let put = |text: &str, letter: char, value: &str| {
        let alone = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '.');
        let chars: Vec<char> = text.chars().collect();
        let place = |(at, c): (usize, &char)| {
            let before = at.checked_sub(1).and_then(|at| chars.get(at).copied());
            let placed = *c == letter && alone(before) && alone(chars.get(at + 1).copied());
            if placed { value.to_owned() } else { c.to_string() }
        };
        chars.iter().enumerate().map(place).collect::<String>()
    };
    put(&put(&put(call, 'A', "\u{1}"), 'B', &b), 'L', list).replace('\u{1}', &a)
}

fn operand(chance: &mut Chance) -> String {
    if chance.one_in(4) { chance.pick(WORDS).to_owned() } else { chance.pick(OBJECT).to_owned() }
}

/// A value that a cluster `c` has.
pub(super) fn cluster(chance: &mut Chance) -> String {
    if chance.one_in(4) { value(chance) } else { chance.pick(CLUSTER).to_owned() }
}

pub(super) fn condition(chance: &mut Chance) -> String {
    let (a, b) = (value(chance), value(chance));
    // Alone, `not true` is no body to OPA.
    let a = if a == "true" { "(1 == 1)".to_owned() } else { a };
    match chance.below(17) {
        0 => a,
        1 | 2 => format!("not {a}"),
        3 => format!("not {a} == {b}"),
        4 => format!("startswith({a}, \"p\")"),
        5 => format!("not startswith({a}, \"p\")"),
        6 => format!("{b} in {}", list(chance)),
        7 => format!("not {b} in {}", list(chance)),
        8 => format!("count({}) > 1", list(chance)),
        9 => format!("not {a} {} {b}", chance.pick(COMPARE)),
        10 => format!("not weight[{b}]"),
        11 => format!("not allowed[{b}]"),
        12 => format!(
            "{a} == {b} with input as {{\"metadata\": {{\"labels\": {{\"tier\": \"prod\"}}}}, \"spec\": {{\"replicas\": 3}}}}"
        ),
        13 => format!("not {a} with input.metadata.labels as {{\"tier\": {b}}}"),
        14 => format!(
            "count(allowed) {} 1 with data.fleet.clusters as {{\"x\": {{\"status\": {{\"ready\": true}}}}}}",
            chance.pick(COMPARE)
        ),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}

pub(super) fn cluster_condition(chance: &mut Chance) -> String {
    let (a, b) = (chance.pick(CLUSTER).to_owned(), cluster(chance));
    let grounded = |text: &str| text.replace("[_]", "[0]");
    match chance.below(11) {
        0 => a,
        1 => format!("not {}", grounded(&a)),
        2 => format!("not {} == {}", grounded(&a), grounded(&b)),
        3 => format!("not startswith({}, \"e\")", grounded(&a)),
        4 => format!("{} in c.spec.zones", grounded(&b)),
        5 => format!("not {} in c.spec.zones", grounded(&b)),
        6 => condition(chance),
        7 => format!("{a} * 2 {} {b}", chance.pick(COMPARE)),
        8 => format!("some zone in c.spec.zones; zone != {b}"),
        9 => format!("not weight[{}]", grounded(&b)),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}
