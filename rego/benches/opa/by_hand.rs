//! What `policies/` says, written by hand in Rust: the least that its values cost, whoever evaluates it.
//!
//! The same values are looked up and made, document by document as the policies have them. There are no steps, limits, caches or places of errors,
//! nothing may be replaced, and what joins two documents is known beforehand. What the crate takes longer is the evaluator's.

#[path = "by_hand/clusters.rs"]
mod clusters;
#[path = "by_hand/placement.rs"]
mod placement;
#[path = "by_hand/rules.rs"]
mod rules;
#[path = "by_hand/words.rs"]
mod words;

use std::hint::black_box;

use plimsoll_rego::value::Value;

use super::case::Outcome;
use super::clock::{each, human};
use super::fleet;
use words::Words;

/// The error where the data or the input lacks a field that the fleet and the workload of this benchmark have.
const OTHER: &str = "by hand: not the fleet and the workload that this was written for";

/// Prints the time of both, and how many times as long the evaluator takes.
pub(crate) fn print() -> Outcome<()> {
    println!("\n{:<28} {:>12} {:>12} {:>8}", "", "here", "by hand", "ratio");
    for case in fleet::cases()?.iter().filter(|case| case.name.starts_with("policies/")) {
        let ready = case.ready()?;
        let (words, (data, input)) = (Words::default(), case.values()?);
        let jurisdictions = case.constant(&["plimsoll", "rules", "jurisdictions"])?;
        let by_hand = || placement::document(&words, &data, &input, &jurisdictions).ok_or(OTHER);
        if by_hand()? != ready.answer()? {
            return Err("what is written by hand answers otherwise than the policies".into());
        }
        let here = each(|| ready.evaluate())?;
        let there = each(|| {
            black_box(by_hand()?);
            Ok(())
        })?;
        println!("{:<28} {:>12} {:>12} {:>8.2}", case.name, human(here), human(there), here / there);
    }
    Ok(())
}

/// Returns the value at a path of keys below `value`; `None` where there is none.
fn at<'a>(value: &'a Value, path: &[&Value]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Returns the value at a path of keys below `value`, or `other` where there is none.
fn at_or<'a>(value: &'a Value, path: &[&Value], other: &'a Value) -> &'a Value {
    at(value, path).unwrap_or(other)
}

/// Returns the text of a string; an empty one for all other values.
fn text(value: &Value) -> &str {
    value.as_str().map_or("", |text| text.as_str())
}
